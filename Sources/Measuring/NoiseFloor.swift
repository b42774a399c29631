/// How far the times of a run can be trusted: what it said of equal work, and of work that was 3 %
/// more on purpose.
package struct NoiseFloor: Sendable, Hashable {
  /// The part of the system under which its rows stand in results.
  package static let subject = "Noise floor"
  /// The work that the others are compared with.
  package static let floor = "the same work"
  /// The same once more.
  package static let again = "the same work again"
  /// The work with so many percent more in it.
  package static let injected = "3 % more work"

  /// The half-width of an interval, as a share, above which times say nothing.
  package static let widest = 0.01

  /// What equal work seemed to cost, on the processor.
  package let same: Interval
  /// The same on the wall.
  package let sameOnWall: Interval
  /// What 3 % more work seemed to cost, on the processor.
  package let more: Interval

  /// Finds the rows of the noise floor among those of a run.
  ///
  /// - Returns: nil when the run has none, or could not compare them.
  package init?(_ rows: [BenchmarkRow]) {
    func ratio(_ contender: String, _ metric: Metric) -> Interval? {
      rows.first {
        $0.subject == Self.subject && $0.contender == contender && $0.metric == metric
      }?.ratio?.interval
    }
    guard let same = ratio(Self.again, .cpu), let sameOnWall = ratio(Self.again, .wall),
      let more = ratio(Self.injected, .cpu)
    else { return nil }
    self.same = same
    self.sameOnWall = sameOnWall
    self.more = more
  }

  /// Half of the interval of equal work, as a share: differences below it drown.
  package var halfWidth: Double { Self.halfWidth(same) }

  /// The same on the wall.
  package var halfWidthOnWall: Double { Self.halfWidth(sameOnWall) }

  /// Why the times of the run decide nothing; nil when they do.
  package var doubt: String? {
    let (low, high) = (1 / (1 + Self.widest), 1 + Self.widest)
    if halfWidth > Self.widest {
      return "equal work could not be told apart better than \(Self.percent(halfWidth))"
    }
    if same.lower > high || same.upper < low {
      return "equal work seemed to differ by \(Self.percent(same.estimate - 1))"
    }
    // What is dearer by 3 % must be seen to be, by no more than it is.
    guard more.lower > 1.005, more.upper < 1.06 else {
      return "3 % more work was not found: it seemed \(Self.percent(more.estimate - 1)) more"
    }
    return nil
  }

  /// The noise floor in a sentence.
  package var sentence: String {
    "\u{B1}\(Self.percent(halfWidth)) on the processor, "
      + "\u{B1}\(Self.percent(halfWidthOnWall)) on the wall; 3 % more work seemed "
      + "\(Self.percent(more.estimate - 1)) more"
  }

  private static func halfWidth(_ interval: Interval) -> Double {
    (interval.upper - interval.lower) / 2
  }

  private static func percent(_ share: Double) -> String {
    let tenths = (share * 1000).rounded()
    return "\(tenths / 10) %"
  }
}
