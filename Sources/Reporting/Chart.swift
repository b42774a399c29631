/// A chart before rendering: a Vega-Lite specification and a description.
package struct Chart: Sendable, Hashable {
  /// The identifier of the drawing, unique on a page.
  package var id: String
  /// A text alternative for readers who cannot see the chart.
  package var summary: String
  /// The Vega-Lite specification.
  package var spec: ChartSpec
  /// The legend that the page shows above the drawing.
  package var legend: [ContenderPalette.Entry]

  /// An explanation that the page shows below the drawing.
  package var note: String

  /// Creates a chart.
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

/// The drawings of a page's charts, or the reason for their absence.
package enum ChartImages: Sendable, Hashable {
  /// The SVG texts by chart identifier.
  case drawn([String: String])
  /// No chart was drawn, with the reason.
  case missing(because: String)

  /// The command that installs the drawing tool.
  package static let remedy =
    "python3 -m venv .tools && .tools/bin/pip install vl-convert-python==1.9.0.post1"
}
