import Foundation
import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

@Suite(.inEveryLayout) struct `Purging and losing history` {
  let shared: SharedStore
  let other: ObjectContext

  init() throws {
    shared = try SharedStore()
    other = try shared.writer("other")
  }

  @Test func `A purge stops at the slowest member`() throws {
    let (app, widget) = (try shared.launch("app"), try shared.launch("widget"))
    try other.write("a", "b", "c", "d")
    #expect(try app.pass(purging: true).purgedThrough == 0)
    _ = try widget.fetch()
    _ = try widget.mergePage()
    // A merge is not a record.
    #expect(try app.purge().watermark == 0)
    _ = try widget.record()
    let result = try app.purge()
    #expect(result.watermark == 4 && result.purgedThrough == 3 && result.transactionCount == 3)
    #expect(try app.store.heldNumbers() == [4])
  }

  @Test func `A member that joins late retains no earlier history`() throws {
    let app = try shared.launch("app")
    try other.write("a", "b", "c")
    _ = try shared.launch("late")
    #expect(try app.pass(purging: true).purgedThrough == 2)
  }

  @Test func `A purged history is reported at once, and a resync continues from the head`() throws {
    let app = try shared.launch("app")
    let ids = try other.write("a", "b", "c")
    try other.object(ids[0])?.delete()
    try other.save()
    try shared.purgeRegardless()
    let token = app.registration.cursor
    let error = HistoryError.expired(token: token, firstHeld: 4)
    #expect(throws: error) { try app.fetch() }
    #expect(throws: error) { try app.pass(purging: true) }
    #expect(try app.view.titles.isEmpty && shared.cursor("app") == 0)
    #expect(try app.resync().number == 4)
    #expect(try app.view.titles == ["b", "c"] && shared.cursor("app") == 4)
    #expect(try app.pass().numbers.isEmpty)
    try other.write("d")
    #expect(try app.pass().numbers == [5])
  }

  @Test func `A resync discards fetched transactions and edits`() throws {
    let app = try shared.launch("app")
    try other.write("a")
    _ = try app.fetch()
    _ = try app.view.insert("Item")
    #expect(try app.resync().number == 1)
    #expect(try app.mergePage().isEmpty)
    #expect(try app.view.titles == ["a"] && !app.view.hasChanges)
    #expect(app.mergedThrough == app.recordedThrough)
  }

  @Test func `A file that was rewound is reported and resynced`() throws {
    let shared = try SharedStore()
    let file = URL(fileURLWithPath: shared.path)
    // The file must be closed while it is copied, so each process ends with its closure.
    let early = try { try shared.launch("app").snapshot }()
    let backup = try Data(contentsOf: file)
    let merged = try {
      let app = try shared.resume(early)
      try shared.writer("other").write("a", "b")
      try app.pass()
      return app.snapshot
    }()
    #expect(merged.mergedThrough.number == 2)
    try backup.write(to: file)
    let app = try shared.resume(merged)
    #expect(throws: HistoryError.rewound(token: merged.mergedThrough, head: 0)) { try app.fetch() }
    try shared.writer("other").write("new")
    #expect(throws: HistoryError.rewound(token: merged.mergedThrough, head: 1)) { try app.pass() }
    #expect(try app.resync().number == 1)
    #expect(try app.view.titles == ["new"])
  }
}

extension SharedStore {
  /// Continues from a process's snapshot, on a new connection.
  fileprivate func resume(_ snapshot: MemberSession.Snapshot) throws -> MemberSession {
    let store = try open()
    return MemberSession(snapshot, store: store, contexts: [ObjectContext(store: store)])
  }
}
