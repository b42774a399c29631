/// Compares two contenders in ABBA blocks of four measurements each.
///
/// Which of the two begins a block is random and follows from the seed.
package struct PairedMeasurement: Sendable {
  private let measurement: InterleavedMeasurement

  /// Plans a comparison; tests hand in clocks of their own.
  package init(
    seed: UInt64,
    budget: RoundBudget = .rounds(50),
    wall: NanosecondClock = .wall,
    cpu: NanosecondClock = .threadCPU
  ) {
    measurement = InterleavedMeasurement(seed: seed, budget: budget, wall: wall, cpu: cpu)
  }

  /// Measures both; ratios tell what the candidate costs beside the baseline.
  ///
  /// To compare a program with itself both must call one function: two closures of the same text
  /// are compiled apart and can differ by several percent.
  ///
  /// - Throws: what a contender throws, and a `MeasuringError` for a wrong use of the watch.
  package func compare(
    _ candidate: Contender,
    to baseline: Contender
  ) throws -> PairedResult {
    PairedResult(
      candidate: candidate.name,
      baseline: baseline.name,
      result: try measurement.measure([baseline, candidate])
    )
  }
}

/// The blocks of two contenders and the ratio between them.
package struct PairedResult: Sendable, Hashable, Codable {
  /// The name of the contender in question.
  package var candidate: String
  /// The name of the contender that is 1.
  package var baseline: String
  /// Every reading.
  package var result: InterleavedResult

  /// Estimates what the candidate costs beside the baseline; nil when a reading is zero.
  ///
  /// - Throws: `noSuchContender` for a result that was put together wrongly.
  package func ratio(
    _ kind: TimeKind,
    bootstrap: Bootstrap? = nil
  ) throws(MeasuringError) -> RatioEstimate? {
    try result.ratio(of: candidate, to: baseline, kind, bootstrap: bootstrap)
  }

  /// The order of each block, baseline A and candidate B: `ABBA` or `BAAB`.
  package var blockOrders: [String] {
    result.rounds.map { $0.order == [0, 1] ? "ABBA" : "BAAB" }
  }
}
