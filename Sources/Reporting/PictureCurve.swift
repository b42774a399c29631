/// A probability after each command of a plan, drawn next to the actors' columns of a picture.
///
/// It may be the probability that a random continuation of the plan violates the invariant.
///
/// Time runs downward, as in those columns: a point is at the height of its command's row. The line is
/// the probability, and the area around the line is its confidence interval.
package struct PictureCurve: Sendable, Hashable {
  /// The curve's probability after a number of commands, and its confidence interval, from 0 to 1.
  package struct Point: Sendable, Hashable {
    /// The probability that the curve shows, such as that of a violation.
    package var share: Double
    /// The lower bound of the confidence interval of ``share``.
    package var lower: Double
    /// The upper bound of the confidence interval of ``share``.
    package var upper: Double
    /// The text of the tooltip.
    package var text: String

    package init(share: Double, lower: Double, upper: Double, text: String) {
      self.share = share
      self.lower = lower
      self.upper = upper
      self.text = text
    }
  }

  /// The heading above the curve in the picture, such as `probability`.
  package var title: String
  /// The points, from before the first command to after the last command.
  package var points: [Point]

  package init(title: String, points: [Point]) {
    self.title = title
    self.points = points
  }
}

extension PictureDrawing {
  /// Returns, for each point of a probability curve, the row in which the point is drawn.
  ///
  /// The point after a command is drawn in the command's row. If the command has no row, the point
  /// is drawn in the row of the previous point. The first point, before all commands, is drawn in
  /// the row before the first command's row; the value is `nil` if there is no such row.
  static func rows(of count: Int, in rows: [CounterexampleRow]) -> [Int?] {
    let numbered = Dictionary(
      rows.indices.filter { !rows[$0].number.isEmpty }.map { (rows[$0].number, $0) }
    ) { first, _ in first }
    let first = numbered.values.min() ?? 0
    var last = first > 0 ? first - 1 : nil
    return (0..<count).map { state in
      last = numbered[String(state)] ?? last
      return last
    }
  }

  /// Returns the vertical position of each point of the curve, in pixels.
  ///
  /// `states` has the index of each point's row, or `nil` for a point above the first row. Points
  /// in the same row are placed below one another.
  func curveHeights(_ states: [Int?]) -> [Int] {
    states.indices.map { state in
      let row = states[state]
      let peers = states.filter { $0 == row }.count
      let place = state - (states.firstIndex(of: row) ?? state)
      guard let row else { return PictureLayout.head - 4 + place * 8 / peers }
      return layout.y(row) + place * 16 / peers
    }
  }

  /// The curve's column: title, axis, line, interval, and a dot per point; empty without a curve.
  var curveColumn: [HTML] {
    guard let curve else { return [] }
    let heights = curveHeights(states)
    let points = zip(curve.points, heights)
    func line(_ share: KeyPath<PictureCurve.Point, Double>) -> [String] {
      points.map { "\(layout.curveX($0[keyPath: share])) \($1)" }
    }
    let (lower, upper, middle) = (line(\.lower), line(\.upper), line(\.share))
    let area = "M" + (upper + lower.reversed()).joined(separator: "L") + "z"
    let grid = [0, 0.5, 1].map {
      "M\(layout.curveX($0)) \(PictureLayout.head - 8)V\(layout.bottom)"
    }
    let axis = [(0, "0"), (0.5, "50"), (1, "100 %")].map { share, text in
      Self.label(text, layout.curveX(share), layout.bottom + 14, "tl-axis")
    }
    let marks = points.enumerated().map { state, point in
      HTML.element(
        "circle",
        [
          "class": "tl-share", "data-walk": String(state),
          "cx": String(layout.curveX(point.0.share)),
          "cy": String(point.1), "r": "4",
        ],
        [.element("title", text: point.0.text)]
      )
    }
    return [
      Self.label(curve.title, layout.curveX(0.5), 16, "tl-name"),
      Self.path("tl-rule", grid.joined()),
      Self.path("tl-area", area),
      Self.path("tl-curve", "M" + middle.joined(separator: "L")),
    ] + axis + marks
  }

  /// The rectangles that highlight rows of the picture, one for each row with a point of the curve.
  ///
  /// The script of a ``StateWalk`` shows only the rectangle of the state that the reader has chosen.
  var walkBands: [HTML] {
    story.rows.indices.compactMap { row in
      walked(row).map { states in
        .shape(
          "rect",
          [
            "class": "tl-now", "data-walk": states, "x": "0", "y": String(layout.top(row)),
            "width": String(layout.width), "height": String(layout.height(row)),
          ]
        )
      }
    }
  }

  /// Returns the indices of the curve's points that lie in the given row, joined by spaces.
  ///
  /// The result is `nil` if no point lies in the row.
  func walked(_ row: Int) -> String? {
    let here = states.indices.filter { states[$0] == row }
    return here.isEmpty ? nil : here.map(String.init).joined(separator: " ")
  }
}
