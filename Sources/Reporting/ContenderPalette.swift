/// Gives each contender a colour and a shape, the same in every chart of a page.
///
/// The colours are those of Okabe and Ito, which the colour-blind tell apart, and grey for what
/// others are compared with; the shapes tell the series apart once more. On a page the colours
/// are replaced by the page's own, which differ in light and dark.
package struct ContenderPalette: Sendable, Hashable {
  /// The colours of the series; on a page the n-th becomes the variable `--s<n>`.
  static let series = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b37400", "#3a9bd9", "#6f4aa8",
  ]

  /// The colour of a floor; on a page it becomes the variable `--floor`.
  static let floor = "#66707a"

  /// One line of a chart's legend.
  package struct Entry: Sendable, Hashable {
    /// The contender.
    package var contender: String
    /// Its colour, as in the drawing.
    var color: String
    /// Its shape.
    var shape: MarkShape
  }

  private let entries: [Entry]

  /// Makes the palette of all contenders on a page; floors are grey.
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

  /// The n-th series: where the colours come again, they come with other shapes.
  private static func series(_ contender: String, at place: Int) -> Entry {
    Entry(
      contender: contender,
      color: series[place % series.count],
      shape: MarkShape.at(place + place / series.count + 1)
    )
  }

  /// The legend for some of the contenders, in their order.
  func legend(for contenders: [String]) -> [Entry] {
    contenders.map { contender in
      entries.first { $0.contender == contender }
        ?? Entry(contender: contender, color: Self.floor, shape: .circle)
    }
  }

  /// The channel that colours a contender's marks; the page draws the legend.
  func color(for contenders: [String]) -> ChartSpec {
    channel(contenders, legend(for: contenders).map { .text($0.color) })
  }

  /// The channel that shapes a contender's marks.
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

/// The shapes of marks, by the names that Vega-Lite has for them.
enum MarkShape: String, Sendable, CaseIterable {
  case circle
  case square
  case triangleUp = "triangle-up"
  case diamond
  case triangleDown = "triangle-down"
  case cross
  case triangleRight = "triangle-right"

  /// The n-th shape, beginning anew behind the last.
  static func at(_ place: Int) -> MarkShape { allCases[place % allCases.count] }

  /// The shape as a path within a box from -5 to 5.
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
