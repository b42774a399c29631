package import Measuring

/// A log-log chart of an operation's cost by size of history.
///
/// A constant cost appears as a horizontal line; a linear cost rises one decade per decade. The
/// band extends from the 5th to the 95th percentile; a fitted law is dashed.
package struct CostChart: Sendable, Hashable {
  /// The percentiles at one size of history.
  package struct Point: Sendable, Hashable {
    /// The size of history, in transactions.
    package var size: Int
    /// The summary of the samples.
    package var summary: SampleSummary

    /// Creates a point.
    package init(size: Int, summary: SampleSummary) {
      self.size = size
      self.summary = summary
    }
  }

  /// One contender's curve.
  package struct Series: Sendable, Hashable {
    /// The contender's name.
    package var contender: String
    /// The points, smallest size first.
    package var points: [Point]
    /// The fitted law, or `nil` for none.
    package var fit: CostFit?

    /// Creates a curve.
    package init(contender: String, points: [Point], fit: CostFit? = nil) {
      self.contender = contender
      self.points = points
      self.fit = fit
    }
  }

  /// The identifier of the drawing.
  package var id: String
  /// The title of the operation.
  package var title: String
  /// The unit of the samples.
  package var unit: String
  /// The curves.
  package var series: [Series]
  /// The colours and shapes of the page.
  package var palette: ContenderPalette

  /// Creates a chart of one operation.
  package init(
    id: String,
    title: String,
    unit: String,
    series: [Series],
    palette: ContenderPalette
  ) {
    self.id = id
    self.title = title
    self.unit = unit
    self.series = series
    self.palette = palette
  }

  /// The chart with its specification and texts.
  package var chart: Chart {
    Chart(
      id: id,
      summary: summary,
      spec: spec,
      legend: palette.legend(for: contenders),
      note: note
    )
  }

  private var note: String {
    let reach = "reach from the 5th to the 95th percentile"
    let spread =
      hasManySizes ? "Dots are medians, bands \(reach)" : "Dots are medians, bars \(reach)"
    return spread + (hasFits ? ", dashed lines are the best fit." : ".")
  }

  /// Whether the sizes suffice for a band; between few sizes it would suggest unmeasured values.
  var hasManySizes: Bool { (series.map(\.points.count).max() ?? 0) >= 5 }

  var hasFits: Bool { series.contains { $0.fit != nil } }

  var contenders: [String] { series.map(\.contender) }

  private var summary: String {
    let ends = series.compactMap { series -> String? in
      guard let first = series.points.first, let last = series.points.last else { return nil }
      return "\(series.contender) from \(cost(first.summary.p50)) at "
        + "\(NumberText.count(first.size)) to \(cost(last.summary.p50)) at "
        + "\(NumberText.count(last.size)) transactions"
    }
    return "\(title): cost against the size of history. " + ends.joined(separator: "; ") + "."
  }

  func label(_ contender: String, _ point: Point) -> String {
    "\(contender), \(NumberText.count(point.size)): \(cost(point.summary.p50)) "
      + "(\(cost(point.summary.p5)) \u{2013} \(cost(point.summary.p95)))"
  }

  private func cost(_ value: Double) -> String { NumberText.quantity(value, unit: unit) }
}
