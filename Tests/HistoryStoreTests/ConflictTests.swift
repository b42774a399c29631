import HistoryStore
import PersistentHistory
import Testing

/// An edit names the version of the row that it was made on; what happens when somebody has written
/// another since is the policy's decision.
@Suite(.inEveryLayout) struct ConflictTests {
  let fixture: StoreFixture
  let store: Store
  let changed: ObjectID
  let gone: ObjectID
  let same: ObjectID

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
    changed = try store.insertItem(["changed", 1])
    gone = try store.insertItem(["gone", 1])
    same = try store.insertItem(["same", 1])
    let other = try fixture.open()
    try other.save([
      ObjectEdit(.update, changed, columns: 2, version: 1, values: [2]),
      ObjectEdit(.delete, gone, version: 2),
    ])
  }

  private func update(_ id: ObjectID, _ version: Int64) -> ObjectEdit {
    ObjectEdit(.update, id, columns: 1, version: version, values: ["mine"])
  }

  private func delete(_ id: ObjectID, _ version: Int64) -> ObjectEdit {
    ObjectEdit(.delete, id, version: version)
  }

  @Test func `Under the policy error all conflicts are named and nothing is written`() throws {
    #expect(throws: HistoryError.conflict([changed, gone])) {
      try store.save([update(same, 3), update(changed, 1), update(gone, 2)])
    }
    #expect(throws: HistoryError.conflict([changed])) {
      try store.save([delete(same, 3), delete(changed, 1)])
    }
    #expect(try store.titles() == ["changed", "same"])
    #expect(try store.numbers() == [1, 2, 3, 4])
  }

  @Test func `A delete of what is gone already is no conflict`() throws {
    let result = try store.save([delete(gone, 2), update(same, 3)])
    #expect(result.outcomes == [.gone, .written])
    #expect(result.transaction?.count == 1)
  }

  @Test func `The store wins: its rows stay, the rest is written`() throws {
    let result = try store.save(
      [update(changed, 1), update(gone, 2), update(same, 3)],
      .storeWins
    )
    #expect(result.outcomes == [.leftOut, .gone, .written])
    #expect(try store.titles() == ["changed", "mine"])
    #expect(try store.save([delete(changed, 1)], .storeWins).outcomes == [.leftOut])
    #expect(try store.titles() == ["changed", "mine"])
    let page = try store.fetch(HistoryRequest(after: nil))
    #expect(page.transactions.last?.changes.map(\.objectID) == [same])
    #expect(page.transactions.last?.number == 5)
  }

  @Test func `The object wins: the attributes that were set are written over the store's`() throws {
    let result = try store.save(
      [update(changed, 1), update(gone, 2), update(same, 3)],
      .objectWins
    )
    #expect(result.outcomes == [.writtenOver, .gone, .written])
    #expect(try store.titles() == ["mine", "mine"])
    #expect(try store.rows(1).column(1) == [2, 1])
    #expect(try store.rows(1).versions == [5, 5])
    let result2 = try store.save([delete(changed, 4), delete(same, 5)], .objectWins)
    #expect(result2.outcomes == [.writtenOver, .written])
    #expect(try store.titles() == [])
  }

  @Test func `What one save wrote is the version that the next must name`() throws {
    let result = try store.save([update(same, 3)])
    let version = try #require(result.transaction).number
    #expect(throws: HistoryError.conflict([same])) { try store.save([update(same, 3)]) }
    #expect(try store.save([update(same, version)]).outcomes == [.written])
  }
}
