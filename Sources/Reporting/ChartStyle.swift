/// The style shared by all charts: fonts, colours, axes and ticks.
enum ChartStyle {
  /// The font of all texts.
  ///
  /// It must name an installed font: otherwise text is measured wrongly and labels overlap.
  static let font = "DejaVu Sans, Helvetica, Arial, sans-serif"

  /// The colour of axes and texts, which a page replaces with its own text colour.
  static let ink = "#1f2328"

  /// The configuration of a complete chart.
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

  /// The axis with one row per title, which may have several lines, as in ``wrapped(_:)``.
  static let titles: ChartSpec = [
    "field": "title", "type": "nominal", "sort": nil, "title": nil,
    "axis": [
      "domain": false, "ticks": false, "grid": false, "labelExpr": "split(datum.label, '\\n')",
    ],
  ]

  /// Returns a title broken into lines of 30 columns, so that none is truncated next to a chart.
  static func wrapped(_ title: String) -> String {
    CounterexampleCell.wrap(title, to: 30).joined(separator: "\n")
  }

  /// Returns the largest number of lines among wrapped titles.
  static func lineCount(of titles: [String]) -> Int {
    titles.map { wrapped($0).split(separator: "\n").count }.max() ?? 1
  }

  /// Returns the exponents of powers of ten that enclose positive values; at least one decade.
  static func decades(around values: [Double]) -> ClosedRange<Int> {
    let logs = values.filter { $0 > 0 }.map(decade)
    guard let least = logs.min(), let most = logs.max() else { return 0...1 }
    return least...(most + 1)
  }

  /// Returns the powers of ten in a range, with their double and fivefold for up to two decades.
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

  /// Returns a power of ten.
  static func power(_ exponent: Int) -> Double {
    let factor = exponent < 0 ? 0.1 : 10
    return (0..<abs(exponent)).reduce(1.0) { product, _ in product * factor }
  }
}
