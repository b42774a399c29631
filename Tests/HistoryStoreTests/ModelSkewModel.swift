import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import StoreFixtures
import Testing

/// Programs with three versions of a model that write to one file in random order, and the values
/// that each object must have.
private struct ModelSkewModel: CommandMachine {
  /// An attribute of `Item` under its name in each version; `nil` where the version lacks it.
  private struct Field {
    let names: [String?]
    let initial: Value
  }

  private static let fields = [
    Field(names: ["title", "headline", "headline"], initial: .null),
    Field(names: ["count", "count", "count"], initial: .null),
    Field(names: [nil, "rating", "rating"], initial: 5),
    Field(names: [nil, nil, "title"], initial: true),
  ]
  private static let count = 1

  /// Values by the index of their field.
  typealias Values = [Int: Value]

  /// A command of the program with an index, which opened the file at that place.
  enum Command {
    case upgrade
    case open(version: Int)
    case insert(program: Int, Values)
    case update(program: Int, key: Int64, Values)
    case overwrite(program: Int, key: Int64, Values)
    case delete(program: Int, key: Int64)
  }

  struct Difference: Error { let text: String }

  private static let programCountMax = 14

  static let rules: [CommandRule<ModelSkewModel>] = [
    CommandRule("insert", weight: 6) { machine, source in
      let program = program(machine, &source)
      return .insert(program: program, values(machine, program, &source))
    },
    CommandRule("update", weight: 4, when: hasObjects) { machine, source in
      let (program, key) = (program(machine, &source), key(machine, &source))
      return .update(program: program, key: key, values(machine, program, &source))
    },
    CommandRule("overwrite", weight: 5, when: hasObjects) { machine, source in
      let (program, key) = (program(machine, &source), key(machine, &source))
      return .overwrite(program: program, key: key, values(machine, program, &source))
    },
    CommandRule("delete", weight: 3, when: hasObjects) { machine, source in
      .delete(program: program(machine, &source), key: key(machine, &source))
    },
    CommandRule("upgrade", weight: 2, when: isUpgradable) { _, _ in .upgrade },
    CommandRule("open", weight: 2, when: isOpenable) { machine, source in
      .open(version: source.int(in: 1...machine.newest))
    },
  ]

  private static func hasObjects(_ machine: Self) -> Bool { !machine.objects.isEmpty }

  private static func isUpgradable(_ machine: Self) -> Bool {
    machine.newest < ModelVersions.all.count
  }

  private static func isOpenable(_ machine: Self) -> Bool {
    machine.programs.count < programCountMax
  }

  /// Returns the index of a random program; every version is equally likely.
  private static func program(_ machine: Self, _ source: inout ChoiceSource) -> Int {
    let version = source.int(in: 1...machine.newest)
    let some = machine.programs.indices.filter { machine.programs[$0].model.version == version }
    return source.element(of: some)
  }

  private static func key(_ machine: Self, _ source: inout ChoiceSource) -> Int64 {
    source.element(of: machine.objects.keys.sorted())
  }

  /// Returns random values of random attributes that a program knows.
  private static func values(
    _ machine: Self,
    _ program: Int,
    _ source: inout ChoiceSource
  ) -> Values {
    let version = machine.programs[program].model.version
    var values: Values = [:]
    for (index, field) in fields.enumerated()
    where field.names[version - 1] != nil && source.bool() {
      let number = source.integer(in: 0...9)
      values[index] =
        switch index {
        case _ where number == 0: .null
        case 0: .string("h\(number)")
        case count: version == 3 ? .double(Double(number) / 2) : .int(number)
        case 2: .int(number)
        default: .bool(number < 5)
        }
    }
    return values
  }

  private let fixture: StoreFixture
  private var programs: [Store] = []
  /// The values of each object by key, in the order of the fields; counts are doubles.
  private var objects: [Int64: [Value]] = [:]

  init() throws {
    fixture = try StoreFixture()
    try open(ModelVersions.first)
  }

  private var newest: Int { programs.map(\.model.version).max() ?? 1 }

  private mutating func open(_ model: Model) throws { programs.append(try fixture.open(model)) }

  /// Performs a command, and compares what every program reads.
  mutating func perform(_ command: Command) throws {
    switch command {
    case .upgrade: try open(ModelVersions.all[newest])
    case .open(let version): try open(ModelVersions.all[version - 1])
    case .insert(let program, let values): try insert(programs[program], values)
    case .update(let program, let key, let values):
      if !values.isEmpty { try update(programs[program], key, values) }
    case .overwrite(let program, let key, let values):
      if !values.isEmpty { try overwrite(programs[program], key, values) }
    case .delete(let program, let key): try delete(programs[program], key)
    }
    for program in programs { try compare(program) }
  }

  private func expect<Found: Equatable>(_ found: Found, _ wanted: Found, _ name: String) throws {
    guard found == wanted else { throw Difference(text: "\(name): \(found), not \(wanted)") }
  }

  private func known<Some>(_ value: Some?, _ name: String) throws -> Some {
    guard let value else { throw Difference(text: "\(name): none") }
    return value
  }

  private func named(_ values: Values, _ program: Store) -> [String: Value] {
    var named: [String: Value] = [:]
    for (index, value) in values {
      if let name = Self.fields[index].names[program.model.version - 1] { named[name] = value }
    }
    return named
  }

  private mutating func insert(_ program: Store, _ values: Values) throws {
    let id = try program.insert("Item", named(values, program))
    objects[id.key] = Self.fields.indices.map {
      (values[$0] ?? Self.fields[$0].initial).wide(if: $0 == Self.count)
    }
  }

  private mutating func update(_ program: Store, _ key: Int64, _ values: Values) throws {
    let named = named(values, program)
    let entity = try known(program.model.entity(1), "the entity")
    var once = true
    try program.batchUpdate("Item", setting: named.keys.sorted(), by: BatchAuthor("app")) { row in
      guard once else { return nil }
      once = false
      for (name, value) in named { row.set(value, at: try known(entity.index(of: name), name)) }
      return ObjectID(entity: 1, key: key)
    }
    note(values, key)
    let changed = try lastChange().updatedProperties.sorted()
    try expect(changed, newestNames(of: values).sorted(), "updated properties")
  }

  /// Saves an update that is based on an outdated row, with the policy that writes the whole row.
  private mutating func overwrite(_ program: Store, _ key: Int64, _ values: Values) throws {
    let named = named(values, program)
    let entity = try known(program.model.entity(1), "the entity")
    let base = try program.rows(1, sortedKeys: [key]).values
    let set = entity.attributes.indices.filter { named[entity.attributes[$0].name] != nil }
    try program.save(
      [
        ObjectEdit(
          .update,
          ObjectID(entity: 1, key: key),
          columns: set.reduce(0) { $0 | 1 << UInt64($1) },
          version: -7,
          values: set.map { named[entity.attributes[$0].name] ?? .null },
          base: base
        )
      ],
      .overwrite
    )
    note(values, key)
    let unreported = Set(newestNames(of: values)).subtracting(try lastChange().updatedProperties)
    try expect(unreported, [], "properties that are not reported as updated")
  }

  private mutating func delete(_ program: Store, _ key: Int64) throws {
    var rest = [ObjectID(entity: 1, key: key)][...]
    try program.batchDelete("Item", by: BatchAuthor("app")) { rest.popFirst() }
    let old = try known(objects.removeValue(forKey: key), "object \(key)")
    var wanted: [String: Value] = [:]
    for index in [0, 2] where old[index] != .null {
      if let name = Self.fields[index].names[newest - 1] { wanted[name] = old[index] }
    }
    try expect(lastChange().tombstone ?? [:], wanted, "tombstone")
  }

  private mutating func note(_ values: Values, _ key: Int64) {
    for (index, value) in values { objects[key]?[index] = value.wide(if: index == Self.count) }
  }

  /// The names of some fields in the newest program.
  private func newestNames(of values: Values) -> [String] {
    values.keys.compactMap { Self.fields[$0].names[newest - 1] }
  }

  /// Returns the last change of history, as the newest program reads it.
  private func lastChange() throws -> HistoryChange {
    let reader = try known(programs.last { $0.model.version == newest }, "a program")
    let page = try reader.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
    return try known(page.changes.last, "a change")
  }

  /// Compares the rows that a program reads with the values that they must have.
  private func compare(_ program: Store) throws {
    let version = program.model.version
    let entity = try known(program.model.entity(1), "the entity")
    let rows = try program.rows(1)
    try expect(rows.keys, objects.keys.sorted(), "keys in version \(version)")
    for (place, key) in rows.keys.enumerated() {
      let wanted = try known(objects[key], "object \(key)")
      for (index, field) in Self.fields.enumerated() {
        guard let name = field.names[version - 1], let column = entity.index(of: name) else {
          continue
        }
        let isNarrow = index == Self.count && version < 3
        let value = isNarrow ? wanted[index].narrow : wanted[index]
        try expect(rows.values[place * rows.width + column], value, "\(key).\(name)")
      }
    }
  }
}

extension Value {
  fileprivate var number: Double {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: 0
    }
  }

  /// The value as a double, if it is a number of the widened attribute.
  fileprivate func wide(if isWidened: Bool) -> Value {
    isWidened && self != .null ? .double(number) : self
  }

  /// The value as an integer, or null if it is not one.
  fileprivate var narrow: Value {
    self == .null ? .null : Int64(exactly: number).map { .int($0) } ?? .null
  }
}

@Suite(.inEveryLayout) struct `Random programs with different models` {
  @Test(.property(cases: 12, seed: 1))
  func `Every program reads the others' writes, as far as its model goes`() async throws {
    try await property { source in
      var machine = try ModelSkewModel()
      try source.perform(on: &machine, steps: 0...100)
    }
  }
}
