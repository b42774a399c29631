/// What a report says, before it is drawn: verdicts first, then the reasons, then the conditions.
package struct ReportPage: Sendable, Hashable {
  /// A name and a value, as in "SQLite: 3.40.1".
  package struct Fact: Sendable, Hashable {
    /// What it is.
    package var name: String
    /// Its value.
    package var value: String

    /// Makes a fact.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The title.
  package var title: String
  /// One or two sentences below the title.
  package var lead: String
  /// The verdicts.
  package var tiles: [VerdictTile]
  /// The sections.
  package var sections: [PageSection]
  /// Where, with what and when it was made.
  package var environment: [Fact]

  /// Makes a page.
  package init(
    title: String,
    lead: String,
    tiles: [VerdictTile] = [],
    sections: [PageSection] = [],
    environment: [Fact] = []
  ) {
    self.title = title
    self.lead = lead
    self.tiles = tiles
    self.sections = sections
    self.environment = environment
  }

  /// Every chart of the page, to be drawn in one go.
  package var charts: [Chart] {
    sections.flatMap(\.blocks).compactMap { block in
      guard case .figure(let figure) = block else { return nil }
      return figure.chart
    }
  }
}

/// One verdict in a box: what about, the answer in large, and a line on it.
package struct VerdictTile: Sendable, Hashable {
  /// What it is about.
  package var subject: String
  /// How it turned out.
  package var state: VerdictState
  /// The word beside the sign: `holds`, `not measured`.
  package var word: String
  /// The answer itself: a ratio, a count, a name.
  package var answer: String
  /// What the answer rests on.
  package var detail: String
  /// The section that tells more; nil for none.
  package var anchor: String?

  /// Makes a tile; without a word the state's own is shown.
  package init(
    subject: String,
    state: VerdictState,
    word: String? = nil,
    answer: String,
    detail: String,
    anchor: String? = nil
  ) {
    self.subject = subject
    self.state = state
    self.word = word ?? state.word
    self.answer = answer
    self.detail = detail
    self.anchor = anchor
  }
}
