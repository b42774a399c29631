import Foundation

extension PageSection {
  /// Returns the section with its heading, which can be linked to.
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

  /// Returns a path relative to the page; a scheme or a root in it would lead elsewhere.
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
