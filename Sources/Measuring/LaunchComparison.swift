#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A comparison of two builds by pairs of launches.
///
/// Each launch counts as one number, however many samples it has, because the placement of code and
/// pages in memory varies from launch to launch.
package struct LaunchComparison: Sendable {
  /// The identity of a compared row: benchmark, contender, size and metric.
  package struct Key: Sendable, Hashable {
    package let title: String
    package let contender: String
    /// The size of history, in transactions.
    package let historySize: Int
    /// The metric of the compared times: wall time or processor time.
    package let metric: Metric

    init(_ row: BenchmarkRow) {
      title = row.title
      contender = row.contender
      historySize = row.historySize
      metric = row.metric
    }
  }

  /// The verdict on a row that was measured in both builds.
  package struct Judged: Sendable, Hashable {
    package let key: Key
    package let verdict: GateVerdict
  }

  /// The test that decides which of the compared times have risen or fallen.
  package let gate: RegressionGate
  private var keys: [Key] = []
  private var evidence: [Key: RegressionGate.Evidence] = [:]

  /// Creates a comparison without launches.
  package init(gate: RegressionGate) { self.gate = gate }

  /// Adds the rows of two consecutive launches, one of each build, to the first stage.
  ///
  /// The first stage measures all rows, the second stage measures only ``suspects`` again.
  package mutating func add(base: [BenchmarkRow], head: [BenchmarkRow]) {
    for (key, ratio) in Self.logRatios(base, head) {
      if evidence[key] == nil {
        keys.append(key)
        evidence[key] = RegressionGate.Evidence(first: [])
      }
      evidence[key]?.first.append(ratio)
    }
  }

  /// The rows to measure again in a second stage: their cost may have changed, or is too uncertain.
  package var suspects: [Key] {
    keys.filter { evidence[$0].map { gate.wantsSecondLook($0.first) } ?? false }
  }

  /// Adds the given rows of two consecutive launches, one of each build, to the second stage.
  ///
  /// The second stage measures ``suspects`` again. The verdicts on suspects use only the launches
  /// of the second stage.
  package mutating func addAgain(
    base: [BenchmarkRow],
    head: [BenchmarkRow],
    for suspects: Set<Key>
  ) {
    for (key, ratio) in Self.logRatios(base, head) where suspects.contains(key) {
      guard var row = evidence[key] else { continue }
      row.second = (row.second ?? []) + [ratio]
      evidence[key] = row
    }
  }

  /// The verdicts on all rows, in the order of measuring.
  ///
  /// The p-values of all rows are evaluated together, to limit the share of false alarms.
  package var judged: [Judged] {
    let verdicts = gate.judge(keys.compactMap { evidence[$0] })
    return zip(keys, verdicts).map { Judged(key: $0, verdict: $1) }
  }

  /// Returns, for each timed row of both builds, the logarithm of the ratio of `head` to `base`.
  ///
  /// The ratio is that of the medians.
  private static func logRatios(
    _ base: [BenchmarkRow],
    _ head: [BenchmarkRow]
  ) -> [(Key, Double)] {
    var before: [Key: Double] = [:]
    for row in base where row.metric.kind != .exact { before[Key(row)] = row.summary?.p50 }
    return head.compactMap { row in
      guard row.metric.kind != .exact, let was = before[Key(row)], let now = row.summary?.p50,
        was > 0, now > 0
      else { return nil }
      return (Key(row), log(now / was))
    }
  }
}

/// The precision of a run's times, measured on equal work and on work increased by 3 %.
package struct NoiseFloor: Sendable, Hashable {
  /// The ``BenchmarkRow/subject`` of the rows that measure how precise a run's times are.
  package static let subject = "Noise floor"
  /// The name in results of the code that does the original work, whose cost counts as 1.
  package static let floor = "the same work"
  /// The name in results of the code that does the original work again, to show the noise of times.
  package static let again = "the same work again"
  /// The name in results of the code that does 3 % more work.
  package static let injected = "3 % more work"

  /// The value of ``halfWidth`` above which the run's times are not usable: 0.01, that is 1 %.
  package static let widest = 0.01

  /// The ratio of two measurements of the same work, in processor time.
  package let same: Interval
  /// The ratio of two measurements of the same work, in wall time.
  package let sameOnWall: Interval
  /// The measured ratio of work increased by 3 % to the original work, in processor time.
  package let more: Interval

  /// Reads from the rows of a run how precise its times are.
  ///
  /// The rows of ``subject`` have the times of three pieces of code: two with the same work, and
  /// one with 3 % more.
  ///
  /// - Returns: `nil` if the run has no such rows, or has no ratios for them.
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

  /// The precision of processor times, as a share: 0.01 means 1 %.
  ///
  /// The value is half the width of the confidence interval of ``same``, the ratio of two
  /// measurements of the same work. Smaller differences cannot be detected.
  package var halfWidth: Double { Self.halfWidth(same) }

  /// The precision of wall times, as a share: 0.01 means 1 %.
  ///
  /// The value is half the width of the confidence interval of ``sameOnWall``, the ratio of two
  /// measurements of the same work.
  package var halfWidthOnWall: Double { Self.halfWidth(sameOnWall) }

  /// The reason why the run's times are not usable, or `nil` if they are.
  package var uncertainty: String? {
    let (low, high) = (1 / (1 + Self.widest), 1 + Self.widest)
    if halfWidth > Self.widest {
      return "two measurements of equal work may differ by up to \(Self.percent(halfWidth))"
    }
    if same.lower > high || same.upper < low {
      return "equal work seemed to differ by \(Self.percent(same.estimate - 1))"
    }
    // 3 % more work must be detected, and must not appear to be much more than that.
    guard more.lower > 1.005, more.upper < 1.06 else {
      return "3 % more work was measured as \(Self.percent(more.estimate - 1)) more"
    }
    return nil
  }

  /// A sentence with the precision of processor times and wall times.
  package var sentence: String {
    "\u{B1}\(Self.percent(halfWidth)) in processor time, "
      + "\u{B1}\(Self.percent(halfWidthOnWall)) in wall time; 3 % more work was measured as "
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
