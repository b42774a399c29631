import HistoryStore
import HistoryTypes
package import Measuring

/// The parts of the measurement self-test that time and count real work of the store.
///
/// A row is one comparison of the times of two pieces of work.
package struct MeasuredSelfTest: Sendable {
  /// The seed of the random order of the measurements, and of the resampling.
  package var seed: UInt64
  /// The number of comparisons (rows) of equal work, where each reported change is a false alarm.
  package var alikeRows: Int
  /// The number of comparisons (rows) in which one side does 2 % more work, which should be found.
  package var dearerRows: Int
  /// The folder in which a folder for the stores is created.
  ///
  /// `nil`, the default, selects `/dev/shm` if it is writable, else the folder for temporary files.
  package var scratchParent: String?

  /// The number of blocks (rounds) in the first measurement of a row.
  ///
  /// Together, the blocks take at least 10 ms for each piece of work. A row whose ratio of times
  /// seems changed or is uncertain is measured again with four times as many blocks: even on two
  /// cores shared by seven busy processes, the ratio's 99 % confidence interval is then narrower
  /// than 1 %.
  private static let blocks = 80
  /// The sizes of history at which work is counted, to classify the growth of the counts.
  private static let sizes = [100, 200, 400, 800, 1600]

  /// Creates the self-test; a quick one makes a tenth of the comparisons (rows).
  package init(seed: UInt64, isQuick: Bool) {
    self.seed = seed
    alikeRows = isQuick ? 30 : 300
    dearerRows = isQuick ? 10 : 100
  }

  /// Runs all parts of the self-test, and passes the outcome of each part to `note`.
  ///
  /// `measures` is called before each of the ``rowCount`` comparisons (rows) starts, for example to
  /// show progress. It is not called when a suspect row is measured again.
  ///
  /// - Throws: An error of the store or of the closures.
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

  /// The sum of ``alikeRows`` and ``dearerRows``, without repeated measurements of a row.
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
  /// The regressions are 3 % more work, a dropped index, and a scan of all history. The self-test
  /// must find and name these regressions; the comparison with itself must find none.
  private func seeded(
    _ scratch: ScratchFolder,
    _ check: NoiseCheck
  ) throws -> [SelfTestOutcome] {
    let noise = NoiseFloor(try check.rows(seed: seed, condition: scratch.medium))
    let counts = try SeededRegressions(scratch, sizes: Self.sizes)
    return [
      SelfTestOutcome(
        "3 % more work added",
        goal: "found",
        found: noise?.sentence ?? "not measured",
        isReached: noise.map { $0.uncertainty == nil } ?? false,
        isMeasured: true
      ), try counts.droppedIndex(), try counts.linearScan(), try counts.sameAgain(),
    ]
  }
}

/// Regressions seeded into real work, which the exact counts must detect.
struct SeededRegressions {
  private let settings: [BenchmarkSetting]

  /// The number of newest transactions that each fetch returns.
  private static let newest = 10

  /// Builds stores in the layout of Core Data, whose fetches rely on an index.
  init(_ scratch: ScratchFolder, sizes: [Int]) throws {
    var builder = TemplateBuilder(folder: scratch.path, seed: BenchmarkRandom.seed)
    builder.configuration.layout = .coreData
    settings = try builder.build(sizes: sizes) { _ in }.map {
      BenchmarkSetting(
        historySize: $0.historySize,
        template: $0,
        scratch: scratch,
        repetitionDivisor: 1
      )
    }
  }

  /// Compares a store with itself: no count may differ.
  func sameAgain() throws -> SelfTestOutcome {
    let findings = ExactComparison(base: try rows(.asItIs), head: try rows(.asItIs)).changes
    return SelfTestOutcome(
      "the same program compared with itself",
      goal: "no count differs",
      found: findings.isEmpty ? "none differs" : findings.map(\.brief).joined(separator: "; "),
      isReached: findings.isEmpty,
      isMeasured: true
    )
  }

  /// Compares a fetch with one for which an index was dropped: more VM steps must be found.
  func droppedIndex() throws -> SelfTestOutcome {
    let findings = ExactComparison(base: try rows(.asItIs), head: try rows(.withoutIndex)).changes
    let steps = findings.first { $0.head.metric == .vmSteps && $0.isDearer }
    return SelfTestOutcome(
      "an index dropped",
      goal: "found and named by VM steps",
      found: steps?.brief ?? "not found",
      isReached: steps != nil,
      isMeasured: true
    )
  }

  /// Compares a fetch with one that reads all of history: VM steps must become linear-like.
  ///
  /// The VM steps of the first fetch must be flat, that is the same at every history size.
  func linearScan() throws -> SelfTestOutcome {
    let judge = ComplexityJudge(seed: BenchmarkRandom.seed)
    let before = judge.judge(try steps(.asItIs))
    let after = judge.judge(try steps(.readingAll))
    let law = after.fit?.model.rawValue ?? "none"
    return SelfTestOutcome(
      "a linear scan added",
      goal: "VM steps become linear-like instead of flat",
      found: "\(before.complexity.rawValue), then \(after.complexity.rawValue) (\(law))",
      isReached: before.complexity == .flat && after.complexity == .linearLike,
      isMeasured: true
    )
  }

  private enum Variant {
    case asItIs
    case withoutIndex
    case readingAll
  }

  private func steps(_ variant: Variant) throws -> CostCurve {
    let rows = try rows(variant).filter { $0.metric == .vmSteps }
    return CostCurve(rows.map { CostCurve.Point(size: $0.historySize, samples: $0.samples) })
  }

  /// Returns the counts of a fetch of the newest transactions, at each size.
  private func rows(_ variant: Variant) throws -> [BenchmarkRow] {
    let subject = BenchmarkSubject(
      "seeded fetch",
      part: "Store.fetch",
      operation: "after token",
      condition: "\(Self.newest) new, coreData layout",
      "A fetch of the newest transactions, with or without a seeded regression; no other "
        + "contender is measured."
    ) { setting in [try Self.fetch(setting, variant)] }
    let pass = CountingPass(subject: subject, settings: settings, seed: 1, condition: "warm")
    return try pass.rows().filter { Metric.counted.contains($0.metric) }
  }

  private static func fetch(
    _ setting: BenchmarkSetting,
    _ variant: Variant
  ) throws -> MeasuredWork {
    let path = try setting.copy()
    if variant == .withoutIndex {
      try SideConnection(path: path).execute("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX")
    }
    let store = try Store(path: path, configuration: StoreTemplate.quietConfiguration)
    let all = try store.fetch(HistoryRequest(after: nil)).transactions
    let request = HistoryRequest(
      after: variant == .readingAll ? nil : all.dropLast(newest).last?.token
    )
    return MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let page = try watch.time { try store.fetch(request) }
      let newest = page.transactions.suffix(newest)
      return WorkTally(count: newest.count, sum: newest.reduce(0) { $0 &+ $1.number.rawValue })
    }
  }
}

/// Measurements of equal work, and of work increased by a known share, on a small store.
///
/// The measurements show how precise the times of a run are.
final class NoiseCheck {
  /// The number of transactions in the store.
  private static let transactionCount = 100
  /// The number of repetitions in a measurement; each additional one is 1 % more work.
  private static let times = 100

  private let store: Store
  private let request: HistoryRequest

  /// Builds the store in a folder.
  init(_ scratch: ScratchFolder) throws {
    let path = scratch.path + "/noise.sqlite"
    let builder = TemplateBuilder(folder: scratch.path, seed: BenchmarkRandom.seed)
    try builder.write(path, Self.transactionCount) { _ in }
    let file = try BenchmarkStore(path: path, historySize: Self.transactionCount)
    store = file.store
    request = HistoryRequest(after: try file.token(try file.side.head() - 1))
  }

  /// Creates a contender (code to be timed) whose work is larger by a percentage; the default is 0.
  func contender(_ name: String, percentMore: Int = 0) -> Contender {
    let times = Self.times + percentMore
    return Contender(name) { [self] watch in try fetch(times, &watch) }
  }

  /// Performs the work that is timed.
  ///
  /// All timed closures call this one function, so that they run the same machine code.
  @inline(never)
  private func fetch(_ times: Int, _ watch: inout Stopwatch) throws {
    try watch.time {
      for _ in 0..<times { _ = try store.fetch(request) }
    }
  }

  /// Measures the rows of a ``NoiseFloor``, which show how precise times are, in 150 rounds.
  func rows(seed: UInt64, condition: String) throws -> [BenchmarkRow] {
    let measurement = InterleavedMeasurement(seed: seed, budget: .rounds(150))
    let result = try measurement.measure([
      contender(NoiseFloor.floor), contender(NoiseFloor.again),
      contender(NoiseFloor.injected, percentMore: 3),
    ])
    let topic = RowTopic(
      subject: NoiseFloor.subject,
      operation: "",
      condition: condition,
      historySize: Self.transactionCount
    )
    return try result.rows(about: topic, floor: NoiseFloor.floor)
  }
}
