import HistoryStore
import HistoryTypes
import Measuring

/// A quantity that grows in stores, such as members, and the operations to measure at each size.
///
/// The stores of all sizes are measured in the same rounds, so that a disturbance affects all of them
/// alike.
struct GrowthDirection: Sendable {
  /// The last word of the benchmark's name, such as `members` in `growth members`.
  let name: String
  /// The unit of the sizes, in the plural, such as `members`.
  let unit: String
  /// The text after the sizes in the benchmark's description, without a full stop.
  ///
  /// The description begins with `1 to 1,000 members: <text>; `.
  let sentence: String
  /// The sizes, smallest first: at least ``ComplexityJudge/leastSizes``, to classify the growth.
  let sizes: [Int]
  /// The sizes that a quick run measures instead of ``sizes``.
  let quickSizes: [Int]
  /// Builds the store of one size, and returns the operations to measure on it.
  let prepare: @Sendable (GrowthSetting) throws -> [MeasuredWork]

  /// The benchmark that measures the operations on stores of all sizes.
  ///
  /// A run measures it only if `--only` or `--also` names it.
  var subject: BenchmarkSubject {
    BenchmarkSubject(
      "growth \(name)",
      part: "Growth",
      operation: "with \(unit)",
      "\((sizes.first ?? 0).inGroups) to \((sizes.last ?? 0).inGroups) \(unit): \(sentence); the floor is not measured.",
      own: rows
    ).sized(in: unit)
  }

  private func rows(_ own: OwnSetting) throws -> [SampledRow] {
    let sizes = own.repetitionDivisor == 1 ? self.sizes : quickSizes
    let building = LongWork(title: "building stores", unit: "stores", total: sizes.count)
    let works = try sizes.map { size in
      let works = try prepare(try GrowthSetting(size: size, own, folder: "\(name)-\(size)"))
      try own.advance(building, 1)
      return works
    }
    let rounds = own.repetitionDivisor == 1 ? 10 : 2
    let count = works.reduce(0) { $0 + $1.count } * 2 * (rounds + 1)
    let measuring = LongWork(title: "measuring", unit: "measurements", total: count)
    let contenders = zip(sizes, works).flatMap { size, works in
      works.map { work in
        Contender(Self.name(work, size), operations: work.operations) { watch in
          try own.advance(measuring, 1)
          _ = try work.measure(&watch)
        }
      }
    }
    let result = try InterleavedMeasurement(seed: own.seed, budget: .rounds(rounds))
      .measure(contenders)
    return try zip(sizes, works).flatMap { size, works in
      try works.flatMap { work in
        try TimeKind.allCases.map { kind in
          SampledRow(
            contender: work.contender,
            metric: .time(kind),
            outcome: .samples(try result.samples(of: Self.name(work, size), kind)),
            historySize: size
          )
        }
      }
    }
  }

  private static func name(_ work: MeasuredWork, _ size: Int) -> String {
    "\(work.contender) at \(size)"
  }
}

/// The size and the path of one store in which operations are measured.
struct GrowthSetting {
  /// The size of the store, in the unit of the quantity that grows.
  let size: Int
  /// The path of the store's file, which does not exist yet.
  let path: String
  private let repetitionDivisor: Int

  init(size: Int, _ own: OwnSetting, folder: String) throws {
    self.size = size
    path = try own.scratch.makeFolder("copy-\(folder)") + "/store.sqlite"
    repetitionDivisor = own.repetitionDivisor
  }

  /// Returns the number of repetitions within one measurement.
  func repeats(_ count: Int) -> Int { max(1, count / repetitionDivisor) }

  /// Creates a store without signals and member locks, as in the other benchmarks.
  func store(_ model: Model) throws -> Store {
    try Store(path: path, model: model, configuration: StoreTemplate.quietConfiguration)
  }

  /// Returns an operation that each measurement repeats `count` times, or fewer in a quick run.
  ///
  /// `before` runs before each measurement, and is not timed.
  func work(
    _ name: String,
    times count: Int,
    before: @escaping () throws -> Void = {},
    measuring operation: @escaping () throws -> Void
  ) -> MeasuredWork {
    let times = repeats(count)
    return MeasuredWork(contender: name, operations: times) { watch in
      try before()
      try watch.time { for _ in 0..<times { try operation() } }
      return WorkTally(count: times, sum: 0)
    }
  }

  /// Returns the two operations that most growth benchmarks measure.
  ///
  /// The operations are an insert of one row with `insert`, and a fetch of ten transactions.
  func usual(_ store: Store, insert: @escaping () throws -> Void) throws -> [MeasuredWork] {
    var start = try store.currentToken()
    return [
      work("insert of 1 row", times: 100, measuring: insert),
      work(
        "fetch of 10 transactions",
        times: 100,
        before: {
          start = try store.currentToken()
          for _ in 0..<10 { try insert() }
        },
        measuring: { _ = try store.fetch(HistoryRequest(after: start, transactionCountMax: 10)) }
      ),
    ]
  }
}
