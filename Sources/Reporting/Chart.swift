/// A chart before it is drawn: a Vega-Lite specification and what it shows, in words.
package struct Chart: Sendable, Hashable {
  /// The name by which its drawing is found; unique on a page.
  package var id: String
  /// What it shows, for those who cannot see it.
  package var summary: String
  /// The specification.
  package var spec: ChartSpec
  /// Who is drawn how; the page shows it above the drawing.
  package var legend: [ContenderPalette.Entry]

  /// How to read it; stands below the drawing.
  package var note: String

  /// Makes a chart.
  package init(
    id: String,
    summary: String,
    spec: ChartSpec,
    legend: [ContenderPalette.Entry] = [],
    note: String = ""
  ) {
    self.id = id
    self.summary = summary
    self.spec = spec
    self.legend = legend
    self.note = note
  }
}

/// The drawings of a page's charts, or why there are none.
package enum ChartImages: Sendable, Hashable {
  /// SVG by the charts' names.
  case drawn([String: String])
  /// Nothing was drawn, and what to do about it.
  case missing(because: String)

  /// How to get the tool that draws.
  package static let remedy =
    "python3 -m venv .tools && .tools/bin/pip install vl-convert-python==1.9.0.post1"
}
