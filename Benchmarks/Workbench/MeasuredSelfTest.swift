import HistoryStore
package import Measuring
import PersistentHistory

/// The parts of the measuring's own test that time and count real work of the store.
package struct MeasuredSelfTest: Sendable {
  /// From what orders and resamples follow.
  package var seed: UInt64
  /// How many rows of equal work are judged.
  package var alikeRows: Int
  /// How many rows of 2 % more work are judged.
  package var dearerRows: Int
  /// The folder that the stores' own folder is made in, or nothing for one in memory if there is one.
  package var scratchParent: String?

  /// The blocks of a row's first look, at least 10 ms a contender: on two cores with seven processes
  /// that want them the 99 % interval of four times as many is still narrower than 1 %.
  private static let blocks = 80
  /// The sizes of history over which counts are judged.
  private static let sizes = [100, 200, 400, 800, 1600]

  /// Plans the test; `quick` judges a tenth of the rows.
  package init(seed: UInt64, isQuick: Bool) {
    self.seed = seed
    alikeRows = isQuick ? 30 : 300
    dearerRows = isQuick ? 10 : 100
  }

  /// Does all parts, and tells each outcome as it comes; `measures` is told before each row.
  ///
  /// - Throws: what the store throws, and what the closures throw.
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

  /// How many rows are measured at most; second looks are not counted.
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
    // What is sought is 2 %; a look that is wider than half of it is worth another, which is cheap here.
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

  // MARK: Regressions put in on purpose

  /// What must be found and named: 3 % more work, an index that is gone, a scan of all history; and the
  /// same program beside itself, of which nothing may be.
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
