import HistoryStore
import PersistentHistory
import Testing

@testable import ObjectContexts

@Suite struct `A save of what somebody else has changed` {
  /// A context that has edited an object, which another one has changed or deleted since.
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

  @Test func `The policy error keeps the edits and writes nothing`() throws {
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

  @Test func `After a merge the edits are on top and the save succeeds`() throws {
    let conflict = try Conflict(.error)
    try conflict.theirs.save(.int(7), for: "count", of: conflict.id)
    try #require(try conflict.mine.object(conflict.id)).set(.string("bread"), for: "title")
    try conflict.mine.merge(conflict.mine.store.history())
    #expect(try conflict.mine.item(conflict.id) == [.string("bread"), .int(7)])
    let written = try #require(try conflict.mine.save())
    #expect(written.number == 3)
    #expect(try conflict.stored() == [.string("bread"), .int(7)])
  }

  @Test func `The policy store wins leaves the row and shows it`() throws {
    let conflict = try Conflict(.storeWins)
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

  @Test func `Where the store wins everything there is no transaction`() throws {
    let conflict = try Conflict(.storeWins)
    try conflict.theirs.save(.int(7), for: "count", of: conflict.id)
    try #require(try conflict.mine.object(conflict.id)).set(.string("bread"), for: "title")
    #expect(try conflict.mine.save() == nil)
    #expect(!conflict.mine.hasChanges)
    #expect(try conflict.mine.store.history().count == 2)
  }

  @Test func `The policy object wins writes what was set and keeps the rest`() throws {
    let conflict = try Conflict(.objectWins)
    let theirs = try #require(try conflict.theirs.object(conflict.id))
    try theirs.set(.string("eggs"), for: "title")
    try theirs.set(.int(7), for: "count")
    try conflict.theirs.save()
    try #require(try conflict.mine.object(conflict.id)).set(.string("bread"), for: "title")
    let (_, edits) = try conflict.mine.saveReporting()
    #expect(edits.map(\.outcome) == [.writtenOver])
    #expect(try conflict.stored() == [.string("bread"), .int(7)])
    #expect(try conflict.mine.item(conflict.id) == [.string("bread"), .int(7)])
    let change = try #require(try conflict.mine.store.history().last?.changes.first)
    #expect(change.updatedProperties == ["title"])
    try conflict.mine.save(.int(8), for: "count", of: conflict.id)
    #expect(try conflict.stored() == [.string("bread"), .int(8)])
  }

  @Test(arguments: [MergePolicy.error, .storeWins, .objectWins])
  func `An object that is gone is not brought back`(_ policy: MergePolicy) throws {
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

  @Test(arguments: [MergePolicy.error, .storeWins, .objectWins])
  func `A delete of what was changed follows the policy`(_ policy: MergePolicy) throws {
    let conflict = try Conflict(policy)
    try conflict.theirs.save(.int(7), for: "count", of: conflict.id)
    conflict.mine.delete(conflict.id)
    switch policy {
    case .error:
      #expect(throws: HistoryError.conflict([conflict.id])) { try conflict.mine.save() }
      #expect(try conflict.stored() == [.string("milk"), .int(7)])
    case .storeWins:
      #expect(try conflict.mine.save() == nil)
      #expect(try conflict.mine.item(conflict.id) == [.string("milk"), .int(7)])
    case .objectWins:
      #expect(try conflict.mine.save()?.count == 1)
      #expect(try conflict.stored() == nil)
      #expect(try conflict.mine.object(conflict.id) == nil)
    }
  }

  @Test(arguments: [MergePolicy.error, .storeWins, .objectWins])
  func `Two deletes of one object agree`(_ policy: MergePolicy) throws {
    let conflict = try Conflict(policy)
    conflict.theirs.delete(conflict.id)
    try conflict.theirs.save()
    conflict.mine.delete(conflict.id)
    #expect(try conflict.mine.save() == nil)
    #expect(try conflict.mine.object(conflict.id) == nil && !conflict.mine.hasChanges)
  }
}
