/// A line chart over a continuous axis that this program draws as SVG itself, without Vega-Lite.
///
/// The line goes through all points. The area around the line is the interval of the values.
package struct LineDrawing: Sendable, Hashable {
  /// A data point: its coordinates, the interval of its value, and its tooltip.
  package struct Point: Sendable, Hashable {
    let x: Double
    let y: Double
    /// Half the width of the confidence interval around `y`; the default is 0.
    let error: Double
    /// The text of the tooltip.
    let text: String

    /// Creates a point; coordinates below 0, NaN or infinity are drawn as 0.
    package init(_ x: Double, _ y: Double, error: Double = 0, _ text: String) {
      func drawable(_ value: Double) -> Double { value.isFinite ? max(0, value) : 0 }
      (self.x, self.y, self.error) = (drawable(x), drawable(y), drawable(error))
      self.text = text
    }
  }

  private let points: [Point]
  private let xTitle: String
  private let yTitle: String

  private static let (width, height) = (440.0, 232.0)
  /// The edges of the plot area within the drawing.
  private static let (left, right, top, bottom) = (56.0, 428.0, 34.0, 184.0)

  /// Creates a drawing of points, given in ascending order of `x`; both axes start at 0.
  package init(_ points: [Point], x xTitle: String, y yTitle: String) {
    self.points = points
    self.xTitle = xTitle
    self.yTitle = yTitle
  }

  /// The drawing as SVG text; a page replaces the drawing's colours with its own.
  package var svg: String {
    let (width, height) = (Self.number(Self.width), Self.number(Self.height))
    return HTML.element(
      "svg",
      [
        "viewBox": "0 0 \(width) \(height)", "width": width, "height": height,
        "font-family": ChartStyle.font, "font-size": "12", "fill": ChartStyle.ink,
      ],
      axes + line
    ).markup
  }

  // MARK: Axes

  private var xMax: Double { points.map(\.x).max() ?? 0 }
  private var yMax: Double { points.map { $0.y + $0.error }.max() ?? 0 }

  /// Returns the ticks of an axis from 0 to a value: multiples of 1, 2 or 5 times a power of ten.
  ///
  /// The vertical axis ends at its last tick, and the horizontal axis at the value.
  static func ticks(to value: Double, whole: Bool = false) -> [Double] {
    guard value > 0 else { return [0, 1] }
    let rough = value / 5
    var power = 1.0
    while power * 10 <= rough { power *= 10 }
    while power > rough { power /= 10 }
    var step = [1, 2, 5, 10].lazy.map { $0 * power }.first { $0 >= rough } ?? rough
    if whole { step = max(1, step) }
    let count = Int((value / step).rounded(.down))
    return (0...count).map { Double($0) * step }
  }

  private var yTicks: [Double] {
    let isWhole = points.allSatisfy { $0.y == $0.y.rounded() }
    let ticks = Self.ticks(to: yMax, whole: isWhole)
    guard let last = ticks.last, last < yMax else { return ticks }
    return ticks + [last + ticks[1]]
  }

  private func xPlace(_ value: Double) -> Double {
    Self.left + (xMax > 0 ? value / xMax : 0) * (Self.right - Self.left)
  }

  private func yPlace(_ value: Double) -> Double {
    Self.bottom - value / (yTicks.last ?? 1) * (Self.bottom - Self.top)
  }

  private var axes: [HTML] {
    let rules = yTicks.map {
      "M\(Self.number(Self.left)) \(Self.number(yPlace($0)))H\(Self.number(Self.right))"
    }
    let marks = Self.ticks(to: xMax).filter { $0 <= xMax }
    let ticks = marks.map { "M\(Self.number(xPlace($0))) \(Self.number(Self.bottom))v5" }
    return [
      Self.path(rules.joined(), ["stroke": ChartStyle.ink, "opacity": "0.15"]),
      Self.path(ticks.joined(), ["stroke": ChartStyle.ink, "opacity": "0.4"]),
      Self.text(yTitle, 0, 14, "start"),
      Self.text(xTitle, Self.right, Self.height - 10, "end"),
    ]
      + yTicks.map { Self.text(Self.short($0), Self.left - 8, yPlace($0) + 4, "end") }
      + marks.map { Self.text(Self.short($0), xPlace($0), Self.bottom + 19, "middle") }
  }

  /// Returns a tick's value: thousands as `k`, millions as `M`, and so on.
  static func short(_ value: Double) -> String {
    let units: [(Double, String)] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")]
    let (size, name) = units.first { value >= $0.0 } ?? (1, "")
    let tenThousandths = (value / size * 10_000).rounded() / 10_000
    return NumberText.exact(tenThousandths) + name
  }

  // MARK: Line

  private var line: [HTML] {
    guard !points.isEmpty else { return [] }
    func place(_ point: Point, _ y: Double) -> String {
      "\(Self.number(xPlace(point.x))) \(Self.number(yPlace(y)))"
    }
    let colour = ContenderPalette.series[0]
    let upper = points.map { place($0, $0.y + $0.error) }
    let lower = points.reversed().map { place($0, max(0, $0.y - $0.error)) }
    let hasErrors = points.contains { $0.error > 0 }
    let area = "M" + (upper + lower).joined(separator: "L") + "Z"
    let line = "M" + points.map { place($0, $0.y) }.joined(separator: "L")
    let dots = points.map { point in
      HTML.shape(
        "circle",
        [
          "cx": Self.number(xPlace(point.x)), "cy": Self.number(yPlace(point.y)),
          "r": points.count > 40 ? "2.5" : "3.5", "fill": colour, "aria-label": point.text,
        ]
      )
    }
    return (hasErrors ? [Self.path(area, ["fill": colour, "opacity": "0.2"])] : [])
      + [Self.path(line, ["stroke": colour, "stroke-width": "2"])] + dots
  }

  // MARK: Elements

  private static func path(_ data: String, _ style: KeyValuePairs<String, String>) -> HTML {
    let style = Dictionary(style.map { ($0, $1) }) { first, _ in first }
    return .shape(
      "path",
      [
        "d": data, "fill": style["fill"] ?? "none", "stroke": style["stroke"] ?? "",
        "stroke-width": style["stroke-width"] ?? "", "opacity": style["opacity"] ?? "",
      ]
    )
  }

  private static func text(_ text: String, _ x: Double, _ y: Double, _ anchor: String) -> HTML {
    .element("text", ["x": number(x), "y": number(y), "text-anchor": anchor], text: text)
  }

  /// Returns a coordinate rounded to a tenth of a pixel.
  private static func number(_ value: Double) -> String {
    NumberText.exact((value * 10).rounded() / 10)
  }
}

extension Figure {
  /// Creates a figure with a line chart, and returns the figure and its drawing.
  ///
  /// `table` has a selection of the numbers for readers. `values` has all numbers, which the page
  /// offers as a CSV file.
  package static func line(
    id: String,
    summary: String,
    _ drawing: LineDrawing,
    note: String = "",
    table: ReportTable,
    values: ReportTable
  ) -> (figure: Figure, svg: String) {
    (
      Figure(
        chart: Chart(id: id, summary: summary, spec: .null, note: note),
        table: table,
        values: values
      ),
      drawing.svg
    )
  }
}
