import Foundation
import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

@Suite struct `A tracker on a custom executor` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test func `Everything that the tracker does runs on its executor`() async throws {
    let executor = ThreadExecutor()
    let signals = Signals()
    let app = try shared.tracker("app") {
      $0.executor = executor
      $0.signals = signals.source
      $0.merger = PlaceMerger(notes: notes, executor: executor)
      $0.clock.sleep = { [notes] _ in notes.note("pause here: \(executor.isCurrent)") }
    }
    let failing = Weather()
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] _ in
      notes.note("observer here: \(executor.isCurrent)")
      try await failing.check()
    }
    try await app.registerMergeHook { [notes] _ in
      notes.note("merge hook here: \(executor.isCurrent)")
      return .proceed
    }
    try await app.start()
    var reports = await app.passes.makeAsyncIterator()
    try other.write("a")
    signals.send()
    #expect(await reports.next()?.failure != nil)
    await failing.clear()
    while let report = await reports.next(), report.failure != nil {}
    #expect(
      Set(notes.all) == [
        "observer here: true", "pause here: true", "merge hook here: true", "merger here: true",
      ]
    )
    await app.stop()
  }
}

/// Records the queue or thread of each merge.
private struct PlaceMerger: TransactionMerger {
  let notes: Notes
  let executor: ThreadExecutor

  func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) async throws {
    notes.note("merger here: \(executor.isCurrent)")
    try DefaultMerger().merge(transactions, into: contexts)
  }
}
