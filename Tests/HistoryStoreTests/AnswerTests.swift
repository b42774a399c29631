import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct AnswerTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  @Test func `A transaction is fetched by its number until it is purged`() throws {
    for title in ["a", "b", "c", "d"] { try store.add(title) }
    let second = try #require(try store.transaction(2))
    #expect(second.number == 2)
    #expect(second.changes.map(\.objectID) == [ObjectID(entity: 1, key: 2)])
    for number in [-9_223_372_036_854_775_808, -1, 0, 5, 9_223_372_036_854_775_807]
      as [TransactionNumber]
    {
      #expect(try store.transaction(number)?.number == nil)
    }
    let tokens = try (1...4).map { try store.token($0) }
    #expect(try store.transaction(at: tokens[2])?.number == 3)
    try store.purge(before: second)
    #expect(try store.transaction(1)?.number == nil)
    #expect(try store.transaction(at: tokens[0])?.number == nil)
    #expect(try store.transaction(2)?.number == 2)
    #expect(try store.transaction(at: .beginning(of: store.id))?.number == nil)
    let other = HistoryToken(store: store.id, number: 3, mark: tokens[2].mark ^ 1)
    #expect(throws: HistoryError.rewound(token: other, head: 4)) {
      try store.transaction(at: other)
    }
  }

  @Test func `A purged transaction that waits for deletion is not fetched`() throws {
    for title in ["a", "b", "c"] { try store.add(title) }
    try fixture.execute("UPDATE history_author SET purged = 2")
    #expect(try store.transaction(2)?.number == nil)
    #expect(try store.count(HistoryRequest(after: nil)) == 1)
    #expect(try store.objectIDs(HistoryRequest(after: nil)) == [ObjectID(entity: 1, key: 3)])
  }

  @Test func `A fetch after a transaction equals one after its token`() throws {
    for title in ["a", "b", "c"] { try store.add(title) }
    let first = try #require(try store.transaction(1))
    let page = try store.fetch(HistoryRequest(after: first))
    #expect(page.transactions.map(\.number) == [2, 3])
    #expect(try store.count(HistoryRequest(after: first)) == 2)
    #expect(try store.hasHistory(HistoryRequest(after: first)))
    let last = try #require(try store.transaction(3))
    #expect(!(try store.hasHistory(HistoryRequest(after: last))))
    #expect(try store.count(HistoryRequest(after: last)) == 0)
  }

  @Test func `Counts and object ids are not limited to a page`() throws {
    for title in ["a", "b", "c"] { try store.add([title, title]) }
    var request = HistoryRequest(after: nil, transactionCountMax: 1)
    request.changeCountMax = 1
    #expect(try store.count(request) == 3)
    #expect(try store.objectIDs(request).count == 6)
    request.contents = .changesOnly
    #expect(try store.count(request) == 6)
    request.filter = .type(.insert)
    #expect(try store.count(request) == 6)
  }

  @Test func `Count and object id requests refuse the tokens that a fetch refuses`() throws {
    for title in ["a", "b", "c"] { try store.add(title) }
    let token = try store.token(1)
    try store.purge()
    let request = HistoryRequest(after: token)
    let expired = HistoryError.expired(token: token, firstHeld: 3)
    #expect(throws: expired) { try store.count(request) }
    #expect(throws: expired) { try store.objectIDs(request) }
    #expect(throws: expired) { try store.hasHistory(request) }
  }

  @Test func `With a filter on numbers a token expires only if a purged number matches`() throws {
    for title in ["a", "b", "c", "d", "e"] { try store.add(title) }
    let token = try store.token(1)
    try store.purge(before: store.token(4))
    let expired = HistoryError.expired(token: token, firstHeld: 4)
    for filter: HistoryFilter in [
      .numbers(3...9), .numbers(1...2), .not(.numbers(3...9)), .not(.numbers(2...2)),
    ] {
      #expect(throws: expired, "\(filter)") { try store.numbers(after: token, filter) }
    }
    #expect(try store.numbers(after: token, .numbers(4...4)) == [4])
    #expect(try store.numbers(after: token, .not(.numbers(1...4))) == [5])
    #expect(try store.numbers(after: token, .not(.numbers(2...3))) == [4, 5])
  }

  // MARK: Fields

  @Test func `A transaction and its changes have everything that history records`() throws {
    var fixture = fixture
    fixture.configuration.bundleID = "com.example.app"
    fixture.configuration.processID = "App"
    fixture.clock.now = 5000
    let store = try Store(
      path: fixture.folder.path("told"),
      model: StoreFixture.model(),
      configuration: fixture.configuration
    )
    let id = try store.makeObjectID("Item")
    let values: [Value] = [
      "a", 2, 0.5, .data(Data([1, 2])), .date(Date(timeIntervalSinceReferenceDate: 3)), true,
      .uuid(UUID()), "gone",
    ]
    let writer = WriterID(rawValue: 9)
    func save(_ edit: ObjectEdit) throws {
      _ = try store.save(
        SaveRequest(
          edits: [edit],
          author: "app",
          contextName: "view",
          writer: writer,
          policy: .error
        )
      )
    }
    try save(ObjectEdit(.insert, id, values: values))
    try save(ObjectEdit(.update, id, columns: 0b1000_0001, version: 1, values: ["b", "c"]))
    try save(ObjectEdit(.delete, id, version: 2))
    let transactions = try store.fetch(HistoryRequest(after: nil)).transactions
    #expect(transactions.map(\.number) == [1, 2, 3])
    #expect(transactions.map(\.id) == [1, 2, 3])
    for transaction in transactions {
      #expect(transaction.author == "app" && transaction.contextName == "view")
      #expect(transaction.bundleID == "com.example.app" && transaction.processID == "App")
      #expect(transaction.storeID == store.id && transaction.writer == writer)
      #expect(transaction.changeCount == 1 && transaction.token.store == store.id)
      let change = try #require(transaction.changes.first)
      #expect(change.objectID == id && change.entityName == "Item")
      #expect(change.id == ChangeID(transaction: transaction.number, place: 0))
      #expect(change.transaction.number == transaction.number)
    }
    #expect(transactions[0].timestamp == Date(timeIntervalSinceReferenceDate: 5000))
    #expect(transactions.map { $0.changes.first?.type } == [.insert, .update, .delete])
    #expect(transactions[1].changes.first?.updatedProperties == ["title", "note"])
    let tombstone = try #require(transactions[2].changes.first?.tombstone)
    let names = ["title", "count", "ratio", "body", "due", "done", "code"]
    let left = zip(names, ["b" as Value] + values[1...6])
    #expect(tombstone == Dictionary(uniqueKeysWithValues: Array(left)))
    #expect(transactions[0].changes.first?.tombstone == nil)
    #expect(transactions[0].changes.first?.updatedProperties == [])
  }

  @Test func `A change has the same identity in every fetch`() throws {
    try store.add(["a", "b", "c"])
    try store.add(["d", "e"])
    let all = try store.fetch(HistoryRequest(after: nil)).changes.map(\.id)
    #expect(all.map(\.description) == ["#1/0", "#1/1", "#1/2", "#2/0", "#2/1"])
    #expect(all == all.shuffled().sorted())
    #expect(try store.transaction(2)?.changes.map(\.id) == Array(all[3...]))
  }
}
