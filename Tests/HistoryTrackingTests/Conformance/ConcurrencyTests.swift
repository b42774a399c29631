import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

/// The concurrent cases of the kit's tests, checked on our tracker: no crash and no loss.
@Suite struct `Conformance: Concurrency` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test func `multipleActorsConcurrentAccess: concurrent passes merge everything once`()
    async throws
  {
    let app = try await shared.started("app")
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] group in
      for _ in group { notes.note("") }
    }
    try await withThrowingTaskGroup { group in
      for number in 0..<10 {
        group.addTask { [other] in
          try other.write("\(number)")
          try await app.pass()
        }
      }
      try await group.waitForAll()
    }
    #expect(try app.view.titles.count == 10 && notes.count == 10)
  }

  @Test func `cleanAndFetchConcurrent: concurrent purges keep unmerged transactions`()
    async throws
  {
    let app = try await shared.started("app")
    // One context each: a save of a shared context would include other tasks' inserts.
    let writers = try (0..<10).map { try shared.writer("other \($0)") }
    try await withThrowingTaskGroup { group in
      for writer in writers {
        group.addTask {
          try writer.write("from \(writer.author ?? "")")
          try await app.pass()
        }
        group.addTask { _ = try app.store.purge() }
      }
      try await group.waitForAll()
    }
    try await app.pass()
    #expect(try app.view.titles.count == 10 && shared.held() == [10])
  }

  @Test func `concurrentHookTriggering: a hundred inserts give a hundred notifications`()
    async throws
  {
    let app = try await shared.started("app")
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in notes.note($0) }
    for number in 0..<100 {
      try other.write("\(number)")
    }
    await withTaskGroup { group in
      for _ in 0..<10 { group.addTask { _ = try? await app.pass() } }
    }
    #expect(notes.count == 100 && Set(notes.all).count == 100)
  }

  @Test func `multipleKitInstancesConcurrent: all trackers converge`() async throws {
    var apps: [HistoryTracker] = []
    for name in ["one", "two", "three"] { apps.append(try await shared.started(MemberID(name))) }
    try await withThrowingTaskGroup { group in
      for app in apps {
        group.addTask {
          for number in 0..<5 {
            try app.view.write("\(app.member) \(number)")
            try await app.pass()
          }
        }
      }
      try await group.waitForAll()
    }
    for app in apps { try await app.pass() }
    for app in apps { #expect(try app.view.titles.count == 15) }
    #expect(try shared.held().count <= 15)
  }

  @Test func `concurrentCleaners: rows survive, and history is purged once`() async throws {
    let app = try await shared.started("app") { $0.strategy = .none }
    for number in 0..<20 { try other.write("\(number)") }
    try await app.pass()
    let stores = try (0..<4).map { _ in try shared.open() }
    let deleted = try await withThrowingTaskGroup { group in
      for store in stores {
        group.addTask { try store.purge().transactionCount }
      }
      return try await group.reduce(0, +)
    }
    #expect(deleted == 19)
    try other.loadAll()
    #expect(try other.titles.count == 20)
  }
}
