/// The content of a report before rendering: verdicts, sections with details, and the run's conditions.
package struct ReportPage: Sendable, Hashable {
  /// A name and a value, such as "SQLite: 3.40.1".
  package struct Fact: Sendable, Hashable {
    /// The name of the fact or term, such as `SQLite`.
    package var name: String
    /// The value of the fact, such as the version `3.40.1`, or the explanation of the term.
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The title, which is also the heading of the page.
  package var title: String
  /// One or two sentences below the title.
  package var lead: String
  /// The verdicts, each in a box below ``lead``.
  package var tiles: [VerdictTile]
  /// The sections, in the order of the page.
  package var sections: [PageSection]
  /// The conditions of the run: machine, versions and time.
  package var environment: [Fact]
  /// The time after which a browser loads the page again, in seconds; `nil`, the default, for never.
  package var refreshSeconds: Int?

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
  /// The subject of the verdict, such as `Noise floor`.
  package var subject: String
  /// The state of the verdict, which determines the sign (such as a tick) and the colour.
  package var state: VerdictState
  /// The word next to the tick or other sign of the state, such as `holds` or `not measured`.
  package var word: String
  /// The result in large type, such as a ratio, a count or a few words.
  package var answer: String
  /// The explanation of ``answer``, in a line below it.
  package var detail: String
  /// The anchor of the section with details; `nil` if there is none.
  package var anchor: String?

  /// Creates the box of a verdict; by default, `word` is the word of `state`, such as `holds`.
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

extension ReportPage {
  /// Returns the page as one HTML file that needs no network.
  ///
  /// Scripts only show tooltips, put the anchor of a clicked table row into the address bar, and
  /// switch between the states of a ``StateWalk``. The page's content security policy forbids all
  /// external resources.
  package func html(images: ChartImages) -> String {
    let head = HTML.element(
      "head",
      [:],
      [
        .own("<meta charset=\"utf-8\">"),
        .own("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"),
        .own("<meta name=\"color-scheme\" content=\"light dark\">"),
        .own(
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            + "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">"
        ),
        .own(refreshSeconds.map { "<meta http-equiv=\"refresh\" content=\"\($0)\">" } ?? ""),
        .own("<link rel=\"icon\" href=\"data:,\">"),
        .element("title", text: title),
        .element("style", [:], [.own(PageStyle.sheet)]),
      ]
    )
    let body = HTML.element(
      "body",
      [:],
      [
        .element("main", [:], [header, tileRow, contents] + sectionsHTML(images) + [conditions])
      ] + script
    )
    return "<!doctype html>\n"
      + HTML.element("html", ["lang": "en"], [head, body]).markup + "\n"
  }

  /// The element for tooltips and its script; empty for a page without charts.
  private var script: [HTML] {
    if charts.isEmpty { return [] }
    return [
      .own("<div id=\"tip\" role=\"status\" hidden></div>"),
      .element("script", [:], [.own(PageScript.hoverValues)]),
    ]
  }

  private var header: HTML {
    .element(
      "header",
      [:],
      [.element("h1", text: title), .element("p", ["class": "lead"], text: lead)]
    )
  }

  private var tileRow: HTML {
    if tiles.isEmpty { return .text("") }
    return .element("ul", ["class": "tiles", "aria-label": "Verdicts"], tiles.map(\.html))
  }

  private var contents: HTML {
    if sections.count < 3 { return .text("") }
    let links = sections.map { section in
      HTML.element(
        "li",
        [:],
        [.element("a", ["href": "#" + section.anchor], text: section.heading)]
      )
    }
    return .element("nav", ["aria-label": "Contents"], [.element("ul", [:], links)])
  }

  private func sectionsHTML(_ images: ChartImages) -> [HTML] {
    let notice = missingNotice(images)
    return (notice.map { [$0] } ?? []) + sections.map { $0.html(images: images) }
  }

  private func missingNotice(_ images: ChartImages) -> HTML? {
    guard case .missing(let reason) = images, !charts.isEmpty else { return nil }
    return .element(
      "aside",
      ["class": "notice"],
      [
        .element(
          "p",
          text: "This page has its tables but no charts: \(reason). To get the charts, run this "
            + "in the package's folder and write the report again:"
        ),
        .element("pre", [:], [.element("code", text: ChartImages.remedy)]),
      ]
    )
  }

  private var conditions: HTML {
    if environment.isEmpty { return .text("") }
    let facts = environment.map { fact in
      HTML.element(
        "div",
        [:],
        [.element("dt", text: fact.name), .element("dd", text: fact.value)]
      )
    }
    return .element(
      "footer",
      ["id": "conditions"],
      [.element("h2", text: "Conditions"), .element("dl", [:], facts)]
    )
  }
}

extension VerdictTile {
  /// The box of the verdict, as an item of an HTML list.
  ///
  /// The sign, such as a tick, and the word, such as `holds`, repeat the meaning of the box's colour.
  var html: HTML {
    let state = HTML.element(
      "span",
      ["class": "state"],
      [
        .element("span", ["class": "sign", "aria-hidden": "true"], text: state.sign),
        .text(word),
      ]
    )
    let subjectHTML =
      anchor.map { HTML.element("a", ["href": "#" + $0], text: subject) } ?? .text(subject)
    return .element(
      "li",
      ["class": "tile \(self.state.rawValue)"],
      [
        .element("p", [:], [state]),
        .element("p", ["class": "subject"], [subjectHTML]),
        .element("p", ["class": "answer"], text: answer),
        .element("p", ["class": "detail"], text: detail),
      ]
    )
  }
}

extension ReportPage {
  /// Returns the page as Markdown, without charts and pictures.
  package func markdown() -> String {
    func heading(_ rank: Int, _ text: String) -> String {
      String(repeating: "#", count: rank) + " " + text
    }
    func code(_ text: String) -> String { "```\n\(text)\n```" }
    var parts = [heading(1, title), lead]
    if !tiles.isEmpty { parts.append(tileTable.markdown()) }
    for section in sections {
      parts.append(heading(2, section.heading))
      parts += section.blocks.compactMap { block -> String? in
        switch block {
        case .paragraph(let text): text
        case .subheading(let text, _): heading(3, text)
        case .figure(let figure): figure.table.markdown()
        case .table(let one): one.markdown()
        case .definitions(let terms):
          terms.map { "- \($0.name): \($0.value)" }.joined(separator: "\n")
        case .preformatted(let text): code(text)
        case .command(let command, let purpose): purpose + "\n\n" + code(command)
        case .link(let path, let text): "\(text): \(path)"
        case .walk(let walk): walk.markdown()
        case .counterexample: nil
        }
      }
    }
    if !environment.isEmpty {
      parts += [heading(2, "Conditions"), conditionTable.markdown()]
    }
    return parts.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
      .joined(separator: "\n\n") + "\n"
  }

  private var tileTable: ReportTable {
    var table = ReportTable(
      columns: [.text("subject"), .text("verdict"), .text("answer"), .text("detail")]
    )
    for tile in tiles {
      table.append(
        ReportTable.Row([tile.subject, tile.word, tile.answer, tile.detail], mark: tile.state)
      )
    }
    return table
  }

  private var conditionTable: ReportTable {
    var table = ReportTable(columns: [.text("condition"), .text("value")])
    for fact in environment { table.append([fact.name, fact.value]) }
    return table
  }
}
