import Checkers
import PersistentHistory
import Traces

/// Joins what the processes of a stress run have written, and lets the checkers read it.
struct StressChecks {
  /// What the checkers said.
  struct Answer: Codable, Hashable, Sendable {
    let checker: String
    /// `valid`, `invalid` or `unknown`.
    let verdict: String
    let because: String?
  }

  /// The checkers that a run must exercise to be valid.
  private static let needed: Set<String> = [
    Convergence.name, PurgeSafety.name, NoLostTransaction.name, MergeOrder.name,
    CursorProgress.name, HistoryExplainsData.name,
  ]
  /// How much of the trace before a violation is kept.
  private static let excerptCount = 500

  private let header: TraceHeader
  private var recent: [TimedEvent] = []
  private var tally: [ActorID: StressResult.Participant] = [:]

  init(_ header: PlanHeader, system: String, versions: [String: String]) {
    self.header = TraceHeader(
      plan: Plan(header: header, commands: []),
      system: system,
      versions: versions
    )
    for actor in header.actors { tally[actor.id] = .init(name: actor.id.name) }
  }

  /// Reads everything, and enters what it finds.
  ///
  /// - Returns: the end of the trace, as a file, if it is wrong.
  /// - Throws: ``FormatError`` when a file cannot be read.
  mutating func run(
    _ lanes: [TraceLane],
    origin: Int64,
    into result: inout StressResult
  ) throws -> String? {
    var join = try TraceJoin(lanes, origin: origin)
    var suite = CheckerSuite(header, scope: .all)
    while let step = try join.next() {
      // What came after a violation is counted, no longer judged.
      let isJudged = !suite.isInvalid
      if isJudged, let command = step.command { suite.append(command) }
      for event in step.events {
        note(event)
        guard isJudged else { continue }
        suite.observe(event)
        keep(TimedEvent(event, mono: step.mono, given: step.command))
        result.eventCount += 1
      }
    }
    result.settledCount = join.settledCount
    result.openCount = join.openCount
    result.untoldCount = join.untoldCount
    result.doubtCount = join.doubtCount
    result.participants = header.plan.header.actors.compactMap { tally[$0.id] }
      .filter { $0.lives > 0 }
    result.checkers = suite.verdicts.map(Self.answer).map { answer in
      // The run has measured by its own clock what a trace without ticks cannot tell.
      answer.checker == WakeUp.name ? Self.wakeUp(result) ?? answer : answer
    }
    guard suite.violation != nil else { return nil }
    return TraceCodec.encode(header) + "\n"
      + recent.suffix(Self.excerptCount).map { TraceCodec.encode($0) + "\n" }.joined()
  }

  /// Whether an unknown answer of a checker leaves the run undecided.
  static func isNeeded(_ checker: String) -> Bool { needed.contains(checker) }

  /// Whether every commit after which everybody was awaited led to a pass of all of them.
  private static func wakeUp(_ result: StressResult) -> Answer? {
    guard let sleeper = result.sleepers.first else {
      guard result.counts.wakeUps > 0 else { return nil }
      return Answer(checker: WakeUp.name, verdict: "valid", because: nil)
    }
    return Answer(checker: WakeUp.name, verdict: "invalid", because: sleeper)
  }

  private static func answer(_ checker: String, _ verdict: Verdict) -> Answer {
    switch verdict {
    case .valid: Answer(checker: checker, verdict: "valid", because: nil)
    case .invalid(let violation):
      Answer(checker: checker, verdict: "invalid", because: violation.because)
    case .unknown(let reason): Answer(checker: checker, verdict: "unknown", because: reason)
    }
  }

  private mutating func keep(_ event: TimedEvent) {
    var event = event
    if case .called = event.event.happening {} else { event.given = nil }
    recent.append(event)
    if recent.count > 2 * Self.excerptCount { recent.removeFirst(Self.excerptCount) }
  }

  /// Counts what an actor did.
  private mutating func note(_ event: Event) {
    guard let actor = event.actor else { return }
    switch event.happening {
    case .registered, .launched: tally[actor]?.lives += 1
    case .committed: tally[actor]?.written += 1
    case .merged(let names):
      tally[actor]?.merges += 1
      tally[actor]?.merged += names.count
    case .recorded: tally[actor]?.records += 1
    case .purged(let names): tally[actor]?.purged += names.count
    case .ended(_, .failed(let failure)), .ended(_, .unknown(let failure)):
      if failure.code != .crashed { tally[actor]?.note(failure) }
    default: break
    }
  }
}
