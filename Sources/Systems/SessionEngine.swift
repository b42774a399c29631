import HistoryStore
import HistoryTracking
import PersistentHistory
import Traces

/// The steps of a pass one by one, without hooks and without waiting: what most plans need, and what a
/// snapshot can put back.
final class SessionEngine: PassEngine {
  private let session: MemberSession
  private let setup: TrackerSetup

  /// Launches the member.
  init(_ setup: TrackerSetup, _ process: PlanProcess, resyncingIfLost: Bool) throws(HistoryError) {
    self.setup = setup
    session = try MemberSession(
      process.actor.id,
      store: process.store,
      contexts: process.contexts,
      author: process.actor.author,
      ignoredAuthors: setup.ignoring,
      pageTransactionCountMax: setup.pageTransactionCountMax,
      resyncingIfLost: resyncingIfLost,
      declaring: setup.declaration
    )
  }

  /// Puts the steps back where they were.
  init(
    _ memory: MemberSession.Memory,
    _ setup: TrackerSetup,
    _ process: PlanProcess
  ) throws(HistoryError) {
    self.setup = setup
    session = MemberSession(
      try memory.held(by: process.store),
      store: process.store,
      contexts: process.contexts
    )
  }

  var registration: Registration { session.registration }

  func fetch(_ report: inout StepReport) throws(HistoryError) {
    report.fetched = try session.fetch().map(\.number)
  }

  func merge(_ report: inout StepReport) throws(HistoryError) {
    report.merged = try session.merge().map(\.number)
  }

  func record(_ report: inout StepReport) throws(HistoryError) {
    report.cursor = try session.record()
  }

  func pass(_ report: inout StepReport) throws(HistoryError) {
    var done = PassReport()
    defer { report.add(done) }
    try session.pass(
      purging: setup.strategy == .whenMerged,
      retaining: setup.retention,
      &done
    )
  }

  func purge(_ report: inout StepReport) throws(HistoryError) {
    report.lost = try session.purge(retaining: setup.retention).lostMembers
  }

  func resync() throws(HistoryError) -> HistoryToken { try session.resync() }

  func retire() throws(HistoryError) { try session.retire() }

  func signal(_ newest: HistoryToken, _ report: inout StepReport) throws(HistoryError) {
    try pass(&report)
  }

  func heal() {}

  func end() {}

  var memory: PassEngineMemory? { .session(session.memory) }

  func describe(_ state: inout StateSketch) { session.standing.describe(&state) }
}

extension SessionStanding {
  /// Adds where the launch stands.
  func describe(_ state: inout StateSketch) {
    state.add(number: mergedThrough)
    state.add(number: recordedThrough)
    state.add(awaitingMerge.count)
    for number in awaitingMerge { state.add(number: number) }
    if let scannedThrough { state.add(number: scannedThrough) } else { state.add(-1) }
  }
}

extension StepReport {
  /// Adds what a pass did.
  mutating func add(_ pass: PassReport) {
    lost += pass.lostMembers
    guard pass.cursor != nil || !pass.numbers.isEmpty else { return }
    merged = (merged ?? []) + pass.numbers
    cursor = pass.cursor ?? cursor
  }
}
