import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

@Suite struct ConversionTests {
  @Test(arguments: StoreAtHand.few)
  func `A converted history returns the same results as its file`(store: StoreAtHand) throws {
    try store.withPath { path in
      let source = try Store(reading: path)
      let result = try source.convert(to: path + ".new")
      let made = try Store(path: path + ".new")
      #expect(made.id != source.id)
      let counts = try store.expectedCounts()
      #expect([result.transactionCount, result.changeCount] == Array(counts.prefix(2)))
      try Differential(left: source, right: made).compare()
    }
  }

  @Test(arguments: HistoryLayout.allCases)
  func `Rare features of real files are converted into either layout`(
    layout: HistoryLayout
  ) throws {
    let folder = try InspectionFolder()
    try WideFixture.make(at: folder.file("wide"))
    let source = try Store(reading: folder.file("wide"))
    _ = try source.convert(to: folder.file("new"), layout: layout)
    let made = try Store(path: folder.file("new"))
    try Differential(left: source, right: made).compare()
    #expect(try made.makeObjectID("Note").key == 3)
  }

  @Test(arguments: HistoryLayout.allCases)
  func `Updates of many-to-many relationships are read and converted at their places`(
    layout: HistoryLayout
  ) throws {
    let folder = try InspectionFolder()
    let path = folder.file("joined")
    try CoreDataFixture.make(at: path, CoreDataFixture.schema + CoreDataFixture.joinedRows)
    let source = try Store(reading: path)
    let result = try source.convert(to: folder.file("new"), layout: layout)
    #expect(result.transactionCount == 5 && result.changeCount == 15)
    let made = try Store(path: folder.file("new"))
    try Differential(left: source, right: made).compare()
    for store in [source, made] {
      #expect(store.model.entities.map(\.name) == ["Note", "Tag"])
      #expect(try store.verify().isEmpty)
      let changes = Array(try store.fetch(HistoryRequest(after: nil)).changes)
      #expect(
        changes.filter { $0.type == .update }.map {
          "\($0.entityName ?? "?")/\($0.objectID.key) \($0.updatedProperties.joined())"
        } == [
          "Note/1 #0", "Tag/1 #1", "Tag/2 #1", "Tag/3 #1", "Note/1 #0#1", "Tag/2 #2", "Tag/3 #0#2",
          "Note/1 #0", "Tag/3 #2",
        ]
      )
      #expect(changes.compactMap(\.tombstone) == [["ZTOMBSTONE0": "urgent"]])
    }
    #expect(try made.makeObjectID("Note").key == 3 && made.makeObjectID("Tag").key == 4)
  }

  @Test(arguments: HistoryLayout.allCases, HistoryLayout.allCases)
  func `A packed store converts into either layout and back`(
    from: HistoryLayout,
    to layout: HistoryLayout
  ) throws {
    var fixture = try StoreFixture()
    fixture.configuration.layout = from
    fixture.configuration.processID = "notesd"
    let store = try fixture.open()
    let id = try store.insertItem(["a", 7, .double(.infinity), .data(Data([1])), nil, true])
    try store.add(Array(repeating: "many", count: 1_100), by: nil, context: "view")
    try store.save([ObjectEdit(.update, id, columns: 0b10, version: 1, values: [8])])
    try store.save([ObjectEdit(.delete, id, version: 3)], by: "widget")
    try store.add("last")
    try store.purge(before: try store.token(2))
    _ = try store.convert(to: fixture.path + ".new", layout: layout)
    let made = try Store(path: fixture.path + ".new")
    try Differential(left: store, right: made).compare()
    #expect(try made.add("more") == 6)
    #expect(try made.numbers() == [2, 3, 4, 5, 6])
  }

  @Test func `Progress is reported after each page, and its error ends the conversion`() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    for _ in 0..<3 { try store.add("a") }
    var calls: [[Int64]] = []
    _ = try store.convert(to: fixture.path + ".new") { calls.append([Int64($0), $1, $2]) }
    #expect(calls == [[3, 3, 3]])
    struct Enough: Error {}
    #expect(throws: HistoryError.self) {
      try store.convert(to: fixture.path + ".other") { _, _, _ in throw Enough() }
    }
    #expect(!FileManager.default.fileExists(atPath: fixture.path + ".other"))
    #expect(!FileManager.default.fileExists(atPath: fixture.path + ".other-wal"))
  }

  @Test func `A conversion overwrites no file`() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    try store.add("a")
    let folder = try InspectionFolder()
    let taken = try folder.write(Data("mine".utf8), to: "taken")
    _ = try folder.write(Data("log".utf8), to: "free-wal")
    let before = try folder.contents()
    for (target, named) in [
      (taken, taken), (folder.file("free"), folder.file("free-wal")), (fixture.path, fixture.path),
    ] {
      let error = HistoryError.unreadable(
        "\(named) already exists, and it is not overwritten. Choose another file."
      )
      if target != fixture.path {
        #expect(throws: error) { try store.convert(to: target) }
      } else {
        #expect(throws: HistoryError.self) { try store.convert(to: target) }
      }
    }
    #expect(try folder.contents() == before)
    #expect(throws: HistoryError.self) { try store.convert(to: folder.file("no/such/folder")) }
    #expect(try store.numbers() == [1])
  }
}
