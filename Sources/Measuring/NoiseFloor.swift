/// The precision of a run's times, measured on equal work and on work increased by 3 %.
package struct NoiseFloor: Sendable, Hashable {
  /// The subject of the noise floor's rows in results.
  package static let subject = "Noise floor"
  /// The name of the contender that the others are compared with.
  package static let floor = "the same work"
  /// The name of the contender that repeats the same work.
  package static let again = "the same work again"
  /// The name of the contender with 3 % more work.
  package static let injected = "3 % more work"

  /// The half-width of an interval, as a share, above which times are not usable.
  package static let widest = 0.01

  /// The measured ratio of equal work, in processor time.
  package let same: Interval
  /// The measured ratio of equal work, in wall time.
  package let sameOnWall: Interval
  /// The measured ratio of 3 % more work, in processor time.
  package let more: Interval

  /// Finds the rows of the noise floor among those of a run.
  ///
  /// - Returns: `nil` if the run has none, or has no ratios for them.
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

  /// Half of the interval of equal work, as a share; smaller differences cannot be detected.
  package var halfWidth: Double { Self.halfWidth(same) }

  /// The half-width for wall time.
  package var halfWidthOnWall: Double { Self.halfWidth(sameOnWall) }

  /// The reason why the run's times are not usable, or `nil` if they are.
  package var doubt: String? {
    let (low, high) = (1 / (1 + Self.widest), 1 + Self.widest)
    if halfWidth > Self.widest {
      return "equal work could not be told apart better than \(Self.percent(halfWidth))"
    }
    if same.lower > high || same.upper < low {
      return "equal work seemed to differ by \(Self.percent(same.estimate - 1))"
    }
    // 3 % more work must be detected, and must not appear to be much more than that.
    guard more.lower > 1.005, more.upper < 1.06 else {
      return "3 % more work was not found: it seemed \(Self.percent(more.estimate - 1)) more"
    }
    return nil
  }

  /// A sentence with the noise floor of both clocks.
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
