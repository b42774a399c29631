import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

@Suite struct `Lifetime of a released tracker` {
  let shared: TrackedStore
  let other: ObjectContext

  init() throws {
    shared = try TrackedStore()
    other = ObjectContext(store: try shared.open { $0.signalsChanges = true }, author: "other")
  }

  /// Weak references to everything that a tracker retains.
  private final class Held {
    weak var tracker: HistoryTracker?
    weak var store: Store?
    weak var context: ObjectContext?
    weak var logger: RecordingLogger?
    weak var seenByHooks: Notes?

    var isGone: Bool {
      tracker == nil && store == nil && context == nil && logger == nil && seenByHooks == nil
    }
  }

  /// The uses of a tracker before it is released.
  enum Use: CaseIterable {
    case never
    case started
    case passed
    case listenedTo
    case failing
  }

  @Test(arguments: Use.allCases)
  func `A released tracker is freed with everything it retained`(_ use: Use) async throws {
    let held = Held()
    try await drop(use, held)
    await eventually("everything is freed") { held.isGone }
    // No process runs the member now.
    #expect(try shared.open().forget("app") == (use != .never))
  }

  @Test func `A removed hook is freed while the tracker lives`() async throws {
    let app = try shared.tracker("app")
    weak var seen: Notes?
    func use(_ remove: (HookID, HookID) async throws -> Void) async throws {
      let notes = Notes()
      seen = notes
      let observer = try await app.registerObserver(entity: "Item", operation: .insert) {
        notes.note($0)
      }
      let hook = try await app.registerMergeHook { _ in
        withExtendedLifetime(notes) { .proceed }
      }
      try await remove(observer, hook)
    }
    try await use { observer, hook in
      await app.removeObserver(id: observer)
      await app.removeMergeHook(id: hook)
    }
    #expect(seen == nil)
    try await use { _, _ in
      try await app.removeObserver(entity: "Item", operation: .insert)
      await app.removeAllMergeHooks()
    }
    #expect(seen == nil)
    try await use { _, hook in
      await app.removeAllObservers()
      await app.removeMergeHook(id: hook)
    }
    #expect(seen == nil)
  }

  private func drop(_ use: Use, _ held: Held) async throws {
    let logger = RecordingLogger()
    let notes = Notes()
    // Real signals, sent by the store's thread.
    let app = try shared.tracker("app", on: try shared.open { $0.signalsChanges = true }) {
      $0.logger = logger
      $0.signals = { store throws(HistoryError) in try store.changes }
    }
    held.tracker = app
    held.store = app.store
    held.context = app.view
    held.logger = logger
    held.seenByHooks = notes
    try await app.registerObserver(entity: "Item", operation: .insert) { notes.note($0) }
    try await app.registerMergeHook { _ in
      if use == .failing { throw Rain() }
      return .proceed
    }
    guard use != .never else { return }
    try await app.start()
    var reports = await app.passes.makeAsyncIterator()
    switch use {
    case .never, .started: break
    case .passed:
      try other.write("a")
      try await app.pass()
    case .listenedTo, .failing:
      try other.write("a")
      // The report of the pass that the signal triggered.
      _ = await reports.next()
    }
  }
}
