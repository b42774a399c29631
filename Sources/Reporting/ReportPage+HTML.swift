extension ReportPage {
  /// Returns the page as one file that needs no network, with a script only for charts' tooltips.
  ///
  /// Its content security policy forbids all external resources.
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

  /// The tooltip and its script; a page without charts has no script.
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
          text: "This page has its tables but no charts: \(reason). To get the charts, type this "
            + "in the package's folder and make the report again:"
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
  /// The tile as a list item; the sign and the word express the same as the colour.
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
