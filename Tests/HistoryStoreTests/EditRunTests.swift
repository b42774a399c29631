import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

/// Saves that write many edits with one statement, compared with the same edits written one by one.
@Suite struct EditRunTests {
  /// A store with 40 objects, some of which were changed or deleted after a context has read them.
  private struct Side {
    let fixture: StoreFixture
    let store: Store
    /// Whether an edit of another entity separates the edits of a save, so that each is written alone.
    let separates: Bool
    var ids: [ObjectID] = []

    init(separates: Bool, isUnique: Bool, _ random: inout SeededRandom) throws {
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
      for number in 0..<40 {
        ids.append(try store.makeObjectID("Item"))
        try store.save([
          ObjectEdit(.insert, ids[number], values: [.string("\(number)"), 1, 2.0, nil, nil])
        ])
      }
      for id in ids where Int.random(in: 0..<8, using: &random) == 0 {
        let version = id.key
        if Bool.random(using: &random) {
          try store.save([ObjectEdit(.delete, id, version: version)])
        } else {
          try store.save([ObjectEdit(.update, id, columns: 2, version: version, values: [5])])
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

  /// Returns edits of a save: runs of inserts and updates, and single deletes and updates.
  private func edits(_ side: Side, _ random: inout SeededRandom) -> [ObjectEdit] {
    var edits: [ObjectEdit] = []
    var edited: Set<Int> = []
    var nextKey = Int64(side.ids.count) + 1
    func values(_ random: inout SeededRandom) -> [Value] {
      let name = Int.random(in: 30..<500, using: &random)
      let bytes = Data(count: Int.random(in: 0..<90, using: &random))
      return [.string("\(name)"), .int(Int64(name)), .double(Double(name) / 4), .data(bytes), nil]
    }
    while edits.count < 60 {
      let count = Int.random(in: 1...12, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        for _ in 0..<count {
          let id = ObjectID(entity: 1, key: nextKey)
          nextKey += 1
          edits.append(ObjectEdit(.insert, id, columns: 0b11111, values: values(&random)))
        }
      case 1:
        guard let place = side.ids.indices.randomElement(using: &random),
          edited.insert(place).inserted
        else { continue }
        edits.append(ObjectEdit(.delete, side.ids[place], version: side.ids[place].key))
      default:
        let columns = UInt64.random(in: 1..<16, using: &random)
        let step = Int.random(in: -1...6, using: &random)
        var place = Int.random(in: side.ids.indices, using: &random)
        for _ in 0..<count {
          guard side.ids.indices.contains(place), edited.insert(place).inserted else { break }
          let row = values(&random)
          edits.append(
            ObjectEdit(
              .update,
              side.ids[place],
              columns: columns,
              version: side.ids[place].key,
              values: row.indices.filter { columns >> UInt64($0) & 1 == 1 }.map { row[$0] },
              base: [.string("\(place)"), 1, 2.0, nil, nil]
            )
          )
          place += step == 0 ? 1 : step
        }
      }
    }
    return edits
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>, MergePolicy.allCases)
  func `Edits in runs have the same effect as edits one by one`(
    _ seed: UInt64,
    _ policy: MergePolicy
  ) throws {
    let sides = try [false, true].map { separates in
      var random = SeededRandom(seed: seed)
      return try Side(separates: separates, isUnique: seed % 2 == 0, &random)
    }
    var random = SeededRandom(seed: seed + 1000)
    let edits = edits(sides[0], &random)
    let lines = try sides.map { try $0.save(edits, policy) }
    #expect(lines[0] == lines[1])
    #expect(lines[0].count > 60)
  }

  @Test func `A run writes all its edits with one statement`() throws {
    var random = SeededRandom(seed: 7)
    let side = try Side(separates: false, isUnique: false, &random)
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
    var random = SeededRandom(seed: 7)
    let side = try Side(separates: false, isUnique: false, &random)
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
