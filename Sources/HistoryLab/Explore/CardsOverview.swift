import Basics
import Checkers
import Measuring
import Reporting

/// An overview of explored systems: a phrase, such as "2 broken", for each system and condition.
///
/// The phrases summarize the systems' safety cards. A safety card is the table of one system: its
/// invariants by conditions.
struct CardsOverview {
  let cards: [CardsDocument.Card]

  /// The meaning of the phrases in the overview.
  static let legend: [ReportPage.Fact] = [
    .init("holds", "Every invariant that a plan exercised holds."),
    .init("2 broken", "The number of broken invariants, of \(invariantCount)."),
    .init("2 broken*", "The same, under a condition outside the authors' stated use."),
    .init("unknown", "Some plans were not run, and no plan that ran broke an invariant."),
    .init("-", "Not exercised by any plan, or the system does not support the condition."),
  ]

  private static let invariantCount = CheckerSuite.names(in: .all).count

  /// Returns tables with one row for each condition and one column for each system.
  ///
  /// The systems are split over several tables if there are more than the maximum number of columns.
  /// `place` returns the link anchor of a system's safety card (the table of its results), or of
  /// the card's section about a condition.
  func tables(
    place: (_ system: String, _ condition: String?) -> String
  ) -> [ReportTable] {
    let most = ReportTable.mostColumns - 2
    return stride(from: 0, to: cards.count, by: most).map { first in
      table(of: cards[first..<min(first + most, cards.count)], place: place)
    }
  }

  private func table(
    of some: ArraySlice<CardsDocument.Card>,
    place: (_ system: String, _ condition: String?) -> String
  ) -> ReportTable {
    var table = ReportTable(
      caption: "Systems by conditions",
      columns: [.text("condition"), .text("known as")]
        + some.map { .text($0.system, link: .place(place($0.system, nil))) }
    )
    for condition in some.flatMap(\.conditions).map(\.condition).uniqued {
      let found = some.map { Cell($0, under: condition) }
      let evidence = some.flatMap(\.conditions).first { $0.condition == condition }?.evidence
      var row = ReportTable.Row(
        [condition, evidence ?? ""] + found.map(\.word),
        anchor: PageSection.anchor(from: "safe \(some.first?.system ?? "") \(condition)")
      )
      for (column, (card, cell)) in zip(2..., zip(some, found)) {
        row.cellMarks[column] = cell.state
        if cell.state != nil {
          row.cellLinks[column] = .place(place(card.system, cell.brokenCount > 0 ? condition : nil))
        }
      }
      table.append(row)
    }
    return table
  }

  /// The results of one system under one condition.
  private struct Cell {
    let brokenCount: Int
    let word: String
    let state: VerdictState?

    init(_ card: CardsDocument.Card, under condition: String) {
      let results = card.cells.filter { $0.condition == condition }.map(\.result)
      let isOutside = card.conditions.contains {
        $0.condition == condition && $0.outsideStatedUse != nil
      }
      brokenCount = results.count { $0 == .breaks }
      if brokenCount > 0 {
        (word, state) = ("\(brokenCount) broken" + (isOutside ? "*" : ""), .bad)
      } else if results.contains(.unknown) {
        (word, state) = ("unknown", .unknown)
      } else if results.contains(.holds) {
        (word, state) = ("holds", .good)
      } else {
        (word, state) = ("-", nil)
      }
    }
  }
}

// MARK: Markdown

extension CardsOverview {
  /// Returns the overview as Markdown.
  ///
  /// Each cell links to a heading in the output of ``ExploreText/markdown(legend:)``.
  func markdown(scopes: [ExploreScope]) -> String {
    let tables = tables { system, condition in
      Self.slug(ExploreText.heading(system, condition))
    }
    let invariants = CheckerSuite.sentences(in: .all).map {
      "- \($0.checker): \($0.sentence)"
    }
    let legend = Self.legend.map { "- \($0.name): \($0.value)" }
    let beginning = [
      "## All systems",
      "One condition at a time was added to the plans. A cell leads to its details.",
    ]
    let end = [
      legend.joined(separator: "\n"), "The invariants:", invariants.joined(separator: "\n"),
      "Below is a card for each system: invariants by conditions. " + ExploreText.legend(scopes),
    ]
    return (beginning + tables.map { $0.markdown(isLinked: true) } + end).paragraphs
  }

  /// Returns the anchor that GitHub and GitLab generate for a heading.
  ///
  /// For example, `kit-1.0 under ties` becomes `kit-10-under-ties`.
  private static func slug(_ heading: String) -> String {
    String(
      heading.lowercased().compactMap { letter -> Character? in
        if letter == " " { return "-" }
        return letter.isLetter || letter.isNumber || letter == "-" || letter == "_" ? letter : nil
      }
    )
  }
}
