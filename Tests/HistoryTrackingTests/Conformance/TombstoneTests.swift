import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

/// The claims of the kit's tests of tombstones, checked on our typed ones.
@Suite(.inEveryLayout) struct `Conformance: Tombstone` {
  let shared: TrackedStore
  let other: ObjectContext

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  /// Returns the contexts that observers of everything receive during a body.
  private func told(_ body: () throws -> Void) async throws -> [HookContext] {
    let app = try await shared.started("app")
    let told = ContextLog()
    for operation in ChangeType.allCases {
      try await app.registerObserver(entity: "Item", operation: operation) { group in
        await told.add(group)
      }
    }
    try body()
    try await app.pass()
    return await told.contexts
  }

  @Test func `tombstoneInObserverHook: the tombstone has the preserved value and the time`()
    async throws
  {
    let deleted = try #require(
      try await told {
        let item = try other.insert("Item", ["title": "gone"])
        try other.save()
        item.delete()
        try other.save()
      }.last
    )
    #expect(deleted.operation == .delete)
    #expect(deleted.tombstone == ["title": "gone"])
    #expect(deleted.timestamp.timeIntervalSinceNow < 60)
  }

  @Test func `tombstoneContainsPreservedAttributes: each value has its type, and no other exists`()
    async throws
  {
    let due = Date(timeIntervalSinceReferenceDate: 12_345.678_9)
    let token = UUID()
    let deleted = try #require(
      try await told {
        let item = try other.insert(
          "Item",
          ["title": "a", "count": 3, "due": .date(due), "token": .uuid(token)]
        )
        try other.save()
        item.delete()
        try other.save()
      }.last
    )
    #expect(deleted.tombstone == ["title": "a", "due": .date(due), "token": .uuid(token)])
  }

  @Test func `noTombstoneForInsertAndUpdate: the tombstone is nil`() async throws {
    let contexts = try await told {
      let item = try other.insert("Item", ["title": "a"])
      try other.save()
      try item.set("b", for: "title")
      try other.save()
    }
    #expect(contexts.map(\.operation) == [.insert, .update])
    #expect(contexts.allSatisfy { $0.tombstone == nil })
  }
}

/// The received contexts.
private actor ContextLog {
  var contexts: [HookContext] = []

  func add(_ group: [HookContext]) { contexts += group }
}
