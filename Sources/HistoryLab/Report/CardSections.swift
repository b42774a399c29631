import Basics
import Checkers
import Commands
import HistoryTypes
import Measuring
import Reporting
import Stressing

/// Safety cards as sections of a page: an overview of all systems, then one section per system.
///
/// A safety card shows the invariants that hold or break in one system under each condition.
struct CardSections {
  let cards: [RunCollection.Card]
  /// The folder that will contain the page.
  let pageFolder: String

  /// The sections of the page: an overview of all systems, then one section for each system.
  ///
  /// A section shows one of ``cards``. The array is empty if there are no cards.
  var sections: [PageSection] {
    cards.isEmpty ? [] : [overview] + cards.map(section)
  }

  // MARK: Side by side

  /// A table of conditions by systems, with a legend.
  private var overview: PageSection {
    // If the cards come from runs with different bounds, each card states its own bounds.
    let shared = Set(cards.map(\.bounds)).count == 1 ? cards.first?.bounds : nil
    let bounds = cards.map { ReportPage.Fact($0.card.system, $0.bounds) }
    let tables = CardsOverview(cards: cards.map(\.card)).tables { system, condition in
      condition.map { Self.anchor(system, $0) }
        ?? PageSection.anchor(from: Self.heading(system))
    }
    let invariants = CheckerSuite.sentences(in: .all).map {
      ReportPage.Fact($0.checker, $0.sentence)
    }
    return PageSection(
      "Which design is safe under which conditions",
      [
        .paragraph(
          (shared ?? "The systems were explored to different depths.")
            + " One condition at a time was added to the plans. Conditions were observed in real "
            + "stores, are documented, or are hypothetical. A cell leads to its details."
        )
      ] + tables.map(PageBlock.table) + [.definitions(CardsOverview.legend)]
        + (shared == nil ? [.paragraph("Explored plans per system:"), .definitions(bounds)] : [])
        + [.paragraph("The invariants:"), .definitions(invariants)]
    )
  }

  // MARK: One system

  private func section(_ one: RunCollection.Card) -> PageSection {
    let card = one.card
    var blocks: [PageBlock] = []
    if let use = card.statedUse { blocks.append(.paragraph("Stated use: \(use)")) }
    blocks += [
      .paragraph(one.bounds), .paragraph(card.because.capitalised), .table(matrix(card)),
    ]
    return PageSection(Self.heading(card.system), blocks + plans(card))
  }

  private func matrix(_ card: CardsDocument.Card) -> ReportTable {
    let invariants = card.cells.map(\.invariant).uniqued
    var table = ReportTable(
      caption: "Conditions by invariants; a number counts the commands of the shortest plan",
      columns: [.text("condition"), .text("known as")] + invariants.map { .text($0) }
    )
    for condition in card.conditions {
      let cells = card.cells.filter { $0.condition == condition.condition }
      let evidence =
        (condition.evidence ?? "") + (condition.outsideStatedUse == nil ? "" : ", outside")
      var row = ReportTable.Row(
        [condition.condition, evidence] + cells.map(\.word),
        anchor: Self.anchor(card.system, condition.condition)
      )
      for (column, cell) in zip(2..., cells) {
        row.cellMarks[column] = cell.state
        if cell.result == .breaks { row.cellLinks[column] = .place(Self.anchor(card.system, cell)) }
      }
      table.append(row)
    }
    return table
  }

  private static func heading(_ system: String) -> String { "Safety card: \(system)" }

  /// Returns the anchor of a condition's row in a system's matrix.
  private static func anchor(_ system: String, _ condition: String) -> String {
    PageSection.anchor(from: "card \(system) \(condition)")
  }

  /// Returns the anchor of the shortest plan that breaks an invariant.
  private static func anchor(_ system: String, _ cell: CardsDocument.Cell) -> String {
    PageSection.anchor(from: "\(system): \(cell.invariant) under \(cell.condition)")
  }

  /// Returns the shortest plan for each invariant that breaks under a condition.
  ///
  /// A note is added if the condition breaks the rules that the system's authors state for its use.
  private func plans(_ card: CardsDocument.Card) -> [PageBlock] {
    let broken = card.cells.filter { $0.result == .breaks }
    let sorted = broken.sorted { ($0.length ?? 0, $0.condition) < ($1.length ?? 0, $1.condition) }
    return sorted.flatMap { cell -> [PageBlock] in
      let outside = card.conditions.first { $0.condition == cell.condition }?.outsideStatedUse
      let note = outside.map { " Outside the stated use: \($0)." } ?? ""
      return [
        .subheading(
          "\(cell.invariant) under \(cell.condition), in \((cell.length ?? 0).counted("command"))",
          anchor: Self.anchor(card.system, cell)
        ),
        .paragraph((cell.because ?? "").capitalised + "." + note),
        .preformatted((cell.plan ?? []).joined(separator: "\n")),
      ] + picture(of: cell)
    }
  }

  /// Returns a link to the counterexample's page; empty if the page does not exist.
  private func picture(of cell: CardsDocument.Cell) -> [PageBlock] {
    guard let file = cell.file,
      let path = RelativePath.path(from: pageFolder, toPageOf: file)
    else { return [] }
    let text = "The picture of \(cell.invariant) under \(cell.condition), with its replay"
    return [.link(path: path, text: text)]
  }
}

extension RunCollection.Card {
  /// A sentence about the extent of the exploration and the conditions that were not fully explored.
  fileprivate var bounds: String {
    let plans = "Every plan of \(scopes.map(\.sentence).joinedWithAnd)"
    let cut = card.conditions.compactMap { row in
      cutShort(row).map { "\(row.condition) (\($0))" }
    }
    if cut.isEmpty { return "\(plans) was run." }
    return "\(plans) was to be run; not all were run under \(cut.joinedWithAnd)."
  }

  /// Returns the reason why the exploration of a condition did not run every plan.
  ///
  /// The reason is `nil` if every plan was run, or if the condition could not be explored at all.
  private func cutShort(_ row: CardsDocument.Row) -> String? {
    let cells = card.cells.filter { $0.condition == row.condition }
    let isOpen = cells.contains { $0.result == .unknown }
    let lacksPieces = row.explored.count < scopes.count && (isOpen || !row.explored.isEmpty)
    if lacksPieces { return "interrupted" }
    guard isOpen || row.explored.contains(where: { !$0.complete }) else { return nil }
    return cells.compactMap(\.budget).max().map { "more than \($0.grouped) states" }
      ?? "interrupted"
  }
}

extension CardsDocument.Cell {
  /// The result of one invariant under one condition in a word or two, such as `breaks 4`.
  ///
  /// The number is the length of the plan that breaks the invariant. `≤` marks a length for which a
  /// shorter plan may exist.
  var word: String { result.word(depth, isLeast: isLeast ?? true) }

  fileprivate var state: VerdictState? {
    switch result {
    case .holds: .good
    case .breaks: .bad
    case .unknown: .unknown
    case .notExercised: nil
    }
  }
}

/// The results of the stress run and the mutant run, as tiles and sections of a page.
struct TrialSections {
  let stress: StressDocument?
  let mutants: MutantDocument?

  /// A tile for the stress run and a tile for the mutant run, if each exists.
  var tiles: [VerdictTile] { [stressTile, mutantTile].compactMap { $0 } }

  /// A section for the stress run and a section for the mutant run, if each exists.
  var sections: [PageSection] { [stressSection, mutantSection].compactMap { $0 } }

  private var stressTile: VerdictTile? {
    stress.map { stress in
      let count = stress.result.participants.count
      return VerdictTile(
        subject: "Real processes on one store",
        state: Self.state(stress.verdict),
        answer: Int(stress.result.committed).counted("transaction"),
        detail: "\(max(count, stress.result.processes).counted("process", "processes")) for "
          + "\(Int(stress.result.seconds.rounded())) s, "
          + "\(stress.result.counts.kills.counted("kill")); history had "
          + "\(stress.result.heldMax.counted("transaction")) at most and "
          + "\(stress.result.heldAtEnd.grouped) at the "
          + "end.",
        anchor: "stress"
      )
    }
  }

  private var stressSection: PageSection? {
    guard let stress else { return nil }
    var table = ReportTable(
      caption: "What each process did",
      columns: [
        .text("process"), .number("launches"), .number("written"), .number("pages merged"),
        .number("transactions merged"), .number("purged"), .number("errors"), .prose("first error"),
      ]
    )
    for participant in stress.result.participants {
      let counts = [
        participant.lives, participant.written, participant.merges, participant.merged,
        participant.purged, participant.errors.values.reduce(0, +),
      ]
      table.append(
        ReportTable.Row(
          [participant.name] + counts.map(\.grouped) + [participant.firstError ?? ""],
          mark: stress.result.faultCount(of: participant) == 0 ? nil : .bad,
          anchor: PageSection.anchor(from: "process \(participant.name)")
        )
      )
    }
    return PageSection(
      "Real processes on one store",
      anchor: "stress",
      [
        .paragraph(stress.because.capitalised + " Seed \(stress.result.seed)."),
        stress.result.plainSQL.map { .paragraph($0.sentence.capitalised + ".") },
        .table(table),
      ].compactMap(\.self)
    )
  }

  private var mutantTile: VerdictTile? {
    mutants.map { mutants in
      let bugs = mutants.outcomes.filter { $0.equivalence == nil }.count
      return VerdictTile(
        subject: "Seeded bugs",
        state: Self.state(mutants.verdict),
        word: mutants.verdict == "valid" ? "found" : nil,
        answer: "\(mutants.killed) of \(bugs)",
        detail: "\(mutants.seeds.counted("seed")) each; "
          + "\(Int(mutants.leastShare * 100)) % reached the shortest known length.",
        anchor: "seeded-bugs"
      )
    }
  }

  private var mutantSection: PageSection? {
    guard let mutants else { return nil }
    var table = ReportTable(
      caption: "Each bug, and the plans and time that were needed to find it",
      columns: [
        .text("bug"), .text("outcome"), .number("killed"), .text("by"), .number("plans"),
        .number("shortest"), .number("least"),
      ]
    )
    for outcome in mutants.outcomes {
      let isWrong = outcome.outcome == "survived" || outcome.outcome == "not equivalent"
      let checkers = outcome.checkers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      table.append(
        ReportTable.Row(
          [
            outcome.mutant, outcome.outcome,
            outcome.seeds > 0 ? "\(outcome.killed)/\(outcome.seeds)" : "",
            checkers.first?.key ?? "", outcome.seeds > 0 ? outcome.casesMedian.short : "",
            outcome.killed > 0 ? outcome.commandsShortest.short : "",
            outcome.commandsLeast > 0 ? String(outcome.commandsLeast) : "",
          ],
          mark: isWrong ? .bad : nil,
          anchor: PageSection.anchor(from: "bug \(outcome.mutant)")
        )
      )
    }
    return PageSection(
      "Seeded bugs",
      anchor: "seeded-bugs",
      [.paragraph(mutants.because.capitalised), .table(table)]
    )
  }

  private static func state(_ verdict: String) -> VerdictState {
    switch verdict {
    case "valid": .good
    case "invalid": .bad
    default: .unknown
    }
  }
}
