/// The look that all charts share: a font that exists, quiet axes, round ticks.
enum ChartStyle {
  /// A real font must be named: without one the text is measured wrongly and labels overlap.
  static let font = "DejaVu Sans, Helvetica, Arial, sans-serif"

  /// The colour of axes and texts; on a page it becomes the colour of the page's text.
  static let ink = "#1f2328"

  /// The settings of a whole chart.
  static let config: ChartSpec = [
    "font": .text(font),
    "background": nil,
    "view": ["stroke": nil, "fill": nil],
    "axis": [
      "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelPadding": 6,
      "titlePadding": 10, "labelColor": .text(ink), "titleColor": .text(ink),
      "tickColor": .text(ink), "domainColor": .text(ink), "gridColor": .text(ink),
      "gridOpacity": 0.12, "tickOpacity": 0.4, "domainOpacity": 0.4, "labelOpacity": 0.85,
      "titleOpacity": 0.85, "labelLimit": 0, "aria": false,
    ],
  ]

  /// A row for each title, of as many lines as ``wrapped(_:)`` gives it.
  static let titles: ChartSpec = [
    "field": "title", "type": "nominal", "sort": nil, "title": nil,
    "axis": [
      "domain": false, "ticks": false, "grid": false, "labelExpr": "split(datum.label, '\\n')",
    ],
  ]

  /// A title in lines that fit beside a chart, so that none is cut.
  static func wrapped(_ title: String) -> String {
    CounterexampleCell.wrap(title, to: 30).joined(separator: "\n")
  }

  /// How many lines the longest of some titles takes.
  static func lineCount(of titles: [String]) -> Int {
    titles.map { wrapped($0).split(separator: "\n").count }.max() ?? 1
  }

  /// Powers of ten that enclose values above zero, one decade at least.
  static func decades(around values: [Double]) -> ClosedRange<Int> {
    let logs = values.filter { $0 > 0 }.map(decade)
    guard let least = logs.min(), let most = logs.max() else { return 0...1 }
    return least...(most + 1)
  }

  /// The powers of ten in a range, with twice and five times each where there are few.
  static func ticks(over decades: ClosedRange<Int>) -> [Double] {
    if decades.count > 3 { return decades.map(power) }
    return decades.flatMap { exponent -> [Double] in
      let power = power(exponent)
      return exponent == decades.upperBound ? [power] : [power, 2 * power, 5 * power]
    }
  }

  private static func decade(of value: Double) -> Int {
    var exponent = 0
    var power = value
    while power >= 10 {
      power /= 10
      exponent += 1
    }
    while power < 1 {
      power *= 10
      exponent -= 1
    }
    return exponent
  }

  /// A power of ten.
  static func power(_ exponent: Int) -> Double {
    let factor = exponent < 0 ? 0.1 : 10
    return (0..<abs(exponent)).reduce(1.0) { product, _ in product * factor }
  }
}
