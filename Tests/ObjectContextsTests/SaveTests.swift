import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import Synchronization
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `A save` {
  @Test func `A save is one transaction with its author, context name, writer and exact columns`()
    throws
  {
    let file = try StoreFile()
    let context = try file.context("app", name: "editor")
    let (changed, deleted) = (try context.savedItem("a"), try context.savedItem("b"))
    try #require(try context.object(changed)).set(.null, for: "title")
    try #require(try context.object(changed)).set(.date(.distantPast), for: "due")
    context.delete(deleted)
    let inserted = try context.insert("Tag", ["name": .string("x")])
    let written = try #require(try context.save())

    let transaction = try #require(try context.store.history().last)
    #expect(transaction.number == 3 && written.number == 3 && written.count == 3)
    #expect(transaction.token == written.token)
    #expect(transaction.author == "app" && transaction.contextName == "editor")
    #expect(transaction.writer == context.writer)
    let changes = transaction.changes.map { "\($0.type) \($0.objectID) \($0.columns)" }
    #expect(
      changes == ["update \(changed) 9", "delete \(deleted) 0", "insert \(inserted.id) 0"]
    )
    #expect(!context.hasChanges)
  }

  @Test func `A save without edits writes no row`() throws {
    let context = try StoreFile().context()
    #expect(try context.save() == nil)
    _ = try context.savedItem("milk")
    let head = try context.store.currentToken()
    #expect(try context.save() == nil)
    #expect(try context.store.currentToken() == head)
  }

  @Test func `A context may have neither author nor name`() throws {
    let context = try StoreFile().context(nil, name: nil)
    _ = try context.savedItem("milk")
    let transaction = try #require(try context.store.history().first)
    #expect(transaction.author == nil && transaction.contextName == nil)
  }

  @Test func `A save may use another author, or none`() throws {
    let context = try StoreFile().context("app")
    _ = try context.insert("Item")
    _ = try context.saveReporting(author: .some("import"))
    _ = try context.insert("Item")
    _ = try context.saveReporting(author: .some(nil))
    _ = try context.insert("Item")
    _ = try context.saveReporting()
    #expect(try context.store.history().map(\.author) == ["import", nil, "app"])
  }

  @Test func `Saved objects can be changed and saved again`() throws {
    let context = try StoreFile().context()
    let id = try context.savedItem("milk")
    for count in 1...3 { try context.save(.int(Int64(count)), for: "count", of: id) }
    context.delete(id)
    try context.save()
    #expect(try context.store.history().count == 5)
    #expect(try context.object(id) == nil)
  }

  @Test func `A save that cannot get the lock keeps the edits and writes no row`() throws {
    let file = try StoreFile()
    let context = try file.context()
    let id = try context.savedItem("milk")
    try #require(try context.object(id)).set(.string("bread"), for: "title")
    let other = try file.open()
    // The writer keeps the lock while the context waits.
    let impatient = ObjectContext(
      store: try file.open(busyTimeout: .zero),
      snapshot: context.snapshot
    )
    _ = try other.batchInsert(into: "Tag", by: BatchAuthor("other")) { row in
      #expect(throws: HistoryError.self) { try impatient.save() }
      return false
    }
    #expect(impatient.hasChanges)
    #expect(try other.history().count == 1)
    try impatient.save()
    #expect(try file.context().object(id)?["title"] == .string("bread"))
  }

  @Test func `Several threads share a context`() async throws {
    let context = try StoreFile().context()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<25 {
            let object = try context.insert("Item", ["count": .int(Int64(thread * 100 + number))])
            try object.set(.string("\(thread)"), for: "title")
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let history = try context.store.history()
    // A save by another thread between an insert and its set writes an insert and an update.
    let inserts = history.flatMap(\.changes).filter { $0.type == .insert }
    #expect(inserts.count == 100)
    let objects = try context.registeredObjects("Item")
    #expect(objects.count == 100)
    let counts: [Value?] = try objects.map { object in try object["count"] }
    #expect(try counts == context.reread())
  }

  @Test func `Loading everything while another thread saves keeps all that was saved`()
    async throws
  {
    let context = try StoreFile().context()
    var left = 2000
    _ = try context.store.batchInsert(into: "Tag", by: BatchAuthor(nil)) { _ in
      left -= 1
      return left > 0
    }
    let id = try context.savedItem("milk")
    for round in 0..<10 {
      let load = Load(of: context)
      var count: Int64 = 0
      // A set takes no lock of the store, so that most saves start while the load holds it.
      repeat {
        count += 1
        try context.object(id)?.set(.int(count), for: "count")
        try context.save()
      } while !load.isDone
      let stored = try context.store.snapshot().rows[0].values[1]
      #expect(try context.object(id)?["count"] == stored, "round \(round)")
    }
  }
}

extension ObjectContext {
  /// The counts of all items in the store.
  fileprivate func reread() throws -> [Value?] {
    let again = ObjectContext(store: store)
    try again.loadAll()
    return try again.registeredObjects("Item").map { try $0["count"] }
  }
}

/// A context that loads everything on a dedicated thread, because the tests' threads may all be
/// busy.
private final class Load: Sendable {
  private let ended = Atomic(false)

  init(of context: ObjectContext) {
    Thread.detachNewThread {
      #expect(throws: Never.self) { try context.loadAll() }
      self.ended.store(true, ordering: .releasing)
    }
  }

  var isDone: Bool { ended.load(ordering: .acquiring) }
}
