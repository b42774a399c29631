import Reporting

/// Safety cards as sections of a page: all systems side by side, then each by itself.
struct CardSections {
  let cards: [RunCollection.Card]
  /// The folder in which the page will lie.
  let pageFolder: String

  /// The sections, or none without a card.
  var sections: [PageSection] {
    cards.isEmpty ? [] : [overview] + cards.map(section)
  }

  // MARK: Side by side

  /// One row a condition, one column a system.
  private var overview: PageSection {
    // Runs of several bounds may stand side by side: then each system is told with its own.
    let shared = Set(cards.map(\.bounds)).count == 1 ? cards.first?.bounds : nil
    let held = cards.map { one in
      let told =
        shared == nil ? "\(one.bounds) \(one.card.because.capitalizedFirst)" : one.card.because
      return "\(one.card.system): \(told)"
    }
    return PageSection(
      "Which design is safe under what",
      [
        .paragraph(
          (shared ?? "Not all systems were explored as far as each other.")
            + " One condition was put on at a time. A cell holds when no plan breaks an invariant that "
            + "it puts to the test; where one breaks, the number is that of the commands of the "
            + "shortest plan. Conditions were observed in real stores, are documented, or are "
            + "hypothetical."
        )
      ] + tables.map(PageBlock.table) + held.map(PageBlock.paragraph)
    )
  }

  /// The systems side by side, so many at a time as a table has columns.
  private var tables: [ReportTable] {
    let most = ReportTable.mostColumns - 2
    return stride(from: 0, to: cards.count, by: most).map { first in
      table(of: cards[first..<min(first + most, cards.count)].map(\.card))
    }
  }

  private func table(of some: [CardsDocument.Card]) -> ReportTable {
    var table = ReportTable(
      caption: "Systems by conditions",
      columns: [.text("condition"), .text("known as")] + some.map { .text($0.system) }
    )
    var names: [String] = []
    for row in some.flatMap(\.conditions) where !names.contains(row.condition) {
      names.append(row.condition)
    }
    for name in names {
      let found = some.map { $0.worst(under: name) }
      let standing = some.flatMap(\.conditions).first { $0.condition == name }?.standing
      let anchor = PageSection.anchor(from: "safe \(some.first?.system ?? "") \(name)")
      table.append(Self.row([name, standing ?? ""], found, anchor: anchor))
    }
    return table
  }

  private static func row(
    _ titles: [String],
    _ cells: [(word: String, state: VerdictState?)],
    anchor: String
  ) -> ReportTable.Row {
    var row = ReportTable.Row(titles + cells.map(\.word), anchor: anchor)
    for (place, cell) in cells.enumerated() { row.cellMarks[titles.count + place] = cell.state }
    return row
  }

  // MARK: One system

  private func section(_ one: RunCollection.Card) -> PageSection {
    let card = one.card
    var blocks: [PageBlock] = []
    if let use = card.statedUse { blocks.append(.paragraph("Stated use: \(use)")) }
    blocks += [
      .paragraph(one.bounds), .paragraph(card.because.capitalizedFirst), .table(matrix(card)),
    ]
    return PageSection("Safety card: \(card.system)", blocks + plans(card))
  }

  private func matrix(_ card: CardsDocument.Card) -> ReportTable {
    var invariants: [String] = []
    for cell in card.cells where !invariants.contains(cell.invariant) {
      invariants.append(cell.invariant)
    }
    var table = ReportTable(
      caption: "Conditions by invariants",
      columns: [.text("condition"), .text("known as")] + invariants.map { .text($0) }
    )
    for row in card.conditions {
      let cells = card.cells.filter { $0.condition == row.condition }
      let standing = (row.standing ?? "") + (row.outsideStatedUse == nil ? "" : ", outside")
      let anchor = PageSection.anchor(from: "card \(card.system) \(row.condition)")
      table.append(
        Self.row([row.condition, standing], cells.map { ($0.word, $0.state) }, anchor: anchor)
      )
    }
    return table
  }

  /// The shortest plan of each cell that breaks, with what the condition has to do with the stated use.
  private func plans(_ card: CardsDocument.Card) -> [PageBlock] {
    let broken = card.cells.filter { $0.result == .breaks }
    let sorted = broken.sorted { ($0.length ?? 0, $0.condition) < ($1.length ?? 0, $1.condition) }
    return sorted.flatMap { cell -> [PageBlock] in
      let outside = card.conditions.first { $0.condition == cell.condition }?.outsideStatedUse
      let note = outside.map { " Outside the stated use: \($0)." } ?? ""
      let title = "\(card.system): \(cell.invariant) under \(cell.condition)"
      return [
        .subheading(
          "\(cell.invariant) under \(cell.condition), in \(cell.length ?? 0)",
          anchor: PageSection.anchor(from: title)
        ),
        .paragraph((cell.because ?? "").capitalizedFirst + "." + note),
        .preformatted((cell.plan ?? []).joined(separator: "\n")),
      ] + picture(of: cell)
    }
  }

  /// The way to the counterexample's own page, when that is still there.
  private func picture(of cell: CardsDocument.Cell) -> [PageBlock] {
    guard let file = cell.file,
      let path = RelativePath.path(from: pageFolder, toPageOf: file)
    else { return [] }
    let text = "The picture of \(cell.invariant) under \(cell.condition), with its replay"
    return [.link(path: path, text: text)]
  }
}

extension RunCollection.Card {
  /// How far it was explored, and under what it was cut short, as a sentence.
  fileprivate var bounds: String {
    let plans = "Every plan of \(scopes.map(\.sentence).joinedWithAnd)"
    let cut = card.conditions.compactMap { row in
      cutShort(row).map { "\(row.condition) (\($0))" }
    }
    if cut.isEmpty { return "\(plans) was run." }
    return "\(plans) was to be run; it was cut short under \(cut.joinedWithAnd)."
  }

  /// Why not every plan was run under a condition; nothing where all were, and where none could be.
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

extension CardsDocument.Card {
  /// The worst of a condition's cells: the shortest break, else what is unknown, else what holds.
  fileprivate func worst(under condition: String) -> (word: String, state: VerdictState?) {
    let row = cells.filter { $0.condition == condition }
    let broken = row.filter { $0.result == .breaks }.min { $0.depth < $1.depth }
    if let broken {
      let isOutside = conditions.contains {
        $0.condition == condition && $0.outsideStatedUse != nil
      }
      return ("\(broken.invariant) \(broken.depth)" + (isOutside ? " (outside)" : ""), .bad)
    }
    let cell = row.first { $0.result == .unknown } ?? row.first { $0.result == .holds }
    return cell.map { ($0.word, $0.state) } ?? ("-", nil)
  }
}

extension CardsDocument.Cell {
  /// The cell in a word or two.
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
