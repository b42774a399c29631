import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

@Suite struct `A stopped tracker` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test(arguments: [false, true])
  func `The store file can be deleted as soon as its tracker is stopped`(
    _ writes: Bool
  ) async throws {
    for _ in 0..<50 {
      let shared = try TrackedStore()
      try await runAndStop(shared, writes)
      try Store.destroy(path: shared.path)
    }
  }

  /// Runs a tracker with the store's own signals, and releases it right after it is stopped.
  private func runAndStop(_ shared: TrackedStore, _ writes: Bool) async throws {
    let store = try shared.open { $0.signalsChanges = true }
    let app = try shared.tracker("app", on: store) {
      $0.signals = { store throws(HistoryError) in try store.changes }
    }
    try await app.start()
    if writes { try app.view.write("a") }
    await app.stop()
  }

  @Test func `Stopping waits until a pass in progress has finished`() async throws {
    let (signals, gate) = (Signals(), Gate())
    let app = try await shared.started("app") { $0.signals = signals.source }
    try await app.registerMergeHook { [notes] _ in
      await gate.pass()
      notes.note("merged")
      return .proceed
    }
    try other.write("a")
    signals.send()
    await gate.arrived()
    let stopping = Task { [notes] in
      await app.stop()
      notes.note("stopped")
    }
    await eventually("the tracker follows no more signals") { await !app.isStarted }
    await gate.open()
    // A second stop waits for the same pass.
    await app.stop()
    #expect(notes.all.first == "merged")
    await stopping.value
    #expect(notes.all == ["merged", "stopped"])
    #expect(try shared.cursor("app") == 1)
  }

  @Test func `A hook may stop its own tracker, whose pass then ends`() async throws {
    let signals = Signals()
    let app = try await shared.started("app") { $0.signals = signals.source }
    try await app.registerMergeHook { [notes, weak app] _ in
      await app?.stop()
      notes.note("stopped")
      return .proceed
    }
    var reports = await app.passes.makeAsyncIterator()
    try other.write("a")
    signals.send()
    #expect(await reports.next()?.numbers == [1])
    await app.stop()
    #expect(notes.all == ["stopped"])
    #expect(await !app.isStarted)
  }

  @Test func `A merger that asks its own tracker for a pass gets an error`() async throws {
    let merger = PassingMerger(notes: notes)
    let app = try await shared.started("app") { $0.merger = merger }
    merger.tracker.set(app)
    try other.write("a")
    try await app.pass()
    #expect(notes.all == ["insideHook"])
  }
}

/// A merger that calls its own tracker.
private struct PassingMerger: TransactionMerger {
  final class Reference: @unchecked Sendable {
    private(set) weak var tracker: HistoryTracker?

    func set(_ tracker: HistoryTracker) { self.tracker = tracker }
  }

  let notes: Notes
  let tracker = Reference()

  func merge(_ transactions: [HistoryTransaction], into contexts: [ObjectContext]) async throws {
    do throws(HistoryError) {
      try await tracker.tracker?.pass()
    } catch {
      notes.note("\(error.code)")
    }
    try DefaultMerger().merge(transactions, into: contexts)
  }
}
