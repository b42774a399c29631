import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `A migration` {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// Retypes `count`, removes `title` and `Tag`, and splits the title into objects of `Word`.
  static let wanted = Model(
    unchecked: [
      Entity("Item", [Attribute("count", .string), Attribute("rating", .int, defaultValue: 5)]),
      Entity("Word", [Attribute("text", .string), Attribute("item", .int)]),
    ],
    version: 2
  )

  @discardableResult
  private func migrate(
    members: Set<MemberID> = [],
    retiring: Bool = false,
    progress: (MigrationProgress) throws -> Void = { _ in }
  ) throws -> MigrationResult? {
    try Store.migrate(
      path: fixture.path,
      to: Self.wanted,
      configuration: fixture.configuration,
      members: members,
      retiresOlderMembers: retiring,
      computing: [
        "Item": { item in
          guard case .int(let count)? = item["count"] else { return }
          try item.set(.string("n\(count)"), for: "count")
          guard case .string(let title)? = item["title"] else { return }
          for word in title.split(separator: " ") {
            try item.insert("Word", ["text": .string(String(word)), "item": .int(item.id.key)])
          }
        }
      ],
      progress: progress
    )
  }

  @Test func `A migration removes, retypes, computes and splits`() throws {
    let (first, second) = try {
      let store = try fixture.open(ModelVersions.first)
      try store.insert("Tag", ["name": "t"])
      return (
        try store.insert("Item", ["title": "two words", "count": 7]), try store.insert("Item")
      )
    }()
    var reports: [MigrationProgress] = []
    let result = try #require(try migrate { reports.append($0) })
    #expect(result.oldVersion == 1 && result.newVersion == 2 && result.objectCount == 2)
    #expect(result.differences == Self.wanted.differences(from: ModelVersions.first))
    #expect(reports.map(\.objectCount) == [2] && reports.map(\.total) == [2])
    let store = try fixture.open(Self.wanted)
    #expect(try store.values(of: first) == ["count": "n7", "rating": 5])
    #expect(try store.values(of: second) == ["count": .null, "rating": 5])
    let words = try store.rows(try #require(store.model.number(of: "Word")))
    #expect(words.column(0) == ["two", "words"] && words.column(1) == [1, 1])
    #expect(try store.integrityProblem() == nil)
    #expect(try store.verify().filter(\.isWrong).isEmpty)
    let tables = try fixture.connection().integer(
      "SELECT count(*) FROM sqlite_master WHERE name IN ('Tag', 'Word')"
    )
    #expect(tables == 1)
    #expect(try migrate() == nil)
    #expect(try store.insert("Item", ["count": "x"]).key > second.key)
  }

  @Test func `History before a migration is read with the model that wrote it`() throws {
    try {
      let store = try fixture.open(ModelVersions.first)
      let id = try store.insert("Item", ["title": "a", "count": 7])
      try store.batchUpdate("Item", set: ["title": "b", "count": 8], by: BatchAuthor("app"))
      try store.batchDelete("Item", by: BatchAuthor("app"))
      try store.insert("Tag")
      #expect(try store.insert("Item", ["count": 1]).key > id.key)
    }()
    try migrate()
    let store = try fixture.open(Self.wanted)
    let update = #"#6 model 2"#
    #expect(
      try store.history() == [
        "#1 insert Item/1", "#2 update Item/1 [\"title\", \"count\"]",
        "#3 delete Item/1 [\"title=\\\"b\\\"\"]", "#4 insert Tag/1", "#5 insert Item/2", update,
      ]
    )
    let page = try store.fetch(HistoryRequest(after: store.token(5)))
    #expect(page.changes.map(\.updatedProperties) == [["count"]])
    try store.batchUpdate("Item", set: ["count": "c"], by: BatchAuthor("app"))
    #expect(try store.history().last == "#7 update Item/2 [\"count\"]")
  }

  @Test func `A program that is open during a migration gets a typed error at its next call`()
    throws
  {
    let old = try fixture.open(ModelVersions.first)
    let id = try old.insert("Item", ["title": "a", "count": 1])
    try migrate()
    let calls: [(String, () throws -> Void)] = [
      ("insert", { try old.insert("Item", ["title": "x"]) }),
      ("delete", { _ = try old.batchDelete("Item", by: BatchAuthor("old")) }),
      ("save", { try old.save([ObjectEdit(.delete, id, version: 1)]) }),
      ("rows", { _ = try old.rows(1, sortedKeys: [id.key]) }),
      ("all rows", { _ = try old.snapshot() }),
      (
        "a predicate",
        { _ = try old.rows(1, where: .compare("title", .equal, "title")) }
      ), ("join", { _ = try old.join("old") }), ("skew", { _ = try old.modelSkew() }),
    ]
    for _ in 0..<2 {
      for (name, call) in calls {
        let error = #expect(throws: HistoryError.self, "\(name)", performing: call)
        #expect(error?.code == .modelOutgrown, "\(name): \(error?.description ?? "")")
        #expect(error?.modelVersions.map { [$0.file, $0.program] } == [2, 1])
      }
    }
    let again = #expect(throws: HistoryError.self) { try fixture.open(ModelVersions.first) }
    #expect(again?.code == .newerModel)
    let new = try fixture.open(Self.wanted)
    #expect(try new.values(of: id) == ["count": "n1", "rating": 5])
    #expect(try new.history().last == "#2 model 2")
  }

  @Test func `Older members are named, and retired if asked to`() throws {
    let old = try fixture.open(ModelVersions.first)
    fixture.clock.now = 100
    let widget = try old.join("widget")
    let app = try old.join("app")
    let before = try old.history()
    let error = #expect(throws: HistoryError.self) { try migrate(members: ["app"]) }
    #expect(error?.code == .olderMembers)
    let named = try #require(error?.olderMembers.first)
    #expect(error?.olderMembers.count == 1 && named.id == "widget" && named.modelVersion == 1)
    #expect(named.seen == fixture.clock.date)
    #expect(error?.message.contains("\"widget\" with version 1, last seen at") == true)
    #expect(try old.history() == before)
    let result = try #require(try migrate(members: ["app"], retiring: true))
    #expect(result.retiredMembers.map(\.id) == ["widget"])
    let outgrown = #expect(throws: HistoryError.self) {
      try old.fetch(HistoryRequest(after: nil), by: widget)
    }
    #expect(outgrown?.code == .modelOutgrown)
    let new = try fixture.open(Self.wanted)
    #expect(try new.members().map(\.state) == [.active, .retired])
    let launched = try new.join("app", takingOver: app)
    #expect(!launched.isNew)
    #expect(try new.members().map(\.configuration.modelVersion) == [2, nil])
  }

  @Test func `Lightweight differences need no consent of older members`() throws {
    let old = try fixture.open(ModelVersions.first)
    _ = try old.join("widget")
    let new = try fixture.open(ModelVersions.second)
    _ = try new.join("app")
    #expect(try new.members().map(\.configuration.modelVersion) == [2, nil])
  }

  @Test func `A failing closure leaves the file as it was`() throws {
    let old = try fixture.open(ModelVersions.first)
    for number in 0..<600 { try old.insert("Item", ["count": .int(Int64(number))]) }
    struct Refusal: Error {}
    let before = try old.history()
    #expect(throws: HistoryError.stopped("Refusal()")) {
      try migrate { progress in
        #expect(progress.total == 600)
        if progress.objectCount > 300 { throw Refusal() }
      }
    }
    for (value, code) in [(Value.int(1), HistoryError.Code.unfitValue), ("x", .unknownAttribute)] {
      let name = code == .unfitValue ? "count" : "title"
      let error = #expect(throws: HistoryError.self) {
        try Store.migrate(
          path: fixture.path,
          to: Self.wanted,
          configuration: fixture.configuration,
          computing: ["Item": { try $0.set(value, for: name) }]
        )
      }
      #expect(error?.code == code)
    }
    #expect(try old.history() == before)
    #expect(try old.insert("Item", ["title": "still"]).key > 600)
    #expect(try migrate()?.objectCount == 601)
  }

  @Test func `The changes of many objects are several transactions of history`() throws {
    let old = try fixture.open(ModelVersions.first)
    var left = 20_000
    try old.batchInsert(into: "Item", by: BatchAuthor("app")) { row in
      left -= 1
      row.set(left, at: 1)
      return left > 0
    }
    try migrate()
    let new = try fixture.open(Self.wanted)
    let page = try new.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
    #expect(page.transactions.map(\.changeCount) == [19_999, 8192, 8192, 3615])
    #expect(page.transactions.map(\.isModelMigration) == [false, true, true, true])
    let versions = try new.rows(1).versions
    #expect(versions.first == 2 && versions[8192] == 3 && versions.last == 4)
  }

  @Test func `A store without history is migrated without transactions`() throws {
    var untracked = fixture
    untracked.configuration.tracksHistory = false
    let id = try untracked.open(ModelVersions.first).insert("Item", ["count": 4])
    _ = try Store.migrate(
      path: fixture.path,
      to: Self.wanted,
      configuration: untracked.configuration,
      computing: ["Item": { try $0.set("four", for: "count") }]
    )
    #expect(try untracked.open(Self.wanted).values(of: id)["count"] == "four")
  }
}
