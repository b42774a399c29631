import Basics
import Checkers
import Commands
import HistoryTypes
import Measuring
import Reporting
import Systems
import Traces
import Workloads

/// The results of `check`, which are printed for people or encoded as JSON.
struct CheckReport {
  let seed: UInt64
  /// The requested number of plans for each system.
  let plans: Int
  let like: String
  let systems: [SystemReport]
  let folder: String
  /// Whether the check was interrupted before all plans had run.
  var isEndedEarly = false
  /// Sentences that name the missing and unfinished parts of a merged check.
  var gaps: [String] = []

  /// The verdict of the check: the first in this list whose description applies.
  ///
  /// - `nondeterministic`: a plan gave a different trace when it ran again.
  /// - `invalid`: an invariant broke.
  /// - `unknown`: no system ran, a system's plans never exercised some core invariant (see
  ///   `CheckerSuite.Scope`) or never had a required power-off, a system did not complete every
  ///   plan, the check was interrupted, or a part of a merged check is missing or unfinished.
  /// - `valid`: every other case.
  var verdict: String {
    if systems.contains(where: { $0.tally.difference != nil }) { return "nondeterministic" }
    if systems.contains(where: { !$0.tally.broken.isEmpty }) { return "invalid" }
    let isUndecided = systems.contains {
      !$0.tally.undecided.isEmpty || !$0.unfired.isEmpty || $0.tally.runFailure != nil
    }
    let isWhole = !isEndedEarly && gaps.isEmpty && !systems.isEmpty
    return isUndecided || !isWhole ? "unknown" : "valid"
  }

  /// The reasons for the verdict: a sentence for each system, and sentences about an early end and
  /// about missing or unfinished parts.
  var because: String {
    let sentences = systems.map { "\($0.system): \($0.sentence)" }
    let endings = (isEndedEarly ? ["It was ended early."] : []) + gaps.map(\.capitalised)
    return (sentences + endings).joined(separator: " ")
  }

  /// Returns the report as one JSON object with sorted keys.
  func json(for reader: RunReader) throws(LabError) -> String {
    try JSONText.document(CheckDocument(self, for: reader), named: "the report")
  }
}

/// The results of one system's plans.
struct SystemReport {
  let system: String
  let tally: CheckTally
  let seconds: Double
  let counterexamples: [CounterexampleReport]
  /// Whether `--conditions` names `power-off`.
  ///
  /// If so, each kind of power-off must occur, in at least one plan, in each kind of command that
  /// ran. Otherwise the verdict is not `valid`.
  var needsPowerOffs = false

  /// The missing power-offs, such as `torn in retire`, if ``needsPowerOffs`` is `true`; else empty.
  var unfired: [String] { needsPowerOffs ? tally.faults.missingPowerOffs : [] }

  private func runFailureSentence(_ first: (plan: Int?, because: String)) -> String {
    "The system did not complete \(tally.runFailureCount.grouped) of "
      + "\(tally.planCount.counted("plan")), first\(first.plan.map { " in plan \($0)" } ?? ""): "
      + first.because
  }

  /// The verdict in a sentence; if the system never purged, a sentence about that comes first.
  var sentence: String {
    guard let never = tally.neverPurgedSentence else { return verdictSentence }
    return "\(never) \(verdictSentence.capitalised)"
  }

  /// One sentence that states the verdict.
  private var verdictSentence: String {
    let plans = tally.planCount.counted("plan")
    if let difference = tally.difference {
      return
        "nondeterministic: plan \(difference.plan) gave a different trace when it ran again, from event "
        + "\(difference.event) on; the system's other results are unreliable. For this project's "
        + "tracker, the second run uses a different driver than the first run."
    }
    if !tally.broken.isEmpty {
      let names = tally.broken.map(\.checker).joinedWithAnd
      return "\(names) broke, in \(tally.invalidPlanCount.grouped) of \(plans)."
        + (tally.runFailure.map { " " + runFailureSentence($0) } ?? "")
    }
    if let failure = tally.runFailure { return runFailureSentence(failure) }
    if !tally.undecided.isEmpty {
      return "none of \(plans) exercised \(tally.undecided.joinedWithAnd)."
    }
    guard unfired.isEmpty else { return "none of \(plans) had \(unfired.joinedWithAnd)." }
    guard !tally.notExercised.isEmpty else { return "every invariant held in \(plans)." }
    return "every invariant that \(plans) exercised held; none exercised "
      + "\(tally.notExercised.joinedWithAnd)."
  }
}

/// A counterexample with the paths of its files and the commands that replay it.
struct CounterexampleReport {
  let shrunk: ShrunkCounterexample
  /// The files of the shrunk plan.
  let kept: KeptCounterexample
  /// The options that replay the plan as it was before shrinking.
  let replayOfPlan: ReplayOptions

  var violation: Violation { shrunk.counterexample.violation }
  var commandCount: Int { shrunk.counterexample.trace.header.plan.commands.count }
}

/// The JSON form of a check report, as in `check.json`.
struct CheckDocument: Codable, RunFile {
  struct Invariant: Codable {
    let invariant: String
    let valid: Int
    let invalid: Int
    let unknown: Int
  }
  struct Found: Codable {
    let checker: String
    let because: String
    let at: Int
    let transaction: String?
    let commands: Int
    let foundInPlan: Int
    let foundCommands: Int
    let evaluations: Int
    let minimal: Bool
    /// The file's name in the run's folder; a path in reports of older versions.
    var file: String
    /// The command that replays the counterexample from the run's folder.
    var replay: String
    let replayOfPlan: String
    let plan: [String]
  }
  struct Fault: Codable {
    let command: String
    let kind: String
    /// The number of times that the fault was planned for a command that ran.
    let planned: Int
    /// The number of times that the fault occurred; a power-off occurs at the end of its command.
    let fired: Int
  }
  struct Refusal: Codable {
    let command: String
    let code: String
    /// The number of commands of this kind that failed with this code.
    let count: Int
  }
  struct System: Codable {
    let system: String
    let plans: Int
    let invalidPlans: Int
    /// The number of plans that ran twice; `nil` in reports of older versions.
    var repeatedPlans: Int?
    /// The number of the first plan whose two runs gave different traces; `nil` if there is none.
    var nondeterministicPlan: Int?
    /// The position of the first event that differs in the second run of `nondeterministicPlan`.
    ///
    /// `nil` if there is no such plan, and in reports of older versions.
    var nondeterministicEvent: Int?
    /// The number of plans that the system did not complete.
    ///
    /// `nil` in reports of older versions.
    var plansInTrouble: Int?
    /// The reason why the system did not complete the plan `troublePlan`.
    var trouble: String?
    /// The number of the first plan that the system did not complete; `nil` in reports of older versions.
    var troublePlan: Int?
    /// The number of plans in which the system purged.
    ///
    /// `nil` in reports of older versions.
    var plansWithPurge: Int?
    let steps: Int
    let seconds: Double
    let invariants: [Invariant]
    /// The number of plans that contained each condition; `nil` in reports of older versions.
    var conditions: [String: Int]?
    /// The number of power-offs; `nil` in reports of older versions, which also lack `faults`.
    var powerOffs: Int?
    /// The number of power-offs with `synchronous=FULL`; `nil` in reports of older versions.
    var powerOffsAtFull: Int?
    /// Whether `--conditions` names `power-off`; `nil` stands for `false`.
    ///
    /// If so, each kind of power-off must occur, in at least one plan, in each kind of command that
    /// ran. Otherwise the verdict is not `valid`.
    var needsPowerOffs: Bool?
    /// The kinds of commands that the plans ran, if ``needsPowerOffs`` is `true`; otherwise `nil`.
    var commands: [String]?
    var faults: [Fault]?
    /// The numbers of failed commands by kind and error code; `nil` in reports of older versions.
    var refusals: [Refusal]?
    var counterexamples: [Found]
  }
  static let title = "a check"
  static let versionField = "check"
  static let formatVersion = 1
  let check: Int
  let seed: String
  let like: String
  let verdict: String
  let because: String
  /// The path of the run's folder; `.` in `check.json`, which is inside that folder.
  let folder: String
  var systems: [System]

  init(_ report: CheckReport, for reader: RunReader) {
    check = Self.formatVersion
    seed = "0x" + String(report.seed, radix: 16)
    like = report.like
    verdict = report.verdict
    because = report.because
    folder = reader.folder(report.folder)
    systems = report.systems.map { Self.system($0, for: reader) }
  }

  private static func system(_ report: SystemReport, for reader: RunReader) -> System {
    System(
      system: report.system,
      plans: report.tally.planCount,
      invalidPlans: report.tally.invalidPlanCount,
      repeatedPlans: report.tally.repeatedPlanCount,
      nondeterministicPlan: report.tally.difference?.plan,
      nondeterministicEvent: report.tally.difference?.event,
      plansInTrouble: report.tally.runFailureCount,
      trouble: report.tally.runFailure?.because,
      troublePlan: report.tally.runFailure?.plan,
      plansWithPurge: report.tally.purgingPlanCount,
      steps: report.tally.stepCount,
      seconds: report.seconds,
      invariants: CheckerSuite.names(in: .all).map { name in
        let count = report.tally.counts[name] ?? CheckTally.Count()
        return Invariant(
          invariant: name,
          valid: count.valid,
          invalid: count.invalid,
          unknown: count.unknown
        )
      },
      conditions: Dictionary(
        uniqueKeysWithValues: report.tally.conditions.map { ($0.key.rawValue, $0.value) }
      ),
      powerOffs: report.tally.faults.powerOffCount,
      powerOffsAtFull: report.tally.faults.fullPowerOffCount,
      needsPowerOffs: report.needsPowerOffs ? true : nil,
      commands: report.needsPowerOffs ? report.tally.faults.words.sorted() : nil,
      faults: report.tally.faults.pairs.sorted { $0.key < $1.key }.map { pair, count in
        Fault(
          command: pair.command,
          kind: pair.kind.rawValue,
          planned: count.planned,
          fired: count.fired
        )
      },
      refusals: report.tally.refusals.pairs.sorted { $0.key < $1.key }.map { pair, count in
        Refusal(command: pair.command, code: pair.code.rawValue, count: count)
      },
      counterexamples: report.counterexamples.map { found($0, for: reader) }
    )
  }

  private static func found(_ report: CounterexampleReport, for reader: RunReader) -> Found {
    let plan = PlanCodec.encode(report.shrunk.counterexample.trace.header.plan)
    return Found(
      checker: report.violation.checker,
      because: report.violation.because,
      at: report.violation.at,
      transaction: report.violation.transaction,
      commands: report.commandCount,
      foundInPlan: report.shrunk.plan,
      foundCommands: report.shrunk.originalCommandCount,
      evaluations: report.shrunk.evaluations,
      minimal: report.shrunk.isMinimal,
      file: report.kept.path(for: reader),
      replay: report.kept.replay(for: reader),
      replayOfPlan: report.replayOfPlan.line(typing: reader.command),
      plan: plan.split(separator: "\n").map(String.init)
    )
  }
}
