import HistoryStore
import HistoryTypes
import Traces

extension TrackerSystem {
  /// Polls the newest position like the store's watch, and makes a pass if the position is new.
  ///
  /// If the pass fails, another signal is logged, because the tracker will repeat the pass.
  func look(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let tracked = try host.process(actor)
    let head = try mappingErrors { () throws(HistoryError) in
      try tracked.process.store.currentToken()
    }
    guard head != tracked.reported else { return }
    tracked.reported = head
    log.add(actor, .woke)
    do throws(SystemFailure) {
      try purging(actor, &log) { report throws(HistoryError) in
        try tracked.engine.signal(head, &report)
      }
    } catch {
      tracked.reported = nil
      log.add(actor, .signalled)
      throw error
    }
  }

  // MARK: Steps

  func step(
    _ action: Action,
    of actor: ActorID,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let engine = try host.process(actor).engine
    switch action {
    case .fetch:
      try reporting(actor, &log) { report throws(HistoryError) in try engine.fetch(&report) }
    case .merge:
      try reporting(actor, &log) { report throws(HistoryError) in try engine.merge(&report) }
    case .record:
      try reporting(actor, &log) { report throws(HistoryError) in try engine.record(&report) }
    case .purge:
      try purging(actor, &log) { report throws(HistoryError) in try engine.purge(&report) }
    case .resync:
      try loggingLoss(of: actor, &log) { log throws(HistoryError) in
        log.add(actor, .resynced(cursor: try engine.resync().transactionName))
      }
    default:
      try purging(actor, isPass: true, &log) { report throws(HistoryError) in
        try engine.pass(&report)
      }
    }
  }

  /// Performs a step of a replaced process, and logs its effects by reading the store.
  ///
  /// The process's contexts are detached; hook calls and merges of the process are not logged.
  func belated(
    _ step: BelatedStep,
    of actor: ActorID,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let engine = try host.replacedProcess(actor).engine
    let bench = try host.bench()
    let before = try bench.cursor(of: actor)
    var report = StepReport()
    var failure: SystemFailure?
    do throws(SystemFailure) {
      try mappingErrors { () throws(HistoryError) in
        try bench.purging(actor, &log) { _ throws(HistoryError) in
          try engine.perform(step, &report)
        }
      }
    } catch { failure = error }
    for member in report.lost { log.add(member, .lost) }
    let after = try bench.cursor(of: actor)
    if after != before, let number = after?.cursor {
      log.add(actor, .recorded(cursor: number == 0 ? nil : String(number)))
    }
    if let failure { throw failure }
  }

  /// Runs a closure that does not purge, and logs its results.
  private func reporting(
    _ actor: ActorID,
    _ log: inout EventLog,
    _ body: (inout StepReport) throws(HistoryError) -> Void
  ) throws(SystemFailure) {
    try loggingLoss(of: actor, &log) { log throws(HistoryError) in
      // The results of a step up to its failure remain valid.
      try reportingAll(of: actor, &log, body)
    }
  }

  /// Runs a closure that may purge, and logs its results and the deleted transactions.
  ///
  /// For a whole pass that succeeds, the newest transaction at its start is logged too.
  private func purging(
    _ actor: ActorID,
    isPass: Bool = false,
    _ log: inout EventLog,
    _ body: (inout StepReport) throws(HistoryError) -> Void
  ) throws(SystemFailure) {
    let bench = try host.bench()
    try loggingLoss(of: actor, &log) { log throws(HistoryError) in
      try bench.purging(actor, &log) { log throws(HistoryError) in
        let newest = bench.purging?.held.last
        try reportingAll(of: actor, &log, body)
        if isPass { log.add(actor, .passed(through: newest.map { String($0) })) }
      }
    }
  }

  private func reportingAll(
    of actor: ActorID,
    _ log: inout EventLog,
    _ body: (inout StepReport) throws(HistoryError) -> Void
  ) throws(HistoryError) {
    var report = StepReport()
    defer { Self.tell(report, of: actor, &log) }
    try body(&report)
  }

  private static func tell(_ report: StepReport, of actor: ActorID, _ log: inout EventLog) {
    func names(_ numbers: [Int64]) -> [TransactionName] { numbers.map { String($0) } }
    if let fetched = report.fetched { log.add(actor, .fetched(names(fetched))) }
    if !report.observed.isEmpty { log.add(actor, .observed(names(report.observed))) }
    if let merged = report.merged { log.add(actor, .merged(names(merged))) }
    if !report.finished.isEmpty { log.add(actor, .finished(names(report.finished))) }
    if let cursor = report.cursor { log.add(actor, .recorded(cursor: cursor.transactionName)) }
    for member in report.lost { log.add(member, .lost) }
  }
}
