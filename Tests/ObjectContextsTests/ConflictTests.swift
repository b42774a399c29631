import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `Conflict policies` {
  /// A context with an edit of an object that another context has since changed or deleted.
  private struct Conflict {
    let file: StoreFile
    let mine: ObjectContext
    let theirs: ObjectContext
    let id: ObjectID

    init(_ policy: MergePolicy) throws {
      file = try StoreFile()
      mine = try file.context("app", policy)
      theirs = try file.context("widget")
      id = try mine.savedItem("milk", count: 1)
      _ = try theirs.object(id)
    }

    func stored() throws -> [Value?]? { try file.context().item(id) }
  }

  @Test func `The policy error keeps the edits and writes no row`() throws {
    let conflict = try Conflict(.error)
    try conflict.theirs.save(.int(7), for: "count", of: conflict.id)
    try #require(try conflict.mine.object(conflict.id)).set(.string("bread"), for: "title")
    let other = try conflict.mine.insert("Item")
    #expect(throws: HistoryError.conflict([conflict.id])) { try conflict.mine.save() }
    #expect(try conflict.stored() == [.string("milk"), .int(7)])
    #expect(try conflict.mine.store.history().count == 2)
    #expect(conflict.mine.hasChanges && conflict.mine.isInserted(other.id))
    #expect(try conflict.mine.item(conflict.id) == [.string("bread"), .int(1)])
  }

  @Test func `After a merge the edits are reapplied and the save succeeds`() throws {
    let conflict = try Conflict(.error)
    try conflict.theirs.save(.int(7), for: "count", of: conflict.id)
    try #require(try conflict.mine.object(conflict.id)).set(.string("bread"), for: "title")
    try conflict.mine.merge(conflict.mine.store.history())
    #expect(try conflict.mine.item(conflict.id) == [.string("bread"), .int(7)])
    let written = try #require(try conflict.mine.save())
    #expect(written.number == 3)
    #expect(try conflict.stored() == [.string("bread"), .int(7)])
  }

  @Test func `The store-wins policy keeps the store's changes and writes the rest`() throws {
    let conflict = try Conflict(.storeWins)
    try conflict.theirs.save(.int(7), for: "count", of: conflict.id)
    let object = try #require(try conflict.mine.object(conflict.id))
    try object.set(.string("bread"), for: "title")
    try object.set(.int(8), for: "count")
    let other = try conflict.mine.insert("Item")
    let (transaction, edits) = try conflict.mine.saveReporting()
    #expect(edits.map(\.outcome) == [.writtenOver(columns: 1), .written])
    #expect(transaction?.count == 2)
    #expect(try conflict.stored() == [.string("bread"), .int(7)])
    #expect(try conflict.mine.item(conflict.id) == [.string("bread"), .int(7)])
    #expect(try conflict.mine.object(other.id) != nil)
    let change = try #require(try conflict.mine.store.history().last?.changes.first)
    #expect(change.updatedProperties == ["title"])
  }

  @Test func `The policy overwrite writes the whole object as the context has it`() throws {
    let conflict = try Conflict(.overwrite)
    let theirs = try #require(try conflict.theirs.object(conflict.id))
    try theirs.set(.double(2), for: "price")
    try theirs.set(.int(7), for: "count")
    try conflict.theirs.save()
    try #require(try conflict.mine.object(conflict.id)).set(.string("bread"), for: "title")
    let (_, edits) = try conflict.mine.saveReporting()
    #expect(edits.map(\.outcome) == [.writtenOver(columns: 0b1111)])
    #expect(try conflict.stored() == [.string("bread"), .int(1)])
    #expect(try conflict.mine.object(conflict.id)?["price"] == .null)
    let change = try #require(try conflict.mine.store.history().last?.changes.first)
    #expect(change.updatedProperties == ["title", "count", "price", "due"])
  }

  @Test func `The rollback policy discards the edit and shows the row`() throws {
    let conflict = try Conflict(.rollback)
    try conflict.theirs.save(.int(7), for: "count", of: conflict.id)
    try #require(try conflict.mine.object(conflict.id)).set(.string("bread"), for: "title")
    let other = try conflict.mine.insert("Item")
    let (transaction, edits) = try conflict.mine.saveReporting()
    #expect(edits.map(\.outcome) == [.leftOut, .written])
    #expect(transaction?.count == 1)
    #expect(try conflict.stored() == [.string("milk"), .int(7)])
    #expect(try conflict.mine.item(conflict.id) == [.string("milk"), .int(7)])
    #expect(try conflict.mine.object(other.id) != nil)
    try #require(try conflict.mine.object(conflict.id)).set(.string("bread"), for: "title")
    #expect(try conflict.mine.save()?.count == 1)
  }

  /// Both set the title, only the other context the count, only this one the price.
  @Test(
    arguments: [
      (.storeWins, ["theirs", 2, 3.5]), (.objectWins, ["mine", 2, 3.5]),
      (.overwrite, ["mine", 1, 3.5]), (.rollback, ["theirs", 2, nil]),
    ] as [(MergePolicy, [Value])]
  )
  func `Each policy decides attribute by attribute`(
    _ policy: MergePolicy,
    _ expected: [Value]
  ) throws {
    let conflict = try Conflict(policy)
    let theirs = try #require(try conflict.theirs.object(conflict.id))
    try theirs.set("theirs", for: "title")
    try theirs.set(2, for: "count")
    try conflict.theirs.save()
    let mine = try #require(try conflict.mine.object(conflict.id))
    try mine.set("mine", for: "title")
    try mine.set(3.5, for: "price")
    try conflict.mine.save()
    let stored = try #require(try conflict.file.context().object(conflict.id))
    #expect(try ["title", "count", "price"].map { try stored[$0] } == expected)
    #expect(try ["title", "count", "price"].map { try mine[$0] } == expected)
  }

  @Test func `If the store wins every attribute no transaction is written`() throws {
    let conflict = try Conflict(.storeWins)
    try conflict.theirs.save(.int(7), for: "count", of: conflict.id)
    try #require(try conflict.mine.object(conflict.id)).set(.int(8), for: "count")
    #expect(try conflict.mine.save() == nil)
    #expect(!conflict.mine.hasChanges)
    #expect(try conflict.mine.store.history().count == 2)
  }

  @Test func `The object-wins policy writes the attributes that were set and keeps the rest`()
    throws
  {
    let conflict = try Conflict(.objectWins)
    let theirs = try #require(try conflict.theirs.object(conflict.id))
    try theirs.set(.string("eggs"), for: "title")
    try theirs.set(.int(7), for: "count")
    try conflict.theirs.save()
    try #require(try conflict.mine.object(conflict.id)).set(.string("bread"), for: "title")
    let (_, edits) = try conflict.mine.saveReporting()
    #expect(edits.map(\.outcome) == [.writtenOver(columns: 1)])
    #expect(try conflict.stored() == [.string("bread"), .int(7)])
    #expect(try conflict.mine.item(conflict.id) == [.string("bread"), .int(7)])
    let change = try #require(try conflict.mine.store.history().last?.changes.first)
    #expect(change.updatedProperties == ["title"])
    try conflict.mine.save(.int(8), for: "count", of: conflict.id)
    #expect(try conflict.stored() == [.string("bread"), .int(8)])
  }

  @Test(arguments: MergePolicy.allCases)
  func `A deleted object is not restored`(_ policy: MergePolicy) throws {
    let conflict = try Conflict(policy)
    conflict.theirs.delete(conflict.id)
    try conflict.theirs.save()
    try #require(try conflict.mine.object(conflict.id)).set(.string("bread"), for: "title")
    if policy == .error {
      #expect(throws: HistoryError.conflict([conflict.id])) { try conflict.mine.save() }
      #expect(conflict.mine.hasChanges)
    } else {
      let (transaction, edits) = try conflict.mine.saveReporting()
      #expect(transaction == nil && edits.map(\.outcome) == [.gone])
      #expect(try conflict.mine.object(conflict.id) == nil)
    }
    #expect(try conflict.stored() == nil)
  }

  @Test(arguments: MergePolicy.allCases)
  func `A delete of a changed object follows the policy`(_ policy: MergePolicy) throws {
    let conflict = try Conflict(policy)
    try conflict.theirs.save(.int(7), for: "count", of: conflict.id)
    conflict.mine.delete(conflict.id)
    switch policy {
    case .error:
      #expect(throws: HistoryError.conflict([conflict.id])) { try conflict.mine.save() }
      #expect(try conflict.stored() == [.string("milk"), .int(7)])
    case .storeWins, .rollback:
      #expect(try conflict.mine.save() == nil)
      #expect(try conflict.mine.item(conflict.id) == [.string("milk"), .int(7)])
    case .objectWins, .overwrite:
      #expect(try conflict.mine.save()?.count == 1)
      #expect(try conflict.stored() == nil)
      #expect(try conflict.mine.object(conflict.id) == nil)
    }
  }

  @Test(arguments: MergePolicy.allCases)
  func `Two deletes of one object do not conflict`(_ policy: MergePolicy) throws {
    let conflict = try Conflict(policy)
    conflict.theirs.delete(conflict.id)
    try conflict.theirs.save()
    conflict.mine.delete(conflict.id)
    #expect(try conflict.mine.save() == nil)
    #expect(try conflict.mine.object(conflict.id) == nil && !conflict.mine.hasChanges)
  }
}
