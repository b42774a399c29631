import Basics
import Checkers
import Commands
import HistoryTypes
import Reporting
import Systems
import Traces
import Workloads

/// The result of `repair`: the minimal sets of changes with which no plan breaks a tracking design.
///
/// A design has one choice for each decision, such as where positions are stored. A change replaces
/// one choice. A plan breaks a design if the design violates an invariant in the plan. Each set has
/// its costs, and proofs that no proper subset suffices.
struct RepairReport: Sendable {
  /// A set of changes to the design, with which no plan that was run breaks it.
  struct Answer: Sendable {
    /// The changes, in the order of the decisions, each with the proof that it is needed.
    let changes: [Reason]
    /// Every proper subset of the changes, the smallest first, with proofs that none is a repair.
    let subsets: [Subset]
    let cost: RepairCost
    let purging: RepairPurging
    let coverage: RepairTrials.Coverage
    /// The contents of the changed design's file.
    let file: String

    var purges: Bool { purging != .never }
  }

  /// The reason why a set of changes does not repair the design.
  enum Proof: Sendable {
    /// The plan breaks the changed design, with this violation of an invariant.
    case breaks(Plan, Violation)
    /// The changed design never purges, although it must.
    case neverPurges
  }

  /// One change of a repair, with the proof that the other changes of the repair do not suffice.
  struct Reason: Sendable {
    let change: RepairChange
    let proof: Proof
    /// The contents of a design file: the design with all changes of the repair except ``change``.
    let file: String

    /// Returns the part that two file names share: that of a plan, and that of a design it breaks.
    ///
    /// The plan is that of ``proof``. The design has all changes of the set except ``change``.
    /// `number` is the number of the set, from 1. The result is `nil` if the proof has no plan.
    func stem(ofSet number: Int) -> String? {
      guard case .breaks = proof else { return nil }
      return "set-\(number)-without-\(change.decision)"
    }
  }

  /// Some of the changes of a repair, with the proof that they do not suffice.
  struct Subset: Sendable {
    /// The changes in the subset, as indices in ``Answer/changes``.
    let places: [Int]
    let proof: Proof
  }

  /// A plan that breaks the design even if the design is changed to match this project's tracker.
  ///
  /// In the changed design, all decisions that `repair` may change have the tracker's choices.
  struct Unrepaired: Sendable {
    let plan: Plan
    let violation: Violation
    /// The contents of a design file with the changed design, which ``plan`` breaks.
    ///
    /// In the changed design, all decisions that `repair` may change have the choices of this
    /// project's tracker.
    let file: String

    /// The common part of the names of the plan file and the design file.
    static let stem = "unrepaired"
  }

  let system: String
  let conditions: [Condition]
  let limits: RepairTrials.Limits
  /// The maximum number of changes in a set of ``answers`` and in ``purging``.
  let changeCountMax: Int
  /// Whether the repaired design must purge, because the unchanged design purges.
  let mustPurge: Bool
  /// The minimal sets of changes with which no plan breaks the design.
  ///
  /// With any proper subset of one of these sets, a plan breaks the design. Each set has at most
  /// `changeCountMax` changes.
  let answers: [Answer]
  /// A set of changes with which the design also purges, and no plan breaks it.
  ///
  /// The set is a superset of one of ``answers``, and has at most `changeCountMax` changes. `nil`
  /// if no such set was found or needed. None is needed if the design need not purge, or if it
  /// purges with one of ``answers`` that has no more changes than such a set.
  let purging: Answer?
  /// A repair with more than `changeCountMax` changes; `nil` if none was needed or found.
  ///
  /// With each proper subset of the changes, a plan breaks the design, or the design must purge and
  /// never does.
  let larger: Answer?
  let unrepaired: Unrepaired?
  let cost: RepairCost
  /// The number of sets of changes with which a plan still breaks the design.
  let rejectedCount: Int
  let verifiedCount: Int
  let planCount: Int
  let seconds: Double

  /// Whether no plan that was run breaks the unchanged design.
  ///
  /// The design may still need a repair, because it may never purge although it must.
  var isSafe: Bool { answers.first?.changes.isEmpty == true }

  /// Whether a set of changes was found that repairs the design.
  ///
  /// With a repair, no plan breaks the design, and the design purges if it must. ``larger`` counts
  /// only if ``answers`` is empty: then a plan breaks the design with every set of at most
  /// `changeCountMax` changes.
  var isRepaired: Bool {
    guard answers.isEmpty else {
      return purging != nil || answers.contains { isRepair($0) }
    }
    return larger != nil
  }

  private func isRepair(_ answer: Answer) -> Bool { !mustPurge || answer.purges }

  /// The verdict in a sentence or two.
  var sentence: String {
    let scope = "under \(conditions.map(\.rawValue).joinedWithAnd)"
    if let unrepaired {
      return "No change of decisions repairs \(system) \(scope): even with all decisions of the "
        + "tracker, \(unrepaired.violation.checker) still breaks."
    }
    guard let count = answers.first?.changes.count else {
      let none =
        "No set of up to \(changeCountMax.counted("change")) makes \(system) hold \(scope)"
      let does = mustPurge ? "does, and purges" : "does"
      return larger.map { "\(none); one with \($0.changes.count) \(does)." } ?? "\(none)."
    }
    if isSafe {
      return answers.allSatisfy(isRepair)
        ? "\(system) holds \(scope): nothing needs to change."
        : "\(system) holds \(scope), but never purges. \(purgeSentence)"
    }
    let sets = answers.count == 1 ? "set" : "sets"
    let holds =
      "\(answers.count.grouped) minimal \(sets) of changes, the "
      + "smallest with \(count.counted("change")), \(answers.count == 1 ? "makes" : "make") "
      + "\(system) hold \(scope)"
    let purgingCount = answers.count(where: isRepair)
    if purgingCount == answers.count { return holds + "." }
    if purgingCount > 0 { return "\(holds); it also purges with \(purgingCount.grouped) of them." }
    let them = answers.count == 1 ? "it" : "any of them"
    return "\(holds), but with \(them) the design never purges. \(purgeSentence)"
  }

  /// A sentence about the repair that also makes the design purge: ``purging``, ``larger`` or none.
  ///
  /// The sentence is needed if the design must purge, but purges with no set in ``answers``.
  private var purgeSentence: String {
    if let purging {
      return "The smallest set with which it holds and purges has "
        + "\(purging.changes.count.counted("change"))."
    }
    let none = "No set of up to \(changeCountMax.counted("change")) makes it hold and purge"
    return larger.map { "\(none); one with \($0.changes.count) does." } ?? "\(none)."
  }

  /// A sentence that states how many sets of changes were rejected and verified, and by which plans.
  var extent: String {
    "\(rejectedCount.counted("set")) of changes rejected by \(planCount.counted("plan")), "
      + "\(verifiedCount.counted("set")) verified: by all plans of \(limits.scope.sentence), one "
      + "condition at a time, and by \(limits.plans.counted("random plan")), seed \(limits.seed)."
  }

  /// Returns the heading of the changes that repair a design together.
  func heading(_ answer: Answer) -> String {
    answer.changes.map { "\($0.change.decision) = \($0.change.to)" }.joinedWithAnd
  }

  /// Returns a table of the changes that repair a design together.
  ///
  /// A row describes one change, and what the design does without it.
  func table(_ answer: Answer) -> ReportTable {
    var table = ReportTable(columns: [
      .text("decision"), .text("from"), .text("to"), .prose("the design then"),
      .prose("without it"),
    ])
    for reason in answer.changes {
      table.append([
        reason.change.decision, reason.change.from, reason.change.to, reason.change.sentence,
        sentence(reason.proof).printable,
      ])
    }
    return table
  }

  /// Returns a proof as text: a plan and the invariant that it breaks, or that no purge occurred.
  func sentence(_ proof: Proof) -> String {
    switch proof {
    case .breaks(let plan, let violation):
      "\(plan.words). \(violation.checker): \(violation.because.capitalised.fullStopped)"
    case .neverPurges: "The design \(neverPurged)."
    }
  }

  private var neverPurged: String {
    "never purged in \(limits.costPlans.counted("plan")): history only grows"
  }

  /// Returns a sentence that states why no proper subset of an answer's changes is a repair.
  func subsetSentence(_ answer: Answer) -> String {
    let plans = answer.subsets.compactMap(\.plan).uniqued.count
    let idle = answer.subsets.contains { $0.plan == nil } ? ["the design never purges"] : []
    let broken = plans > 0 ? ["one of \(plans.counted("plan")) breaks the design"] : []
    return
      "Minimal: with each of the \(answer.subsets.count.counted("proper subset")) of these changes, "
      + "\((broken + idle).joined(separator: ", or ")). Changes are numbered from 1."
  }

  /// Returns a table of the plans that break the design if only some of the changes are made.
  ///
  /// A row has a plan, an invariant, and proper subsets of the changes with which the plan breaks
  /// it. A subset is shown by the numbers of its changes. The last row, without a plan, has the
  /// subsets with which the design never purges, if there are any.
  func subsetTable(_ answer: Answer) -> ReportTable {
    var table = ReportTable(columns: [
      .prose("plan"), .text("breaks"), .prose("with these changes alone"),
    ])
    for plan in answer.subsets.compactMap(\.plan).uniqued {
      let broken = answer.subsets.filter { $0.plan == plan }
      for checker in broken.compactMap(\.invariant).uniqued {
        let sets = broken.filter { $0.invariant == checker }.map(\.numbers)
        table.append([plan.words.printable, checker, sets.joined(separator: ", ")])
      }
    }
    let idle = answer.subsets.filter { $0.plan == nil }.map(\.numbers)
    if !idle.isEmpty {
      table.append(["none", neverPurged, idle.joined(separator: ", ")])
    }
    return table
  }

  /// Returns a table of the costs of the design and of each repaired design, in the same plans.
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

  /// Returns sentences about what a set of changes does not achieve or prove; `nil` for none.
  ///
  /// They state that the changed design never purged, or that its exploration is incomplete.
  func gap(_ answer: Answer) -> String? {
    let growth = answer.purges ? nil : purges(answer)
    let sentences = [growth, unexplored(answer)].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// Returns a sentence that states whether the design purges once the answer's changes are made.
  func purges(_ answer: Answer) -> String {
    switch answer.purging {
    case .measured:
      "With these changes the design purges: \(answer.cost.purged.counted("transaction")) in "
        + "\(limits.costPlans.counted("plan"))."
    case .byAge(let days):
      "With these changes the design purges transactions older than \(days.short) days; none was in "
        + "\(limits.costPlans.counted("plan"))."
    case .never: "With these changes the design \(neverPurged)."
    }
  }

  /// Returns a sentence that names the conditions with incomplete exploration; `nil` for none.
  private func unexplored(_ answer: Answer) -> String? {
    guard !answer.coverage.incomplete.isEmpty else { return nil }
    let names = answer.coverage.incomplete.map(\.rawValue).joinedWithAnd
    return "Unknown beyond \(limits.stateCountMax.counted("state")): \(names)."
  }

  /// The sets of changes to print: those of ``answers``, then ``purging`` and ``larger``.
  ///
  /// The empty set is left out. It occurs in ``answers`` if no plan breaks the unchanged design.
  var shown: [Answer] {
    answers.filter { !$0.changes.isEmpty } + [purging, larger].compactMap(\.self)
  }

  /// The maximum number of sets of changes in one cost table, which has a column for each set.
  static let comparedCountMax = 8
}

extension RepairReport.Subset {
  /// The plan that breaks the design if only the changes of this subset are made.
  ///
  /// `nil` if no such plan is known. The subset then fails because the design never purges with
  /// it.
  var plan: Plan? {
    if case .breaks(let plan, _) = proof { plan } else { nil }
  }

  /// The invariant that ``plan`` breaks; `nil` if there is no plan.
  var invariant: String? {
    if case .breaks(_, let violation) = proof { violation.checker } else { nil }
  }

  /// The numbers of the changes, from 1, as text such as `1+3`; `none` without changes.
  fileprivate var numbers: String {
    places.isEmpty ? "none" : places.map { String($0 + 1) }.joined(separator: "+")
  }
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
    for (index, answer) in shown.enumerated() {
      parts += ["### \(system), set \(index + 1): \(heading(answer))", table(answer).markdown()]
      parts += [subsetSentence(answer), subsetTable(answer).markdown()]
      if answer.purges { parts.append(purges(answer)) }
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

  /// Returns the report as an HTML page without external resources.
  ///
  /// The page shows the replay commands of `files`.
  func page(_ files: RepairFiles) -> String {
    var sections = shown.enumerated().map { section($1, number: $0 + 1, files) }
    if let unrepaired {
      sections.append(
        PageSection(
          "The plan that breaks every change",
          [
            .paragraph(sentence(.breaks(unrepaired.plan, unrepaired.violation)).printable),
            .command(files.replay(Unrepaired.stem), purpose: "Replays the plan."),
          ]
        )
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

  private func section(_ answer: Answer, number: Int, _ files: RepairFiles) -> PageSection {
    let replays: [PageBlock] = answer.changes.compactMap { reason in
      reason.stem(ofSet: number).map { stem in
        .command(
          files.replay(stem),
          purpose: "Replays the plan on the design without the change of \(reason.change.decision)."
        )
      }
    }
    return PageSection(
      "Set \(number): \(heading(answer))",
      anchor: "set-\(number)",
      [.table(table(answer))] + replays
        + [.paragraph(subsetSentence(answer)), .table(subsetTable(answer))]
        + (answer.purges ? [.paragraph(purges(answer))] : [])
        + (gap(answer).map { [.paragraph($0)] } ?? []) + [.preformatted(answer.file)]
    )
  }
}

/// The files of a repair in its run's folder, and the commands that replay them.
///
/// Two files prove that a change is needed: a design with all other changes of the set, and a plan
/// that breaks this design. If no such plan is known, both files are missing. The change is then
/// needed because the design never purges without it.
struct RepairFiles {
  /// The path of the run's folder, as the output shows it.
  let folder: String
  let reader: RunReader

  /// The name of the file with the result as JSON.
  static let document = "repair.json"

  /// Writes the changed design of each set of changes, and the proof that each change is needed.
  ///
  /// The proof consists of two files: a design with all other changes of the set, and a plan that
  /// breaks this design. A change whose proof contains no plan has no files.
  /// ``RepairReport/unrepaired`` is also written.
  ///
  /// - Throws: a lab error when a file cannot be written.
  static func write(_ report: RepairReport, to folder: RunOutput) throws(LabError) {
    for (index, answer) in report.shown.enumerated() {
      try folder.write("design-set-\(index + 1).json", answer.file)
      for reason in answer.changes {
        guard let stem = reason.stem(ofSet: index + 1), case .breaks(let plan, _) = reason.proof
        else { continue }
        try write(plan, reason.file, stem, to: folder)
      }
    }
    guard let unrepaired = report.unrepaired else { return }
    try write(unrepaired.plan, unrepaired.file, RepairReport.Unrepaired.stem, to: folder)
  }

  private static func write(
    _ plan: Plan,
    _ design: String,
    _ stem: String,
    to folder: RunOutput
  ) throws(LabError) {
    try folder.write(planFile(stem), PlanCodec.encode(plan))
    try folder.write(designFile(stem), design)
  }

  private static func planFile(_ stem: String) -> String { "plan-\(stem).jsonl" }
  private static func designFile(_ stem: String) -> String { "design-\(stem).json" }

  /// Returns the path of a plan file, as shown to ``reader``.
  ///
  /// It is only the file's name if ``reader`` is in the run's folder. `stem` is the file's name
  /// without `plan-` and `.jsonl`.
  func plan(_ stem: String) -> String { path(Self.planFile(stem)) }

  /// Returns the command that replays the plan file on the design file with the same `stem`.
  func replay(_ stem: String) -> String {
    ReplayOptions(source: .file(plan(stem)), system: path(Self.designFile(stem)))
      .line(typing: reader.command)
  }

  private func path(_ file: String) -> String {
    switch reader {
    case .folder: file
    case .here: "\(folder)/\(file)"
    }
  }
}

/// The result of a repair as JSON, in the format of `repair --json`.
struct RepairDocument: Encodable {
  struct Change: Encodable {
    let decision: String
    let from: String
    let to: String
    let sentence: String
    /// A plan, as in plan files, that breaks the design with all other changes of the set.
    ///
    /// `plan`, `commands`, `invariant`, `file` and `replay` are `nil` if no such plan is known. The
    /// change is then needed because the design never purges without it.
    let plan: String?
    let commands: [String]?
    let invariant: String?
    /// The path of the file with ``plan``; only the file's name in `repair.json`.
    let file: String?
    /// The command that replays ``plan`` on the design with all other changes of the set.
    ///
    /// The plan breaks this design, which proves that the change is needed.
    let replay: String?
    let because: String
  }
  struct Subset: Encodable {
    /// The names of the design's decisions whose changes are in the subset.
    let decisions: [String]
    /// A plan that breaks the design if only the changes of ``decisions`` are made.
    ///
    /// `nil` if no such plan is known. The subset then fails because with it, the design never
    /// purges.
    let plan: String?
    let invariant: String?
  }
  struct Answer: Encodable {
    let changes: [Change]
    /// Every proper subset of the changes, each with the proof that the subset is no repair.
    let subsets: [Subset]
    /// Whether the design purges once ``changes`` are made.
    let purges: Bool
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
  /// Whether a set of changes was found that repairs the design.
  ///
  /// ``larger`` counts only if ``sets`` is empty: then a plan breaks the design with every set of at
  /// most ``changesMax`` changes.
  let isRepaired: Bool
  /// Whether the repaired design must purge, because the unchanged design purges.
  let mustPurge: Bool
  let actors: Int
  let depth: Int
  let randomPlans: Int
  let seed: String
  let changesMax: Int
  let sets: [Answer]
  /// A set of changes with which the design also purges, and no plan breaks it.
  ///
  /// The set is a superset of one of ``sets``. `nil` if no such set was found or needed. None is
  /// needed if the design need not purge, or if it purges with one of ``sets`` that has no more
  /// changes than such a set.
  let purging: Answer?
  let larger: Answer?
  let cost: [String: Int]
  let rejected: Int
  let verified: Int
  let plans: Int
  let seconds: Double
  /// The path of the run's folder; `.` in `repair.json`, which is inside that folder.
  let folder: String

  init(_ report: RepairReport, _ files: RepairFiles) {
    system = report.system
    conditions = report.conditions.map(\.rawValue)
    verdict = report.sentence
    isRepaired = report.isRepaired
    mustPurge = report.mustPurge
    actors = report.limits.scope.actors
    depth = report.limits.scope.depth
    randomPlans = report.limits.plans
    seed = String(report.limits.seed)
    changesMax = report.changeCountMax
    sets = report.answers.enumerated().map { Self.answer($1, $0 + 1, report, files) }
    // A safe design has one minimal set, the one without changes, which has no number in file names.
    let next = report.isSafe ? 1 : report.answers.count + 1
    purging = report.purging.map { Self.answer($0, next, report, files) }
    larger = report.larger.map { Self.answer($0, report.shown.count, report, files) }
    cost = Self.counts(report.cost)
    rejected = report.rejectedCount
    verified = report.verifiedCount
    plans = report.planCount
    seconds = report.seconds
    folder = files.reader.folder(files.folder)
  }

  private static func answer(
    _ answer: RepairReport.Answer,
    _ number: Int,
    _ report: RepairReport,
    _ files: RepairFiles
  ) -> Answer {
    Answer(
      changes: answer.changes.map { change($0, $0.stem(ofSet: number), report, files) },
      subsets: answer.subsets.map { subset in
        Subset(
          decisions: subset.places.map { answer.changes[$0].change.decision },
          plan: subset.plan.map { PlanCodec.encode($0) },
          invariant: subset.invariant
        )
      },
      purges: answer.purges,
      cost: counts(answer.cost),
      plans: answer.coverage.planCount,
      states: answer.coverage.stateCount,
      unknown: answer.coverage.incomplete.map(\.rawValue),
      design: answer.file
    )
  }

  private static func change(
    _ reason: RepairReport.Reason,
    _ stem: String?,
    _ report: RepairReport,
    _ files: RepairFiles
  ) -> Change {
    var (plan, violation): (Plan?, Violation?) = (nil, nil)
    if case .breaks(let breaking, let broken) = reason.proof {
      (plan, violation) = (breaking, broken)
    }
    return Change(
      decision: reason.change.decision,
      from: reason.change.from,
      to: reason.change.to,
      sentence: reason.change.sentence,
      plan: plan.map { PlanCodec.encode($0) },
      commands: plan?.commands.map(\.phrase),
      invariant: violation?.checker,
      file: stem.map(files.plan),
      replay: stem.map(files.replay),
      because: violation?.because ?? report.sentence(.neverPurges)
    )
  }

  private static func counts(_ cost: RepairCost) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: cost.rows.map { ($0.name, $0.count) })
  }
}
