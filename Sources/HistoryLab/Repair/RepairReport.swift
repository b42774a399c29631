import Basics
import Checkers
import Commands
import HistoryTypes
import Reporting
import Systems
import Traces
import Workloads

/// The result of `repair`: the minimal sets of changes, each with the plans that prove it minimal,
/// and its costs.
struct RepairReport: Sendable {
  /// A minimal set of changes after which no plan that was run breaks the design.
  struct Answer: Sendable {
    /// The changes, in the order of the decisions, each with a plan that breaks the design without
    /// that change.
    let changes: [Reason]
    /// Every proper subset of the changes, the smallest first, each with a plan that breaks the
    /// design with only these changes.
    let subsets: [Subset]
    let cost: RepairCost
    let coverage: RepairTrials.Coverage
    /// The text of the changed design's file.
    let file: String
  }

  /// A change of a set, with a plan that breaks the design if only this change is left out.
  struct Reason: Sendable {
    let change: RepairChange
    let plan: Plan
    let violation: Violation
    /// A sentence about the plan and the invariant that the plan breaks.
    var sentence: String {
      "\(plan.words). \(violation.checker): \(violation.because.capitalised.fullStopped)"
    }
  }

  /// A proper subset of a minimal set, with a plan that breaks the design with only the subset's changes.
  struct Subset: Sendable {
    /// The positions of the subset's changes in the set.
    let places: [Int]
    let plan: Plan
    let violation: Violation
  }

  let system: String
  let conditions: [Condition]
  let limits: RepairTrials.Limits
  /// The maximum number of changes of the sets that were searched.
  let changeCountMax: Int
  /// The minimal sets with at most `changeCountMax` changes.
  let answers: [Answer]
  /// A minimal set with more than `changeCountMax` changes; `nil` if a smaller one was found.
  let larger: Answer?
  /// A plan that breaks the design even with all decisions of this project's tracker.
  let unrepaired: (plan: Plan, violation: Violation)?
  let cost: RepairCost
  /// The number of sets of changes with which a plan still breaks the design.
  let rejectedCount: Int
  let verifiedCount: Int
  let planCount: Int
  let seconds: Double

  /// Whether no plan breaks the design without changes.
  var isSafe: Bool { answers.first?.changes.isEmpty == true }

  /// The verdict in a sentence.
  var sentence: String {
    let scope = "under \(conditions.map(\.rawValue).joinedWithAnd)"
    if isSafe { return "\(system) holds \(scope): nothing needs to change." }
    if let unrepaired {
      return "No change of decisions repairs \(system) \(scope): even with all decisions of the "
        + "tracker, \(unrepaired.violation.checker) still breaks."
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

  /// A sentence that states how many sets of changes were rejected and verified, and by which plans.
  var extent: String {
    "\(rejectedCount.counted("set")) of changes rejected by \(planCount.counted("plan")), "
      + "\(verifiedCount.counted("set")) verified: by all plans of \(limits.scope.sentence), one "
      + "condition at a time, and by \(limits.plans.counted("random plan")), seed \(limits.seed)."
  }

  /// The heading of a set of changes.
  func heading(_ answer: Answer) -> String {
    answer.changes.map { "\($0.change.decision) = \($0.change.to)" }.joinedWithAnd
  }

  /// The changes of a set, with their sentences and proofs.
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

  /// A sentence about the proper subsets of a set, each of which a plan has broken.
  func subsetSentence(_ answer: Answer) -> String {
    let plans = answer.subsets.map(\.plan).uniqued.count
    return
      "Minimal: with each of the \(answer.subsets.count.counted("proper subset")) of these changes, "
      + "one of \(plans.counted("plan")) breaks the design. Changes are numbered from 1."
  }

  /// A table of the plans that break proper subsets, with the changes of each subset by number.
  func subsetTable(_ answer: Answer) -> ReportTable {
    var table = ReportTable(columns: [
      .prose("plan"), .text("breaks"), .prose("with these changes alone"),
    ])
    for plan in answer.subsets.map(\.plan).uniqued {
      let broken = answer.subsets.filter { $0.plan == plan }
      for checker in broken.map(\.violation.checker).uniqued {
        let sets = broken.filter { $0.violation.checker == checker }.map { subset in
          subset.places.isEmpty
            ? "none" : subset.places.map { String($0 + 1) }.joined(separator: "+")
        }
        table.append([plan.words.printable, checker, sets.joined(separator: ", ")])
      }
    }
    return table
  }

  /// A table of the costs of the design and of each repaired design, counted in the same plans.
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

  /// Returns sentences that restrict an answer's claim, or `nil` if there are none.
  ///
  /// They state that the design never purged, or that its exploration is incomplete.
  func gap(_ answer: Answer) -> String? {
    let sentences = [growth(answer), unexplored(answer)].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  private func growth(_ answer: Answer) -> String? {
    guard answer.cost.purged == 0 else { return nil }
    return
      "With these changes the design never purged in \(limits.costPlans.counted("plan")): history only grows."
  }

  /// A sentence that names the conditions with incomplete exploration; `nil` if there are none.
  private func unexplored(_ answer: Answer) -> String? {
    guard !answer.coverage.incomplete.isEmpty else { return nil }
    let names = answer.coverage.incomplete.map(\.rawValue).joinedWithAnd
    return "Unknown beyond \(limits.stateCountMax.counted("state")): \(names)."
  }

  /// The sets to print: all of ``answers``, followed by the set in ``larger`` if it is not `nil`.
  var shown: [Answer] { answers + (larger.map { [$0] } ?? []) }

  /// The maximum number of sets in one table of costs, one column each.
  static let comparedCountMax = 8
}

extension RepairReport {
  /// The report as Markdown with third-level headings.
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
      parts += [subsetSentence(answer), subsetTable(answer).markdown()]
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

  /// The report as an HTML page without external resources.
  var page: String {
    var sections = shown.enumerated().map { index, answer in
      PageSection(
        "Set \(index + 1): \(heading(answer))",
        anchor: "set-\(index + 1)",
        [
          .table(table(answer)), .paragraph(subsetSentence(answer)),
          .table(subsetTable(answer)),
        ] + (gap(answer).map { [.paragraph($0)] } ?? []) + [.preformatted(answer.file)]
      )
    }
    if !shown.isEmpty {
      let table = costTable(Array(shown.prefix(Self.comparedCountMax)))
      sections.append(PageSection("Costs", [.table(table)]))
    }
    return ReportPage(
      title: "The changes that make \(system) safe".printable,
      lead: "\(sentence.capitalised) \(extent)".printable,
      sections: sections
    ).html(images: .missing(because: ""))
  }
}

/// The result of a repair as JSON, in the format of `repair --json`.
struct RepairDocument: Encodable {
  struct Change: Encodable {
    let decision: String
    let from: String
    let to: String
    let sentence: String
    /// A plan that breaks the design without this change, in the format of plan files.
    let plan: String
    let commands: [String]
    let invariant: String
    let because: String
  }
  struct Subset: Encodable {
    /// The names of the decisions that are changed.
    let decisions: [String]
    let plan: String
    let invariant: String
  }
  struct Answer: Encodable {
    let changes: [Change]
    /// Every proper subset of the changes, each with a plan that breaks the design with only the
    /// subset.
    let subsets: [Subset]
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
      subsets: answer.subsets.map { subset in
        Subset(
          decisions: subset.places.map { answer.changes[$0].change.decision },
          plan: PlanCodec.encode(subset.plan),
          invariant: subset.violation.checker
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
