import HistoryStore
import Measuring
import PersistentHistory

/// Equal work, and work that is more by a known share, on a small store: what shows how far the times
/// of a run can be trusted.
final class NoiseCheck {
  /// How many transactions the store holds.
  private static let transactionCount = 100
  /// How often a measurement repeats: each time more is one percent.
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

  /// A contender that does so many percent more than the others.
  func contender(_ name: String, percentMore: Int = 0) -> Contender {
    let times = Self.times + percentMore
    return Contender(name) { [self] watch in try fetch(times, &watch) }
  }

  /// The one function of all contenders: two closures of the same text are compiled apart.
  @inline(never)
  private func fetch(_ times: Int, _ watch: inout Stopwatch) throws {
    try watch.time {
      for _ in 0..<times { _ = try store.fetch(request) }
    }
  }

  /// Measures the noise floor of a run, however few rounds its benchmarks get.
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
