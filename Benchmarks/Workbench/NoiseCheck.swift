import HistoryStore
import Measuring
import PersistentHistory

/// Measurements of equal work, and of work increased by a known share, on a small store.
///
/// They show how precise the times of a run are.
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

  /// Creates a contender that does a percentage more work than the others.
  func contender(_ name: String, percentMore: Int = 0) -> Contender {
    let times = Self.times + percentMore
    return Contender(name) { [self] watch in try fetch(times, &watch) }
  }

  /// The function that all contenders share, because equal closures are compiled separately.
  @inline(never)
  private func fetch(_ times: Int, _ watch: inout Stopwatch) throws {
    try watch.time {
      for _ in 0..<times { _ = try store.fetch(request) }
    }
  }

  /// Measures the noise floor of a run, with a fixed number of rounds.
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
