import Basics
import Checkers
import Commands
import HistoryTypes
import Reporting
import Systems
import Traces
import Workloads

/// The answer of a repair: the minimal sets of changes, each with its proofs and its costs.
struct RepairReport: Sendable {
  /// A minimal set of changes.
  struct Answer: Sendable {
    /// The changes, in the order of the decisions, each with the plan that it is there for.
    let changes: [Reason]
    let cost: RepairCost
    let coverage: RepairTrials.Coverage
    /// The changed design as a file.
    let file: String
  }

  /// A change, and the violation of the design with all other changes of its set.
  struct Reason: Sendable {
    let change: RepairChange
    let plan: Plan
    let violation: Violation
    /// The sentence about the plan and what comes of it.
    var sentence: String {
      "\(plan.words). \(violation.checker): \(violation.because.capitalised.fullStopped)"
    }
  }

  let system: String
  let conditions: [Condition]
  let limits: RepairTrials.Limits
  /// The most changes of a set that was searched for.
  let changeCountMax: Int
  /// The minimal sets with at most that many changes.
  let answers: [Answer]
  /// A minimal set with more changes, if none has at most that many.
  let larger: Answer?
  /// The plan that breaks the design even with every decision made as the tracker makes it.
  let unrepaired: (plan: Plan, violation: Violation)?
  let cost: RepairCost
  /// The number of sets that plans rejected, of those that were verified, and of the plans.
  let rejectedCount: Int
  let verifiedCount: Int
  let planCount: Int
  let seconds: Double

  /// Whether the design holds as it is.
  var isSafe: Bool { answers.first?.changes.isEmpty == true }

  /// The verdict in a sentence.
  var sentence: String {
    let scope = "under \(conditions.map(\.rawValue).joinedWithAnd)"
    if isSafe { return "\(system) holds \(scope): nothing needs to change." }
    if let unrepaired {
      return "No change of the decisions repairs \(system) \(scope): with all of them made as the "
        + "tracker makes them, \(unrepaired.violation.checker) still breaks."
    }
    if let count = answers.first?.changes.count {
      let sets = answers.count == 1 ? "set" : "sets"
      return "\(answers.count.grouped) minimal \(sets) of changes, the "
        + "smallest with \(count.counted("change")), \(answers.count == 1 ? "makes" : "make") "
        + "\(system) hold \(scope)."
    }
    let none = "No set of up to \(changeCountMax.counted("change")) makes \(system) hold \(scope)"
    return larger.map { "\(none); one with \($0.changes.count) does." } ?? "\(none)."
  }

  /// The extent of the proofs in a sentence.
  var extent: String {
    "\(rejectedCount.counted("set")) of changes rejected by \(planCount.counted("plan")), "
      + "\(verifiedCount.counted("set")) verified: by all plans of \(limits.scope.sentence), one "
      + "condition at a time, and by \(limits.plans.counted("random plan")), seed \(limits.seed)."
  }

  /// The heading of an answer.
  func heading(_ answer: Answer) -> String {
    answer.changes.map { "\($0.change.decision) = \($0.change.to)" }.joinedWithAnd
  }

  /// The changes of an answer with their sentences and proofs.
  func table(_ answer: Answer) -> ReportTable {
    var table = ReportTable(columns: [
      .text("decision"), .text("from"), .text("to"), .prose("the design then"),
      .prose("without it"),
    ])
    for reason in answer.changes {
      table.append([
        reason.change.decision, reason.change.from, reason.change.to, reason.change.sentence,
        reason.sentence.printable,
      ])
    }
    return table
  }

  /// The counts of the design and of its repairs in the same plans.
  func costTable(_ answers: [Answer]) -> ReportTable {
    var table = ReportTable(
      columns: [.text("in \(limits.costPlans.counted("plan"))"), .number(system)]
        + answers.indices.map { .number("set \($0 + 1)") }
    )
    for (row, own) in cost.rows.enumerated() {
      table.append(
        [own.name, own.count.grouped] + answers.map { $0.cost.rows[row].count.grouped }
      )
    }
    return table
  }

  /// Returns what was not explored to the depth, as a sentence, or `nil`.
  func gap(_ answer: Answer) -> String? {
    guard !answer.coverage.incomplete.isEmpty else { return nil }
    let names = answer.coverage.incomplete.map(\.rawValue).joinedWithAnd
    return "Unknown beyond \(limits.stateCountMax.counted("state")): \(names)."
  }

  /// The answers to print: the minimal sets, or the larger one.
  var shown: [Answer] { answers + (larger.map { [$0] } ?? []) }

  /// The maximum number of answers beside each other in the table of costs.
  static let comparedCountMax = 8
}

extension RepairReport {
  /// The report as Markdown under headings of the third level.
  var markdown: String {
    var parts = [sentence.capitalised, extent]
    if let unrepaired {
      parts.append(
        "\(unrepaired.plan.words). \(unrepaired.violation.because.capitalised.fullStopped)"
      )
    }
    guard !isSafe else { return parts.paragraphs }
    for (index, answer) in shown.enumerated() {
      parts += ["### \(system), set \(index + 1): \(heading(answer))", table(answer).markdown()]
      if let gap = gap(answer) { parts.append(gap) }
    }
    if !shown.isEmpty {
      parts += [
        "### \(system), costs",
        costTable(Array(shown.prefix(Self.comparedCountMax))).markdown(),
      ]
    }
    return parts.paragraphs
  }

  /// The report as a page that needs no network.
  var page: String {
    var sections = shown.enumerated().map { index, answer in
      PageSection(
        "Set \(index + 1): \(heading(answer))",
        anchor: "set-\(index + 1)",
        [.table(table(answer))] + (gap(answer).map { [.paragraph($0)] } ?? [])
          + [.preformatted(answer.file)]
      )
    }
    if !shown.isEmpty {
      let table = costTable(Array(shown.prefix(Self.comparedCountMax)))
      sections.append(PageSection("Costs", [.table(table)]))
    }
    return ReportPage(
      title: "What it would take to make \(system) safe".printable,
      lead: "\(sentence.capitalised) \(extent)".printable,
      sections: sections
    ).html(images: .missing(because: ""))
  }
}

/// The answer of a repair as JSON, in the format of `repair --json`.
struct RepairDocument: Encodable {
  struct Change: Encodable {
    let decision: String
    let from: String
    let to: String
    let sentence: String
    /// The plan that breaks the design with all other changes of the set, as a plan file.
    let plan: String
    let commands: [String]
    let invariant: String
    let because: String
  }
  struct Answer: Encodable {
    let changes: [Change]
    let cost: [String: Int]
    let plans: Double
    let states: Int
    let unknown: [String]
    let design: String
  }
  let repair = 1
  let system: String
  let conditions: [String]
  let verdict: String
  let actors: Int
  let depth: Int
  let randomPlans: Int
  let seed: String
  let changesMax: Int
  let sets: [Answer]
  let larger: Answer?
  let cost: [String: Int]
  let rejected: Int
  let verified: Int
  let plans: Int
  let seconds: Double

  init(_ report: RepairReport) {
    system = report.system
    conditions = report.conditions.map(\.rawValue)
    verdict = report.sentence
    actors = report.limits.scope.actors
    depth = report.limits.scope.depth
    randomPlans = report.limits.plans
    seed = String(report.limits.seed)
    changesMax = report.changeCountMax
    sets = report.answers.map(Self.answer)
    larger = report.larger.map(Self.answer)
    cost = Self.counts(report.cost)
    rejected = report.rejectedCount
    verified = report.verifiedCount
    plans = report.planCount
    seconds = report.seconds
  }

  private static func answer(_ answer: RepairReport.Answer) -> Answer {
    Answer(
      changes: answer.changes.map { reason in
        Change(
          decision: reason.change.decision,
          from: reason.change.from,
          to: reason.change.to,
          sentence: reason.change.sentence,
          plan: PlanCodec.encode(reason.plan),
          commands: reason.plan.commands.map(\.phrase),
          invariant: reason.violation.checker,
          because: reason.violation.because
        )
      },
      cost: counts(answer.cost),
      plans: answer.coverage.planCount,
      states: answer.coverage.stateCount,
      unknown: answer.coverage.incomplete.map(\.rawValue),
      design: answer.file
    )
  }

  private static func counts(_ cost: RepairCost) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: cost.rows.map { ($0.name, $0.count) })
  }
}
