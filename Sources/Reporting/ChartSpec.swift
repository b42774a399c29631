/// A Vega-Lite specification, or a part of one, as a value.
package enum ChartSpec: Sendable, Hashable, Encodable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case null
  case list([ChartSpec])
  case object([String: ChartSpec])

  /// Encodes the value as the JSON that it represents.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .flag(let flag): try container.encode(flag)
    case .null: try container.encodeNil()
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }

  /// Returns the object with additional members, which replace existing members of the same name.
  func with(_ other: [String: ChartSpec]) -> ChartSpec {
    guard case .object(let object) = self else { return .object(other) }
    return .object(object.merging(other) { $1 })
  }
}

extension ChartSpec: ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }

  package init(floatLiteral value: Double) { self = .number(value) }

  package init(integerLiteral value: Int) { self = .number(Double(value)) }

  package init(booleanLiteral value: Bool) { self = .flag(value) }

  package init(arrayLiteral elements: ChartSpec...) { self = .list(elements) }

  /// Creates an object; the last value of a repeated key is used.
  package init(dictionaryLiteral elements: (String, ChartSpec)...) {
    self = .object(Dictionary(elements) { $1 })
  }

  package init(nilLiteral: ()) { self = .null }
}

/// A chart before rendering: a Vega-Lite specification and a description.
package struct Chart: Sendable, Hashable {
  /// The identifier of the drawing, unique on a page.
  package var id: String
  /// A text alternative for readers who cannot see the chart.
  package var summary: String
  /// The Vega-Lite specification.
  package var spec: ChartSpec
  /// The entries of the legend, which the page shows above the drawing.
  package var legend: [ContenderPalette.Entry]

  /// A sentence that explains the chart, which the page shows below the drawing.
  package var note: String

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

/// The drawings of a page's charts, or the reason why no chart was drawn.
package enum ChartImages: Sendable, Hashable {
  /// The SVG texts by chart identifier.
  case drawn([String: String])
  /// No chart was drawn, for the given reason.
  case missing(because: String)

  /// The command that installs the drawing tool.
  package static let remedy =
    "python3 -m venv .tools && .tools/bin/pip install vl-convert-python==1.9.0.post1"
}

/// The style shared by all charts: fonts, colours, axes and ticks.
enum ChartStyle {
  /// The font of all texts in a chart.
  ///
  /// The font must be an installed one: otherwise text is measured wrongly and labels overlap.
  static let font = "DejaVu Sans, Helvetica, Arial, sans-serif"

  /// The colour of axes and texts, which a page replaces with its own text colour.
  static let ink = "#1f2328"

  /// The Vega-Lite property `config` of the charts.
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

  /// The axis with one row per title; a title may have several lines, as ``wrapped(_:)`` makes them.
  static let titles: ChartSpec = [
    "field": "title", "type": "nominal", "sort": nil, "title": nil,
    "axis": [
      "domain": false, "ticks": false, "grid": false, "labelExpr": "split(datum.label, '\\n')",
    ],
  ]

  /// Returns a title broken into lines of 30 columns, so that a chart shows it completely.
  static func wrapped(_ title: String) -> String {
    CounterexampleCell.wrap(title, to: 30).joined(separator: "\n")
  }

  /// Returns the largest number of lines among wrapped titles.
  static func lineCount(of titles: [String]) -> Int {
    titles.map { wrapped($0).split(separator: "\n").count }.max() ?? 1
  }

  /// Returns the exponents of the powers of ten around positive values: at least one decade.
  static func decades(around values: [Double]) -> ClosedRange<Int> {
    let logs = values.filter { $0 > 0 }.map(decade)
    guard let least = logs.min(), let most = logs.max() else { return 0...1 }
    return least...(most + 1)
  }

  /// Returns the powers of ten in a range of exponents.
  ///
  /// If the range spans at most two decades, the result also contains the multiples of these powers
  /// by 2 and 5.
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

/// The colours and shapes of contenders (compared implementations), the same in a page's charts.
///
/// Floors are the contenders to which others are compared, so that their cost counts as 1. Floors
/// are grey. The colours of the other contenders, the series, are those of Okabe and Ito, which
/// colour-blind readers can distinguish. Shapes distinguish the series as well. A page replaces the
/// colours with its own, which differ between light and dark mode.
package struct ContenderPalette: Sendable, Hashable {
  /// The colours of the series; a page replaces the n-th colour with the variable `--s<n>`.
  static let series = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b37400", "#3a9bd9", "#6f4aa8",
  ]

  /// The colour of floors, the contenders to which others are compared.
  ///
  /// A page replaces the colour with the variable `--floor`.
  static let floor = "#66707a"

  /// One line of a chart's legend.
  package struct Entry: Sendable, Hashable {
    package var contender: String
    /// The colour in the drawing.
    var color: String
    /// The shape of the contender's symbols.
    var shape: MarkShape
  }

  private let entries: [Entry]

  /// Creates a palette for all contenders of a page; those in `floors` are grey.
  package init(contenders: [String], floors: Set<String>) {
    var floorCount = 0
    var seriesCount = 0
    entries = contenders.map { contender in
      if floors.contains(contender) {
        floorCount += 1
        return Entry(
          contender: contender,
          color: Self.floor,
          shape: MarkShape.at(floorCount - 1)
        )
      }
      seriesCount += 1
      return Self.series(contender, at: seriesCount - 1)
    }
  }

  /// Returns the legend entry of the n-th series; series with the same colour get different shapes.
  private static func series(_ contender: String, at place: Int) -> Entry {
    Entry(
      contender: contender,
      color: series[place % series.count],
      shape: MarkShape.at(place + place / series.count + 1)
    )
  }

  /// Returns the legend entries of the given contenders, in the same order.
  func legend(for contenders: [String]) -> [Entry] {
    contenders.map { contender in
      entries.first { $0.contender == contender }
        ?? Entry(contender: contender, color: Self.floor, shape: .circle)
    }
  }

  /// Returns the Vega-Lite encoding of the symbols' colours, by contender.
  ///
  /// The encoding has no legend, because the page draws legends.
  func color(for contenders: [String]) -> ChartSpec {
    channel(contenders, legend(for: contenders).map { .text($0.color) })
  }

  /// Returns the Vega-Lite encoding of the symbols' shapes, by contender (compared implementation).
  func shape(for contenders: [String]) -> ChartSpec {
    channel(contenders, legend(for: contenders).map { .text($0.shape.rawValue) })
  }

  private func channel(_ contenders: [String], _ range: [ChartSpec]) -> ChartSpec {
    [
      "field": "contender", "type": "nominal", "legend": nil,
      "scale": ["domain": .list(contenders.map(ChartSpec.text)), "range": .list(range)],
    ]
  }
}

/// The shapes of the symbols in charts, named as in Vega-Lite.
enum MarkShape: String, Sendable, CaseIterable {
  case circle
  case square
  case triangleUp = "triangle-up"
  case diamond
  case triangleDown = "triangle-down"
  case cross
  case triangleRight = "triangle-right"

  /// Returns the n-th shape; after the last shape the first one follows again.
  static func at(_ place: Int) -> MarkShape { allCases[place % allCases.count] }

  /// The SVG path of the shape within a box from -5 to 5.
  var path: String {
    switch self {
    case .circle: "M4,0A4,4 0 1 1 -4,0A4,4 0 1 1 4,0Z"
    case .square: "M-4,-4H4V4H-4Z"
    case .triangleUp: "M0,-4L4.5,4H-4.5Z"
    case .diamond: "M0,-5L5,0L0,5L-5,0Z"
    case .triangleDown: "M0,4L-4.5,-4H4.5Z"
    case .cross: "M-1.5,-5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5V-1.5H-1.5Z"
    case .triangleRight: "M4,0L-4,4.5V-4.5Z"
    }
  }
}
