import HistoryStore
package import Measuring
import PersistentHistory

/// The parts of the measurement self-test that time and count real work of the store.
package struct MeasuredSelfTest: Sendable {
  /// The seed of the orders and the resamples.
  package var seed: UInt64
  /// The number of rows of equal work.
  package var alikeRows: Int
  /// The number of rows with 2 % more work.
  package var dearerRows: Int
  /// The folder in which the stores' folder is created, or `nil` for one in memory if possible.
  package var scratchParent: String?

  /// The number of blocks in the first stage of a row, at least 10 ms per contender.
  ///
  /// On two cores shared by seven busy processes, the 99 % interval of four times as many blocks is
  /// still narrower than 1 %.
  private static let blocks = 80
  /// The sizes of history over which counts are judged.
  private static let sizes = [100, 200, 400, 800, 1600]

  /// Creates the self-test; a quick one has a tenth of the rows.
  package init(seed: UInt64, isQuick: Bool) {
    self.seed = seed
    alikeRows = isQuick ? 30 : 300
    dearerRows = isQuick ? 10 : 100
  }

  /// Runs all parts, and passes each outcome to `note`; `measures` is called before each row.
  ///
  /// - Throws: what the store or the closures throw.
  package func run(
    measures: () throws -> Void,
    _ note: (SelfTestOutcome) throws -> Void
  ) throws {
    let scratch = try ScratchFolder(in: scratchParent)
    let result = Result {
      let check = try NoiseCheck(scratch)
      let alike = try trial(check, rows: alikeRows, percentMore: 0, measures)
      try note(.alarms("equal work in one process", alike, isMeasured: true))
      let dearer = try trial(check, rows: dearerRows, percentMore: 2, measures)
      try note(.found("+2 % in one process", dearer, isMeasured: true))
      for outcome in try seeded(scratch, check) { try note(outcome) }
    }
    try scratch.remove()
    try result.get()
  }

  /// The greatest number of rows that are measured, without second stages.
  package var rowCount: Int { alikeRows + dearerRows }

  private func trial(
    _ check: NoiseCheck,
    rows: Int,
    percentMore: Int,
    _ measures: () throws -> Void
  ) throws -> GateTrial {
    let baseline = check.contender("baseline")
    let candidate = check.contender("candidate", percentMore: percentMore)
    var turn: UInt64 = 0
    var gate = RegressionGate(seed: seed)
    // The gate has to detect 2 %. If the interval is wider than half of that, a second stage is
    // worthwhile, because it is cheap here.
    gate.widestDecided = 0.01
    return try GateTrial(rows: rows, units: Self.blocks, gate: gate) {
      row,
      blocks in
      if blocks == Self.blocks { try measures() }
      turn += 1
      let measurement = InterleavedMeasurement(seed: seed &+ turn, budget: .rounds(blocks))
      let result = try measurement.measure([baseline, candidate])
      return try result.logRatios(of: "candidate", to: "baseline", .cpu)
    }
  }

  // MARK: Seeded regressions

  /// Returns the outcomes for seeded regressions, and for the same program compared with itself.
  ///
  /// The regressions are 3 % more work, a dropped index, and a scan of all history. They must be
  /// found and named; the comparison with itself must find none.
  private func seeded(
    _ scratch: ScratchFolder,
    _ check: NoiseCheck
  ) throws -> [SelfTestOutcome] {
    let noise = NoiseFloor(try check.rows(seed: seed, condition: scratch.medium))
    let counts = try SeededRegressions(scratch, sizes: Self.sizes)
    return [
      SelfTestOutcome(
        "3 % more work put in",
        goal: "found",
        found: noise?.sentence ?? "not measured",
        isReached: noise.map { $0.doubt == nil } ?? false,
        isMeasured: true
      ), try counts.droppedIndex(), try counts.linearScan(), try counts.sameAgain(),
    ]
  }
}
