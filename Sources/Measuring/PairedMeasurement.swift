/// A comparison of two contenders in ABBA blocks of four measurements each.
///
/// The seed determines at random which of the two starts each block.
package struct PairedMeasurement: Sendable {
  private let measurement: InterleavedMeasurement

  /// Creates a comparison; both clocks can be replaced.
  package init(
    seed: UInt64,
    budget: RoundBudget = .rounds(50),
    wall: NanosecondClock = .wall,
    cpu: NanosecondClock = .threadCPU
  ) {
    measurement = InterleavedMeasurement(seed: seed, budget: budget, wall: wall, cpu: cpu)
  }

  /// Measures both contenders; ratios are those of the candidate to the baseline.
  ///
  /// To compare a program with itself, both contenders must call the same function: two closures
  /// with the same source text are compiled separately and can differ by several percent.
  ///
  /// - Throws: what a contender throws, or a `MeasuringError` for a wrong use of the watch.
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
  /// The name of the candidate.
  package var candidate: String
  /// The name of the baseline, whose cost counts as 1.
  package var baseline: String
  /// All samples.
  package var result: InterleavedResult

  /// Estimates the candidate's cost relative to the baseline, or returns `nil` if a sample is zero.
  ///
  /// - Throws: `noSuchContender` if the result does not contain both names.
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
