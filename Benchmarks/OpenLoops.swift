import HistoryStore
import HistoryTypes
import Measuring

/// Writes at a planned rate, each timed from its planned start.
enum OpenLoops {
  static let all = [
    BenchmarkSubject(
      "open loop",
      part: "Store.batchInsert",
      operation: "at a planned rate",
      "Batch requests of one row start at planned times, at half and at nine tenths of the rate that "
        + "a short calibration finds, or at the rate that --planned-rate names; each is timed from "
        + "its planned start and, as the service, from its actual start; the floor (SQLite in C, cost "
        + "1) is not measured. If the plan cannot be kept, the result says that the store is "
        + "saturated."
    ) { setting in
      let file = try setting.store()
      let count = setting.repeats(writeCount)
      return try plans(file, setting).flatMap { plan in
        try rows(plan, count, file)
      }
    }
  ]

  /// The number of writes at each planned rate; a quick run has fewer.
  private static let writeCount = 5000

  /// A rate at which writes are started, and the name of its measurement in results.
  private struct RatePlan {
    let contender: String
    /// The rate in writes per second.
    let rate: Double
  }

  private static func plans(
    _ file: BenchmarkStore,
    _ setting: BenchmarkSetting
  ) throws -> [RatePlan] {
    if let rate = setting.plannedRate {
      return [RatePlan(contender: "Store at \(Int(rate)) writes a second", rate: rate)]
    }
    let capacity = try capacity(of: file, setting.repeats(500))
    return [
      RatePlan(contender: "Store at half of its capacity", rate: capacity * 0.5),
      RatePlan(contender: "Store at nine tenths of its capacity", rate: capacity * 0.9),
    ]
  }

  /// Returns the number of back-to-back writes per second.
  private static func capacity(of file: BenchmarkStore, _ count: Int) throws -> Double {
    for _ in 0..<count { try file.store.insertSlip() }
    let start = NanosecondClock.wall.now()
    for _ in 0..<count { try file.store.insertSlip() }
    return Double(count) * 1e9 / Double(NanosecondClock.wall.now() - start)
  }

  private static func rows(
    _ plan: RatePlan,
    _ count: Int,
    _ file: BenchmarkStore
  ) throws -> [SampledRow] {
    try file.side.checkpoint()
    let loop = OpenLoop(intervalNs: 1e9 / plan.rate, count: count)
    let outcome = try loop.run { try file.store.insertSlip() }
    let service = "\(plan.contender), service"
    guard !outcome.isSaturated else {
      let reason = saturated(outcome.services.count, of: count, plan.rate)
      return [plan.contender, service].map {
        SampledRow(contender: $0, metric: .wall, outcome: .notMeasured(reason))
      }
    }
    return [
      SampledRow(contender: plan.contender, metric: .wall, outcome: .samples(outcome.latencies)),
      SampledRow(contender: service, metric: .wall, outcome: .samples(outcome.services)),
      SampledRow(contender: plan.contender, metric: .plannedRate, outcome: .samples([plan.rate])),
    ]
  }

  private static func saturated(_ done: Int, of count: Int, _ rate: Double) -> String {
    "saturated: at \(Int(rate)) writes per second the store fell further and further behind, so "
      + "the plan was stopped after \(done) of \(count); plan fewer with --planned-rate"
  }
}

extension Metric {
  /// The planned operations per second, which may be derived from the measured capacity.
  fileprivate static let plannedRate = Metric(name: "planned rate", kind: .wall, unit: "/s")
}
