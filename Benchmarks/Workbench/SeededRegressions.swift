import HistoryStore
import Measuring
import PersistentHistory

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
        haste: 1
      )
    }
  }

  /// Compares a store with itself: no count may differ.
  func sameAgain() throws -> SelfTestOutcome {
    let findings = ExactComparison(base: try rows(.asItIs), head: try rows(.asItIs)).findings
    return SelfTestOutcome(
      "the same beside itself",
      goal: "no count differs",
      found: findings.isEmpty ? "none differs" : findings.map(\.brief).joined(separator: "; "),
      isReached: findings.isEmpty,
      isMeasured: true
    )
  }

  /// Compares a store with one whose changes have lost their index.
  func droppedIndex() throws -> SelfTestOutcome {
    let findings = ExactComparison(base: try rows(.asItIs), head: try rows(.withoutIndex)).findings
    let steps = findings.first { $0.head.metric == .vmSteps && $0.isDearer }
    return SelfTestOutcome(
      "an index dropped",
      goal: "found and named by VM steps",
      found: steps?.brief ?? "not found",
      isReached: steps != nil,
      isMeasured: true
    )
  }

  /// Compares a fetch with one that reads all of history and keeps the newest transactions.
  func linearScan() throws -> SelfTestOutcome {
    let judge = ComplexityJudge(seed: BenchmarkRandom.seed)
    let before = judge.judge(try steps(.asItIs))
    let after = judge.judge(try steps(.readingAll))
    let law = after.fit?.model.rawValue ?? "none"
    return SelfTestOutcome(
      "a linear scan put in",
      goal: "VM steps are linear-like, before flat",
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
      "A fetch of the newest transactions, with a regression put in or without; the floor is missing."
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
      return WorkTally(count: newest.count, sum: newest.reduce(0) { $0 &+ $1.number })
    }
  }
}
