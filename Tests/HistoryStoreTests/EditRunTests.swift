import Foundation
import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import StoreFixtures
import Testing

/// Saves that write many edits with one statement, compared with the same edits written one by one.
@Suite struct EditRunTests {
  /// A store with 40 objects, some of which were changed or deleted after a context has read them.
  private struct Side {
    static let count = 40

    let fixture: StoreFixture
    let store: Store
    /// Whether an edit of another entity separates the edits of a save, so that each is written alone.
    let separates: Bool
    var ids: [ObjectID] = []

    /// How another writer touches an object.
    enum Touch { case no, updates, deletes }

    /// Creates a store whose first objects are touched as given.
    init(separates: Bool, isUnique: Bool, touched: [Touch] = []) throws {
      fixture = try StoreFixture()
      self.separates = separates
      let item = Entity(
        "Item",
        [
          Attribute("name", .string), Attribute("count", .int, isOptional: false),
          Attribute("ratio", .double), Attribute("body", .data), Attribute("code", .uuid),
        ],
        uniquenessConstraints: isUnique ? [["name"]] : []
      )
      let model = try Model([item, Entity("Tag", [Attribute("name", .string)])])
      store = try Store(path: fixture.path, model: model, configuration: fixture.configuration)
      for number in 0..<Self.count {
        ids.append(try store.makeObjectID("Item"))
        try store.save([
          ObjectEdit(.insert, ids[number], values: [.string("\(number)"), 1, 2.0, nil, nil])
        ])
      }
      for (id, touch) in zip(ids, touched) {
        let version = id.key
        switch touch {
        case .no: break
        case .updates:
          try store.save([ObjectEdit(.update, id, columns: 2, version: version, values: [5])])
        case .deletes: try store.save([ObjectEdit(.delete, id, version: version)])
        }
      }
    }

    /// Saves the edits, and describes the outcome and the store after the save.
    func save(_ edits: [ObjectEdit], _ policy: MergePolicy) throws -> [String] {
      var sent = edits
      if separates {
        sent = try edits.flatMap {
          [$0, ObjectEdit(.insert, try store.makeObjectID("Tag"), values: [nil])]
        }
      }
      var lines: [String] = []
      do {
        let result = try store.save(sent, policy)
        lines = zip(sent, result.outcomes).filter { $0.0.id.entity == 1 }.map { "\($0.1)" }
        lines += result.rows.map { "\($0.keys) \($0.values)" }
      } catch let error as HistoryError {
        lines.append("\(error)")
      }
      let rows = try store.rows(1)
      lines += rows.map { row in
        "\(row.key) \(row.version) \(row.values)"
      }
      let page = try store.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
      for change in page.changeRecords where change.entity == 1 {
        lines.append("\(change.type) \(change.key) \(change.columns)")
      }
      return lines
    }
  }

  /// Draws edits of a save: runs of inserts and updates, and single deletes and updates.
  private struct Drawing {
    let ids: [ObjectID]
    var edits: [ObjectEdit] = []
    private var edited: Set<Int> = []

    init(_ ids: [ObjectID]) { self.ids = ids }

    mutating func draw(_ source: inout ChoiceSource) {
      var runs = Repetition("run", 1...26, length: .mostlyLongest)
      while runs.next(&source) {
        switch source.weighted([1, 1, 3]) {
        case 0: insert(&source)
        case 1: delete(source.index(below: ids.count))
        default: update(&source)
        }
      }
    }

    private func values(_ source: inout ChoiceSource) -> [Value] {
      let name = source.int(in: 30...499)
      let bytes = Data(count: source.int(in: 0...89))
      return [.string("\(name)"), .int(Int64(name)), .double(Double(name) / 4), .data(bytes), nil]
    }

    private mutating func insert(_ source: inout ChoiceSource) {
      var rows = Repetition("insert", 1...12)
      while rows.next(&source) {
        let key = Int64(ids.count + edits.count { $0.type == .insert } + 1)
        let id = ObjectID(entity: 1, key: key)
        edits.append(ObjectEdit(.insert, id, columns: 0b11111, values: values(&source)))
      }
    }

    private mutating func delete(_ place: Int) {
      guard edited.insert(place).inserted else { return }
      edits.append(ObjectEdit(.delete, ids[place], version: ids[place].key))
    }

    private mutating func update(_ source: inout ChoiceSource) {
      let columns = UInt64(source.int(in: 1...15))
      let step = source.int(in: -1...6)
      var place = source.index(below: ids.count)
      var rows = Repetition("update", 1...12)
      while rows.next(&source) {
        guard ids.indices.contains(place), edited.insert(place).inserted else { break }
        let row = values(&source)
        edits.append(
          ObjectEdit(
            .update,
            ids[place],
            columns: columns,
            version: ids[place].key,
            values: row.indices.filter { columns >> UInt64($0) & 1 == 1 }.map { row[$0] },
            base: [.string("\(place)"), 1, 2.0, nil, nil]
          )
        )
        place += step == 0 ? 1 : step
      }
      rows.stop(&source)
    }
  }

  @Test(.property(cases: 20, seed: 1), arguments: MergePolicy.allCases)
  func `Edits in runs have the same effect as edits one by one`(_ policy: MergePolicy) async throws
  {
    let touches = Generator<Side.Touch>.frequency([
      (14, .always(.no)), (1, .always(.updates)), (1, .always(.deletes)),
    ])
    try await property { source in
      let isUnique = source.bool()
      let touched = try source.draw(touches.array(count: Side.count, element: "touch"))
      let sides = try [false, true].map { separates in
        try Side(separates: separates, isUnique: isUnique, touched: touched)
      }
      var drawing = Drawing(sides[0].ids)
      drawing.draw(&source)
      let lines = try sides.map { try $0.save(drawing.edits, policy) }
      #expect(lines[0] == lines[1])
      #expect(lines[0].count > 60)
    }
  }

  @Test func `A run writes all its edits with one statement`() throws {
    let side = try Side(separates: false, isUnique: false)
    let inserts = (41...100).map { key in
      ObjectEdit(.insert, ObjectID(entity: 1, key: key), values: ["n", 1, nil, nil, nil])
    }
    let first = try side.store.save(inserts)
    #expect(first.outcomes == Array(repeating: .written, count: 60))
    let updates = inserts.map {
      ObjectEdit(.update, $0.id, columns: 2, version: first.version, values: [2])
    }
    #expect(try side.store.save(updates).transaction?.count == 60)
    #expect(try side.store.rows(1).column(1).suffix(60) == Array(repeating: 2, count: 60)[...])
  }

  @Test func `A value that a run must not write makes the save fail, and changes nothing`() throws {
    let side = try Side(separates: false, isUnique: false)
    let before = try side.store.rows(1).values
    for value in [Value.null, "text", .double(.nan)] {
      let edits = (0..<10).map { place in
        ObjectEdit(
          .update,
          side.ids[place],
          columns: 2,
          version: side.ids[place].key,
          values: [place == 5 ? value : 3]
        )
      }
      #expect(throws: HistoryError.self) { try side.store.save(edits, .objectWins) }
      let inserts = (41...50).map { key in
        ObjectEdit(
          .insert,
          ObjectID(entity: 1, key: key),
          values: ["n", key == 45 ? value : 1, nil, nil, nil]
        )
      }
      #expect(throws: HistoryError.self) { try side.store.save(inserts) }
    }
    #expect(try side.store.rows(1).values == before)
  }
}
