/// The content of a report before rendering: verdicts, then the reasons, then the conditions.
package struct ReportPage: Sendable, Hashable {
  /// A name and a value, such as "SQLite: 3.40.1".
  package struct Fact: Sendable, Hashable {
    /// The name.
    package var name: String
    /// Its value.
    package var value: String

    /// Creates a fact.
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
  /// The conditions of the run: machine, versions and time.
  package var environment: [Fact]

  /// Creates a page.
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

  /// All charts of the page, for drawing them in one batch.
  package var charts: [Chart] {
    sections.flatMap(\.blocks).compactMap { block in
      guard case .figure(let figure) = block else { return nil }
      return figure.chart
    }
  }
}

/// One verdict in a box: its subject, the answer in large type, and a line of detail.
package struct VerdictTile: Sendable, Hashable {
  /// The subject of the verdict.
  package var subject: String
  /// The state of the verdict.
  package var state: VerdictState
  /// The word next to the sign, such as `holds` or `not measured`.
  package var word: String
  /// The answer: a ratio, a count or a name.
  package var answer: String
  /// The basis of the answer.
  package var detail: String
  /// The anchor of the section with details, or `nil` for none.
  package var anchor: String?

  /// Creates a tile; the default word is the state's own.
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
