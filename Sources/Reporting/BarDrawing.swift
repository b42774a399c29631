/// A bar chart that this program draws as SVG itself, without Vega-Lite.
package struct BarDrawing: Sendable, Hashable {
  /// One bar: a label, a value, the value as text, and whether the bar shows a problem.
  package struct Bar: Sendable, Hashable {
    package let label: String
    package let value: Double
    package let text: String
    package let isBad: Bool

    /// Creates a bar; a value below 0, NaN or infinity is drawn as 0.
    package init(_ label: String, _ value: Double, _ text: String, isBad: Bool = false) {
      self.label = label
      self.value = value.isFinite ? max(0, value) : 0
      self.text = text
      self.isBad = isBad
    }
  }

  package enum Direction: Sendable, Hashable {
    /// Bars are drawn as rows, each with its label and its value.
    case rows
    /// Bars are drawn as columns; only the first and the last one have labels.
    ///
    /// Use this direction for many bars.
    case columns
  }

  private let bars: [Bar]
  private let direction: Direction

  private static let width = 440
  private static let labelWidth = 170
  private static let textWidth = 130
  private static let rowHeight = 24
  private static let columnHeight = 160
  private static let labelCountMax = 24

  /// Creates a drawing of bars, which are drawn from top to bottom or from left to right.
  package init(_ bars: [Bar], _ direction: Direction) {
    self.bars = bars
    self.direction = direction
  }

  /// The drawing as SVG text; a page replaces the drawing's colours with its own.
  package var svg: String {
    let height = direction == .rows ? bars.count * Self.rowHeight + 4 : Self.columnHeight + 28
    return HTML.element(
      "svg",
      [
        "viewBox": "0 0 \(Self.width) \(height)", "width": "\(Self.width)", "height": "\(height)",
        "font-family": ChartStyle.font, "font-size": "12", "fill": ChartStyle.ink,
      ],
      direction == .rows ? rows : columns
    ).markup
  }

  private var most: Double { max(bars.map(\.value).max() ?? 0, .leastNormalMagnitude) }

  private var rows: [HTML] {
    let room = Double(Self.width - Self.labelWidth - Self.textWidth)
    return bars.enumerated().flatMap { index, bar -> [HTML] in
      let y = index * Self.rowHeight + 4
      let length = bar.value / most * room
      return [
        Self.text(Self.cut(bar.label), Self.labelWidth - 8, y + 13, "end", title: bar.label),
        Self.box(bar, Double(Self.labelWidth), Double(y), length, Double(Self.rowHeight - 8)),
        Self.text(bar.text, Self.labelWidth + Int(length) + 6, y + 13, "start"),
      ]
    }
  }

  private var columns: [HTML] {
    let step = Double(Self.width) / Double(max(bars.count, 1))
    let floor = Double(Self.columnHeight)
    let boxes = bars.enumerated().map { index, bar in
      let height = bar.value / most * floor
      return Self.box(bar, Double(index) * step, floor - height, max(step * 0.8, 0.5), height)
    }
    let base = HTML.shape(
      "path",
      ["d": "M0 \(Self.columnHeight)H\(Self.width)", "stroke": ChartStyle.ink, "opacity": "0.4"]
    )
    guard let first = bars.first, let last = bars.last else { return [base] }
    let y = Self.columnHeight + 18
    return boxes + [base, Self.text(first.label, 0, y, "start")]
      + (bars.count > 1 ? [Self.text(last.label, Self.width, y, "end")] : [])
  }

  private static func box(
    _ bar: Bar,
    _ x: Double,
    _ y: Double,
    _ width: Double,
    _ height: Double
  ) -> HTML {
    .shape(
      "rect",
      [
        "x": tenths(x), "y": tenths(y), "width": tenths(width), "height": tenths(height),
        "fill": ContenderPalette.series[bar.isBad ? 1 : 0],
        "aria-label": "\(bar.label): \(bar.text)",
      ]
    )
  }

  private static func text(
    _ text: String,
    _ x: Int,
    _ y: Int,
    _ anchor: String,
    title: String? = nil
  ) -> HTML {
    .element(
      "text",
      ["x": "\(x)", "y": "\(y)", "text-anchor": anchor],
      [.text(text)] + (title.map { [HTML.element("title", text: $0)] } ?? [])
    )
  }

  private static func cut(_ label: String) -> String {
    label.count > labelCountMax ? label.prefix(labelCountMax - 1) + "\u{2026}" : label
  }

  /// Returns a coordinate rounded to a tenth of a pixel.
  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

extension Figure {
  /// Creates a figure with a drawing of bars and the table of their numbers.
  package static func bars(
    id: String,
    summary: String,
    _ drawing: BarDrawing,
    note: String = "",
    table: ReportTable
  ) -> (figure: Figure, svg: String) {
    (
      Figure(chart: Chart(id: id, summary: summary, spec: .null, note: note), table: table),
      drawing.svg
    )
  }
}
