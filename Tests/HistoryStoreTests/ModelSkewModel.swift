import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

/// Programs with three versions of a model that write to one file in random order, and the values
/// that each object must have.
struct ModelSkewModel {
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

  let fixture: StoreFixture
  private var random: SeededRandom
  private var programs: [Store] = []
  /// The values of each object by key, in the order of the fields; counts are doubles.
  private var objects: [Int64: [Value]] = [:]
  private(set) var log: [String] = []

  init(_ fixture: StoreFixture, seed: UInt64) throws {
    self.fixture = fixture
    random = SeededRandom(seed: seed)
    programs = [try fixture.open(ModelVersions.first)]
  }

  private var newest: Int { programs.map(\.model.version).max() ?? 1 }

  /// Performs one random step of a random program, and compares what every program reads.
  ///
  /// Programs with newer models start at the given steps.
  mutating func step(_ number: Int) throws {
    if number == 10 || number == 25 { try open(ModelVersions.all[newest]) }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<2: try open(ModelVersions.all[Int.random(in: 0..<newest, using: &random)])
    case 2..<8: try insert(program())
    case 8..<12: try update(program())
    case 12..<17: try overwrite(program())
    default: try delete(program())
    }
    for program in programs { try compare(program) }
  }

  /// Returns a random program; every version is equally likely.
  private mutating func program() -> Store {
    let version = Int.random(in: 1...newest, using: &random)
    let some = programs.filter { $0.model.version == version }
    return some[Int.random(in: some.indices, using: &random)]
  }

  private mutating func open(_ model: Model) throws {
    log.append("open \(model.version)")
    programs.append(try fixture.open(model))
  }

  /// Returns random values of random attributes that a program knows, by field.
  private mutating func values(_ program: Store) -> [Int: Value] {
    var values: [Int: Value] = [:]
    for (index, field) in Self.fields.enumerated()
    where field.names[program.model.version - 1] != nil && Bool.random(using: &random) {
      let number = Int64.random(in: 0..<10, using: &random)
      let isWide = program.model.version == 3
      values[index] =
        switch index {
        case _ where number == 0: .null
        case 0: .string("h\(number)")
        case Self.count: isWide ? .double(Double(number) / 2) : .int(number)
        case 2: .int(number)
        default: .bool(number < 5)
        }
    }
    return values
  }

  private func named(_ values: [Int: Value], _ program: Store) -> [String: Value] {
    var named: [String: Value] = [:]
    for (index, value) in values {
      if let name = Self.fields[index].names[program.model.version - 1] { named[name] = value }
    }
    return named
  }

  private mutating func insert(_ program: Store) throws {
    let values = values(program)
    log.append("insert \(program.model.version) \(named(values, program))")
    let id = try program.insert("Item", named(values, program))
    objects[id.key] = Self.fields.indices.map {
      (values[$0] ?? Self.fields[$0].initial).wide(if: $0 == Self.count)
    }
  }

  private mutating func key() -> Int64? { objects.keys.sorted().randomElement(using: &random) }

  private mutating func update(_ program: Store) throws {
    let values = values(program)
    guard let key = key(), !values.isEmpty else { return }
    let named = named(values, program)
    log.append("update \(program.model.version) \(key) \(named)")
    let entity = try #require(program.model.entity(1))
    var once = true
    try program.batchUpdate("Item", setting: named.keys.sorted(), by: BatchAuthor("app")) { row in
      guard once else { return nil }
      once = false
      for (name, value) in named { row.set(value, at: try #require(entity.index(of: name))) }
      return ObjectID(entity: 1, key: key)
    }
    note(values, key)
    #expect(
      try lastChange().updatedProperties.sorted() == newestNames(of: values).sorted(),
      "\(log)"
    )
  }

  /// Saves an update that is based on an outdated row, with the policy that writes the whole row.
  private mutating func overwrite(_ program: Store) throws {
    let values = values(program)
    guard let key = key(), !values.isEmpty else { return }
    let named = named(values, program)
    log.append("overwrite \(program.model.version) \(key) \(named)")
    let entity = try #require(program.model.entity(1))
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
    let changed = Set(try lastChange().updatedProperties)
    #expect(changed.isSuperset(of: newestNames(of: values)), "\(log)")
  }

  private mutating func delete(_ program: Store) throws {
    guard let key = key() else { return }
    log.append("delete \(program.model.version) \(key)")
    var rest = [ObjectID(entity: 1, key: key)][...]
    try program.batchDelete("Item", by: BatchAuthor("app")) { rest.popFirst() }
    let removed = objects.removeValue(forKey: key)
    let old = try #require(removed)
    var wanted: [String: Value] = [:]
    for index in [0, 2] where old[index] != .null {
      if let name = Self.fields[index].names[newest - 1] { wanted[name] = old[index] }
    }
    #expect(try lastChange().tombstone ?? [:] == wanted, "\(log)")
  }

  private mutating func note(_ values: [Int: Value], _ key: Int64) {
    for (index, value) in values { objects[key]?[index] = value.wide(if: index == Self.count) }
  }

  /// The names of some fields in the newest program.
  private func newestNames(of values: [Int: Value]) -> [String] {
    values.keys.compactMap { Self.fields[$0].names[newest - 1] }
  }

  /// Returns the last change of history, as the newest program reads it.
  private func lastChange() throws -> HistoryChange {
    let reader = try #require(programs.last { $0.model.version == newest })
    let page = try reader.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
    return try #require(page.changes.last)
  }

  /// Compares the rows that a program reads with the values that they must have.
  private func compare(_ program: Store) throws {
    let version = program.model.version
    let entity = try #require(program.model.entity(1))
    let rows = try program.rows(1)
    #expect(rows.keys == objects.keys.sorted(), "\(log)")
    for (place, key) in rows.keys.enumerated() {
      let wanted = try #require(objects[key])
      for (index, field) in Self.fields.enumerated() {
        guard let name = field.names[version - 1], let column = entity.index(of: name) else {
          continue
        }
        let isNarrow = index == Self.count && version < 3
        let value = isNarrow ? wanted[index].narrow : wanted[index]
        #expect(rows.values[place * rows.width + column] == value, "\(key).\(name): \(log)")
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
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `Every program reads the others' writes, as far as its model goes`(seed: UInt64) throws {
    var model = try ModelSkewModel(StoreFixture(), seed: seed)
    for number in 0..<100 { try model.step(number) }
  }
}
