/// The colours and shapes of contenders, the same in every chart of a page.
///
/// The colours are those of Okabe and Ito, which colour-blind readers can distinguish, and grey for
/// floors; the shapes distinguish the series a second time. A page replaces the colours with its
/// own, which differ between light and dark mode.
package struct ContenderPalette: Sendable, Hashable {
  /// The colours of the series; a page replaces the n-th one with the variable `--s<n>`.
  static let series = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b37400", "#3a9bd9", "#6f4aa8",
  ]

  /// The colour of a floor, which a page replaces with the variable `--floor`.
  static let floor = "#66707a"

  /// One line of a chart's legend.
  package struct Entry: Sendable, Hashable {
    /// The contender's name.
    package var contender: String
    /// The colour in the drawing.
    var color: String
    /// The shape of its marks.
    var shape: MarkShape
  }

  private let entries: [Entry]

  /// Creates the palette for all contenders of a page; floors are grey.
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

  /// Returns the entry of the n-th series; repeated colours get other shapes.
  private static func series(_ contender: String, at place: Int) -> Entry {
    Entry(
      contender: contender,
      color: series[place % series.count],
      shape: MarkShape.at(place + place / series.count + 1)
    )
  }

  /// Returns the legend for some contenders, in their order.
  func legend(for contenders: [String]) -> [Entry] {
    contenders.map { contender in
      entries.first { $0.contender == contender }
        ?? Entry(contender: contender, color: Self.floor, shape: .circle)
    }
  }

  /// Returns the encoding channel for the marks' colour; the page draws the legend.
  func color(for contenders: [String]) -> ChartSpec {
    channel(contenders, legend(for: contenders).map { .text($0.color) })
  }

  /// Returns the encoding channel for the marks' shape.
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

/// The shapes of marks, with Vega-Lite's names.
enum MarkShape: String, Sendable, CaseIterable {
  case circle
  case square
  case triangleUp = "triangle-up"
  case diamond
  case triangleDown = "triangle-down"
  case cross
  case triangleRight = "triangle-right"

  /// Returns the n-th shape, starting again after the last.
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
