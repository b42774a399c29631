internal import Foundation
internal import HistoryTypes
internal import PropertyTesting
internal import Systems
internal import Testing
internal import Traces

/// One call of `checkHistory`: its settings, its search and its issues.
struct HistoryCheck: Sendable {
  private let subject: Subject
  private let conditions: [HistoryCondition]
  private let checkers: [any HistoryChecker.Type]
  private let settings: HistorySettings
  private let seed: UInt64
  private let folder: CorpusFolder?
  /// The test's name; outside of a test, the system's name.
  private let name: String

  init(
    _ subject: Subject,
    _ conditions: [HistoryCondition]?,
    _ checkers: [any HistoryChecker.Type],
    _ arguments: HistorySettings,
    _ file: String
  ) throws(HistorySettingsError) {
    let environment = try HistorySettings(environment: ProcessInfo.processInfo.environment)
    settings = environment.or(arguments).or(.current)
    self.subject = subject
    self.checkers = checkers
    self.conditions = try subject.checked(conditions ?? subject.defaultConditions)
    seed = settings.seed ?? 1
    name = TestName.current ?? subject.name
    folder = settings.corpus.map { CorpusFolder($0, from: file) }
    if environment.seed != nil { Self.say("\(name): HISTORY_SEED=\(seed)") }
  }

  /// Replays the corpus and runs the plans; records an issue for a broken invariant or another problem.
  func run(_ place: SourceLocation) async throws -> HistoryReport {
    try await replayCorpus(place)
    let outcome: PlanSearch.Outcome
    do {
      outcome = try await search()
    } catch let failure as SystemFailure {
      throw HistorySettingsError("\(subject.name) could not be run: \(failure.message)")
    }
    try Task.checkCancellation()
    let failure = outcome.found.flatMap { explained($0, outcome.tally) }
    if let failure {
      try folder?.add(failure)
      failure.record(name, at: place)
    }
    let report = report(outcome, failure)
    for sentence in sentences(outcome, report) {
      Issue.record(Comment(rawValue: sentence), sourceLocation: place)
    }
    return report
  }

  /// Prints a line on standard error without buffering, because a trap would discard buffered
  /// output.
  private static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  // MARK: Running

  private func replayCorpus(_ place: SourceLocation) async throws {
    guard let folder, settings.plan == nil else { return }
    if let last = folder.unfinished(name) {
      Self.say("\(name): the last run crashed during a plan. Repeat the plan: \(last)")
    }
    for saved in try folder.files() {
      try await CounterexampleReplay(subject, checkers, saved).run(place)
    }
  }

  private func search() async throws -> PlanSearch.Outcome {
    let clock = ContinuousClock()
    let start = clock.now
    let flag = CancelFlag()
    let mark = try folder?.mark(name)
    defer { mark?.remove() }
    let search = PlanSearch(
      subject: subject,
      conditions: conditions,
      checkers: checkers,
      seed: seed,
      plans: settings.plan.map { $0...$0 } ?? 1...planCount,
      budget: Budget(time: settings.time) { start.duration(to: clock.now) },
      goesOn: { number in
        mark?.write(replay(plan: number))
        return !flag.isSet
      }
    )
    return try await withTaskCancellationHandler {
      try await OwnThread.run { Result { try search.run() } }.get()
    } onCancel: {
      flag.set()
    }
  }

  /// The number of plans to run: 200 by default, or practically unlimited if only a time limit is
  /// set.
  private var planCount: Int { settings.plans ?? (settings.time == nil ? 200 : 1_000_000_000) }

  // MARK: Reporting

  /// Returns the command that repeats one plan.
  private func replay(plan: Int) -> String {
    "HISTORY_SEED=\(seed) HISTORY_PLAN=\(plan) swift test --filter '\(name)'"
  }

  private func explained(_ found: FoundPlan, _ tally: PlanTally) -> HistoryFailure? {
    let others = tally.broken.filter { $0.checker != found.checker }
      .map { "\($0.checker) (plan \($0.plan))" }
    let also =
      others.isEmpty
      ? "" : "\nAlso broken, usually by the same bug: \(others.joined(separator: ", "))."
    return found.counterexample.map { counterexample in
      HistoryFailure(
        counterexample,
        checkers,
        note: "Found in plan \(found.number), which has "
          + "\(found.originalCommandCount.counted("command")); "
          + "shrunk in \(found.evaluations.counted("run"))." + also,
        replay: replay(plan: found.number)
      )
    }
  }

  private func report(
    _ outcome: PlanSearch.Outcome,
    _ failure: HistoryFailure?
  ) -> HistoryReport {
    HistoryReport(
      seed: seed,
      planCount: outcome.tally.planCount,
      invariants: outcome.tally.counts.map {
        HistoryReport.Invariant(
          name: $0.checker,
          heldCount: $0.held,
          brokenCount: $0.broken
        )
      },
      failure: failure,
      uncontrolledJobCount: outcome.foreignJobCount
    )
  }

  /// Returns a sentence for each problem of the check other than a broken invariant.
  private func sentences(_ outcome: PlanSearch.Outcome, _ report: HistoryReport) -> [String] {
    var sentences: [String] = []
    if let (plan, because) = outcome.tally.runFailure {
      sentences.append(
        "\(subject.name) did not complete plan \(plan): \(because). "
          + "Repeat it: \(replay(plan: plan))"
      )
    }
    if let (plan, how) = outcome.tally.unrepeatable {
      sentences.append(
        "\(subject.name) gives different results for the same plan, so that no seed reproduces a failure. In plan "
          + "\(plan) \(how). \(uncontrolled(report))Repeat it: \(replay(plan: plan))"
      )
    }
    if let found = outcome.found, found.counterexample == nil {
      sentences.append(
        "\(found.checker) broke in plan \(found.number), but not when the plan ran again: "
          + "\(subject.name) gives different results for the same plan. \(uncontrolled(report))"
      )
    }
    let isExercised = report.invariants.contains { $0.heldCount + $0.brokenCount > 0 }
    if sentences.isEmpty, report.planCount > 0, !isExercised {
      sentences.append(
        "None of \(report.planCount.counted("plan")) exercised an invariant: the check is vacuous. Check "
          + "whether the methods of \(subject.name) throw."
      )
    }
    return sentences
  }

  private func uncontrolled(_ report: HistoryReport) -> String {
    let count = report.uncontrolledJobCount
    guard count > 0 else { return "" }
    return "\(count) of its jobs came from other threads, where no seed decides the order; see "
      + "SeededExecutor. "
  }
}
