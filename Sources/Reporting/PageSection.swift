import Foundation

/// A part of a page under one heading, which can be linked to.
package struct PageSection: Sendable, Hashable {
  package var heading: String
  /// The target of links to the section: lower-case letters, digits and hyphens.
  package let anchor: String
  /// The content under the heading, in order.
  package var blocks: [PageBlock]

  /// Creates a section; the default anchor is derived from the heading.
  package init(_ heading: String, anchor: String? = nil, _ blocks: [PageBlock]) {
    self.heading = heading
    self.anchor = Self.anchor(from: anchor ?? heading)
    self.blocks = blocks
  }

  /// Returns an anchor for a text: `Fetch, newest 100` becomes `fetch-newest-100`.
  package static func anchor(from text: String) -> String {
    let words = text.lowercased().utf8.split { byte in
      !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    let anchor = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    return anchor.isEmpty ? "section" : anchor
  }
}

/// One block of content under a heading.
package enum PageBlock: Sendable, Hashable {
  case paragraph(String)
  /// A second-level heading with its anchor.
  case subheading(String, anchor: String)
  /// A chart followed by its numbers.
  case figure(Figure)
  /// A table without a chart.
  case table(ReportTable)
  /// A picture of a counterexample, with a column for each actor.
  case counterexample(CounterexamplePicture)
  /// The states of a system between the commands of a plan; the page shows one state at a time.
  case walk(StateWalk)
  /// Terms with their explanations.
  case definitions([ReportPage.Fact])
  case preformatted(String)
  /// A command or text to copy, with its purpose; one click selects the command completely.
  case command(String, purpose: String)
  /// A link to a file in the page's folder: a relative path and a description.
  case link(path: String, text: String)
}

/// A chart and the table of its numbers.
package struct Figure: Sendable, Hashable {
  package var chart: Chart
  /// The numbers of the chart, formatted for readers.
  package var table: ReportTable
  /// The unformatted numbers of the chart, which the link next to the table saves as a CSV file.
  package var values: ReportTable

  /// Creates a figure; without `values`, readers download the numbers of `table` as the CSV file.
  package init(chart: Chart, table: ReportTable, values: ReportTable? = nil) {
    self.chart = chart
    self.table = table
    self.values = values ?? table
  }
}

extension PageSection {
  /// Returns the section with a heading that can be linked to.
  func html(images: ChartImages) -> HTML {
    .element(
      "section",
      ["id": anchor, "aria-labelledby": anchor + "-h"],
      [Self.heading("h2", heading, anchor: anchor, id: anchor + "-h")]
        + blocks.map { $0.html(images: images) }
    )
  }

  static func heading(_ element: String, _ text: String, anchor: String, id: String) -> HTML {
    .element(
      element,
      ["id": id],
      [
        .text(text),
        .element(
          "a",
          ["class": "anchor", "href": "#" + anchor, "aria-label": "Link to this part"],
          text: "#"
        ),
      ]
    )
  }
}

extension PageBlock {
  func html(images: ChartImages) -> HTML {
    switch self {
    case .paragraph(let text): .element("p", text: text)
    case .subheading(let text, let anchor):
      PageSection.heading("h3", text, anchor: anchor, id: anchor)
    case .figure(let figure): figure.html(images: images)
    case .table(let table): table.html()
    case .counterexample(let picture): picture.html()
    case .walk(let walk): walk.html()
    case .definitions(let terms):
      .element(
        "dl",
        ["class": "terms"],
        terms.flatMap {
          [.element("dt", text: $0.name), .element("dd", text: $0.value)]
        }
      )
    case .preformatted(let text): Self.code(text)
    case .command(let command, let purpose):
      .element(
        "div",
        ["class": "command"],
        [.element("p", text: purpose), Self.code(command, style: "copy")]
      )
    case .link(let path, let text):
      .element("p", [:], [.element("a", ["href": Self.relative(path)], text: text)])
    }
  }

  private static func code(_ text: String, style: String = "") -> HTML {
    .element("pre", ["class": style, "tabindex": "0"], [.element("code", text: text)])
  }

  /// Returns a path that a browser resolves relative to the page, not as a URL with a scheme or a root.
  static func relative(_ path: String) -> String {
    "./" + (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "")
  }
}

extension Figure {
  func html(images: ChartImages) -> HTML {
    let numbers = HTML.element(
      "div",
      ["class": "numbers"],
      [table.html(fileName: chart.id, values: values)]
    )
    guard case .drawn(let drawings) = images, let svg = drawings[chart.id],
      let drawing = InlineSVG.markup(of: svg, summary: chart.summary)
    else { return .element("div", ["class": "figure"], [numbers]) }
    return .element(
      "div",
      ["class": "figure"],
      [.element("figure", ["class": "chart"], [legend, drawing, note]), numbers]
    )
  }

  private var note: HTML {
    chart.note.isEmpty ? .text("") : .element("figcaption", text: chart.note)
  }

  private var legend: HTML {
    let items = chart.legend.map { entry in
      HTML.element("li", [:], [InlineSVG.mark(entry), .text(entry.contender)])
    }
    return items.isEmpty ? .text("") : .element("ul", ["class": "legend"], items)
  }
}
