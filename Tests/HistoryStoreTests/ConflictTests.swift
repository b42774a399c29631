import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

/// An edit names the row version that it is based on; if another process has written a newer one,
/// the policy decides.
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

  @Test func `The policy error names all conflicts and writes no row`() throws {
    #expect(throws: HistoryError.conflict([changed, gone])) {
      try store.save([update(same, 3), update(changed, 1), update(gone, 2)])
    }
    #expect(throws: HistoryError.conflict([changed])) {
      try store.save([delete(same, 3), delete(changed, 1)])
    }
    #expect(try store.titles() == ["changed", "same"])
    #expect(try store.numbers() == [1, 2, 3, 4])
  }

  @Test func `A delete of a missing object does not conflict`() throws {
    let result = try store.save([delete(gone, 2), update(same, 3)])
    #expect(result.outcomes == [.gone, .written])
    #expect(result.transaction?.count == 1)
  }

  @Test(arguments: [MergePolicy.storeWins, .rollback])
  func `The store-wins policy keeps the whole row if the edit has no row to compare with`(
    _ policy: MergePolicy
  ) throws {
    let result = try store.save(
      [update(changed, 1), update(gone, 2), update(same, 3)],
      policy
    )
    #expect(result.outcomes == [.leftOut, .gone, .written])
    #expect(try store.titles() == ["changed", "mine"])
    #expect(try store.save([delete(changed, 1)], policy).outcomes == [.leftOut])
    #expect(try store.titles() == ["changed", "mine"])
    let page = try store.fetch(HistoryRequest(after: nil))
    #expect(page.transactions.last?.changes.map(\.objectID) == [same])
    #expect(page.transactions.last?.number == 5)
  }

  @Test func `The store-wins policy decides by attribute if the edit knows its row`() throws {
    var edit = ObjectEdit(.update, changed, columns: 3, version: 1, values: ["mine", 9])
    edit.base = ["changed", 1] + Array(repeating: .null, count: 6)
    #expect(try store.save([edit], .storeWins).outcomes == [.writtenOver(columns: 1)])
    #expect(try store.rows(1).values.prefix(2) == ["mine", 2])
    edit.columns = 2
    edit.values = [9]
    #expect(try store.save([edit], .storeWins).outcomes == [.leftOut])
  }

  @Test func `Canonically equal text in other bytes counts as changed by the store`() throws {
    let accented = try store.insertItem(["e\u{301}"])
    try fixture.open().save([
      ObjectEdit(.update, accented, columns: 1, version: 5, values: ["\u{e9}"])
    ])
    var edit = ObjectEdit(.update, accented, columns: 1, version: 5, values: ["mine"])
    edit.base = ["e\u{301}"] + Array(repeating: .null, count: 7)
    #expect(try store.save([edit], .storeWins).outcomes == [.leftOut])
  }

  @Test func `Overwriting writes every attribute that the edit has`() throws {
    var edit = ObjectEdit(.update, changed, columns: 1, version: 1, values: ["mine"])
    edit.base = ["changed", 1] + Array(repeating: .null, count: 6)
    #expect(try store.save([edit], .overwrite).outcomes == [.writtenOver(columns: 0xff)])
    #expect(try store.rows(1).values.prefix(2) == ["mine", 1])
    edit.base = []
    #expect(try store.save([edit], .overwrite).outcomes == [.writtenOver(columns: 1)])
    #expect(try store.save([delete(changed, 1)], .overwrite).outcomes == [.writtenOver(columns: 0)])
    #expect(try store.titles() == ["same"])
  }

  @Test func `The object-wins policy writes the set attributes over the store's`() throws {
    let result = try store.save(
      [update(changed, 1), update(gone, 2), update(same, 3)],
      .objectWins
    )
    #expect(result.outcomes == [.writtenOver(columns: 1), .gone, .written])
    #expect(try store.titles() == ["mine", "mine"])
    #expect(try store.rows(1).column(1) == [2, 1])
    #expect(try store.rows(1).versions == [5, 5])
    let result2 = try store.save([delete(changed, 4), delete(same, 5)], .objectWins)
    #expect(result2.outcomes == [.writtenOver(columns: 0), .written])
    #expect(try store.titles() == [])
  }

  @Test func `The version that a save writes is the one that the next must name`() throws {
    let result = try store.save([update(same, 3)])
    let version = try #require(result.transaction).token.number
    #expect(throws: HistoryError.conflict([same])) { try store.save([update(same, 3)]) }
    #expect(try store.save([update(same, version)]).outcomes == [.written])
  }
}
