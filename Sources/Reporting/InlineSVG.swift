/// Prepares a drawing for embedding in a page: no scripts, no addresses, the page's own colours.
enum InlineSVG {
  /// Returns a drawing as markup, or `nil` if it contains elements that the lab never draws.
  static func markup(of svg: String, summary: String) -> HTML? {
    let forbidden = ["<script", "<foreignObject", "<image", "<a ", "javascript:", "href="]
    guard let start = svg.firstRange(of: "<svg "), svg.hasSuffix("</svg>"),
      forbidden.allSatisfy({ !svg.contains($0) })
    else { return nil }
    let attributes = "role=\"img\" aria-label=\"\(HTML.escaped(summary))\" "
    var markup = "<svg " + attributes + svg[start.upperBound...]
    for (address, name) in [("1999/xlink", "xmlns:xlink"), ("2000/svg", "xmlns")] {
      markup.replace(" \(name)=\"http://www.w3.org/\(address)\"", with: "")
    }
    markup.replace("\"\(ChartStyle.ink)\"", with: "\"currentColor\"")
    for color in ContenderPalette.series + [ContenderPalette.floor] {
      markup.replace("\"\(color)\"", with: "\"\(pageColor(color))\"")
    }
    for needless in [" version=\"1.1\"", " font-family=\"\(ChartStyle.font)\""] {
      markup.replace(needless, with: "")
    }
    // A circle of two arcs repeats its radius nine times.
    let arcs = /<path ([^>]*?)d="M([\d.]+),0A\2,\2,0,1,1,-\2,0A\2,\2,0,1,1,\2,0"/
    markup.replace(arcs) { "<circle \($0.output.1)r=\"\($0.output.2)\"" }
    // The page's style centres texts without `text-anchor`, which are most texts of a drawing.
    if markup.matches(of: /<text(?! text-anchor)/).isEmpty {
      markup.replace("<text text-anchor=\"middle\"", with: "<text")
    }
    for (attributes, name) in classes { markup.replace(attributes, with: "class=\"\(name)\"") }
    return .own(markup)
  }

  /// Attributes that a drawing repeats for ticks and labels, and the CSS classes that replace them.
  ///
  /// The replacement saves a third of a drawing's bytes.
  private static let classes = [
    ("stroke=\"currentColor\" stroke-opacity=\"0.12\"", "grid"),
    ("stroke=\"currentColor\" stroke-opacity=\"0.4\"", "tick"),
    ("font-size=\"12px\" fill=\"currentColor\" fill-opacity=\"0.85\"", "label"),
    ("stroke-width=\"1.5\" opacity=\"0.6\"", "spread"),
  ]

  /// Returns the CSS variable for a colour of a drawing.
  static func pageColor(_ color: String) -> String {
    ContenderPalette.series.firstIndex(of: color).map { "var(--s\($0))" } ?? "var(--floor)"
  }

  /// Returns a single mark for a legend.
  static func mark(_ entry: ContenderPalette.Entry) -> HTML {
    .own(
      "<svg viewBox=\"-6 -6 12 12\" width=\"12\" height=\"12\" aria-hidden=\"true\">"
        + "<path d=\"\(entry.shape.path)\" fill=\"\(pageColor(entry.color))\"/></svg>"
    )
  }
}
