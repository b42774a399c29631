import Basics

/// A measurement of several contenders in turn, so that disturbances affect all of them alike.
///
/// A round runs all contenders in a random order and then again in the reverse order, so that a
/// drift within the round cancels out. With two contenders, this is one ABBA or BAAB block of four.
/// The seed determines the orders and is part of the result.
///
/// In one process, with two contenders on two noisy cores, the estimate of a ratio varies by 0.1 to
/// 0.3 %; measured one contender after the other, it varies by 1 to 6 %.
package struct InterleavedMeasurement: Sendable {
  /// The seed of the random orders of contenders, and of the resamples.
  package var seed: UInt64
  /// The number of rounds, with an optional time limit.
  package var budget: RoundBudget
  private let wallClock: NanosecondClock
  private let cpuClock: NanosecondClock

  /// Creates a measurement; tests can replace the clocks for wall time and processor time.
  package init(
    seed: UInt64,
    budget: RoundBudget = RoundBudget(),
    wall: NanosecondClock = .wall,
    cpu: NanosecondClock = .threadCPU
  ) {
    self.seed = seed
    self.budget = budget
    wallClock = wall
    cpuClock = cpu
  }

  /// Measures the contenders and keeps every single sample.
  ///
  /// After each round, outside the timed part, `roundEnded` receives the number of finished rounds.
  ///
  /// - Throws: The error of a contender, or a `MeasuringError` for a wrong use of the stopwatch.
  package func measure(
    _ contenders: [Contender],
    roundEnded: (Int) -> Void = { _ in }
  ) throws -> InterleavedResult {
    try checkNames(of: contenders)
    var random = SplitMix64(seed: seed)
    for _ in 0..<budget.warmUp {
      _ = try round(of: contenders, order: random.order(of: contenders.count))
    }
    var rounds: [InterleavedResult.Round] = []
    let start = wallClock.now()
    while budget.allowsRound(after: rounds.count, spent: wallClock.now() - start) {
      let order = random.order(of: contenders.count)
      rounds.append(try round(of: contenders, order: order))
      roundEnded(rounds.count)
    }
    return InterleavedResult(names: contenders.map(\.name), seed: seed, rounds: rounds)
  }

  private func round(
    of contenders: [Contender],
    order: [Int]
  ) throws -> InterleavedResult.Round {
    let watch = Stopwatch(wall: wallClock, cpu: cpuClock)
    var readings = [[Elapsed]](repeating: [], count: contenders.count)
    for index in order + order.reversed() {
      readings[index].append(try contenders[index].measure(with: watch))
    }
    return InterleavedResult.Round(order: order, readings: readings)
  }

  private func checkNames(of contenders: [Contender]) throws(MeasuringError) {
    precondition(!contenders.isEmpty, "nothing to measure")
    var seen: Set<String> = []
    for contender in contenders where !seen.insert(contender.name).inserted {
      throw .sameName(contender.name)
    }
  }
}

/// Code that is measured in turn with others, such as this project's store and plain SQLite in C.
package struct Contender {
  /// The name of this code in results and charts, such as `Store`.
  package let name: String
  /// The number of operations in one measurement; its time is divided by this number.
  package let operations: Int
  private let body: (inout Stopwatch) throws -> Void

  /// Creates a contender whose closure starts and stops the stopwatch around the measured work.
  package init(
    _ name: String,
    operations: Int = 1,
    body: @escaping (inout Stopwatch) throws -> Void
  ) {
    precondition(operations > 0, "\(name): a measurement of \(operations) operations")
    self.name = name
    self.operations = operations
    self.body = body
  }

  /// Creates a contender from a closure that prepares a value, and a timed closure that uses it.
  package init<Prepared>(
    _ name: String,
    operations: Int = 1,
    prepare: @escaping () throws -> Prepared,
    run: @escaping (Prepared) throws -> Void
  ) {
    self.init(name, operations: operations) { watch in
      let prepared = try prepare()
      try watch.time { try run(prepared) }
    }
  }

  /// Performs one measurement.
  ///
  /// - Returns: the time of one operation, in nanoseconds.
  /// - Throws: The error of the closure, or a `MeasuringError` if the stopwatch measured no time or
  ///   is still running.
  package func measure(with watch: Stopwatch) throws -> Elapsed {
    var watch = watch
    try body(&watch)
    if watch.isRunning { throw MeasuringError.stillRunning(contender: name) }
    guard watch.elapsed.wall > 0 else { throw MeasuringError.nothingTimed(contender: name) }
    return watch.elapsed.shared(over: operations)
  }
}

/// The number of rounds of a measurement, with an optional time limit.
package struct RoundBudget: Sendable, Hashable, Codable {
  /// The least number of rounds, which the time limit does not shorten.
  ///
  /// The default is 10.
  package var minimum: Int
  /// The greatest number of rounds.
  ///
  /// The default is 50.
  package var maximum: Int
  /// The wall time in nanoseconds after which no further round starts, or `nil`.
  ///
  /// The time includes preparation. The default is `nil`.
  package var nanoseconds: UInt64?
  /// The number of rounds that are run and discarded first.
  ///
  /// The default is 1.
  package var warmUp: Int

  /// Creates a budget; `minimum` must be in `1...maximum`.
  package init(
    minimum: Int = 10,
    maximum: Int = 50,
    nanoseconds: UInt64? = nil,
    warmUp: Int = 1
  ) {
    precondition(1 <= minimum && minimum <= maximum, "\(minimum) to \(maximum) rounds")
    self.minimum = minimum
    self.maximum = maximum
    self.nanoseconds = nanoseconds
    self.warmUp = warmUp
  }

  /// Returns a budget with a fixed number of rounds and no time limit.
  package static func rounds(_ count: Int) -> RoundBudget {
    RoundBudget(minimum: count, maximum: count)
  }

  func allowsRound(after measured: Int, spent: UInt64) -> Bool {
    if measured < minimum { return true }
    if measured >= maximum { return false }
    return nanoseconds.map { spent < $0 } ?? true
  }
}

/// Draws resamples of a list of values, and computes their medians without sorting each resample.
///
/// A resample consists of randomly drawn groups of values. It has as many groups as the list, and a
/// group may be drawn several times. A group may be a single value. The values are sorted once, and
/// a resample only counts how often each group is drawn.
///
/// - Complexity: O(n) per draw.
struct MedianSampler {
  private let values: [Double]
  private let groupOfValue: [Int]
  private let sizes: [Int]
  private var timesDrawn: [Int]

  init(_ sorted: SortedSamples) {
    values = sorted.values
    groupOfValue = Array(sorted.values.indices)
    sizes = [Int](repeating: 1, count: sorted.values.count)
    timesDrawn = sizes
  }

  init(groups: [[Double]]) {
    let pairs = groups.enumerated().flatMap { group, values in
      values.map { (value: $0, group: group) }
    }.sorted { $0.value < $1.value }
    values = pairs.map(\.value)
    groupOfValue = pairs.map(\.group)
    sizes = groups.map(\.count)
    timesDrawn = sizes
  }

  /// Draws a resample of the values, and returns its median.
  ///
  /// The resample has as many groups of values as the original; a group may be drawn several times.
  mutating func draw(_ random: inout SplitMix64) -> Double {
    for group in 0..<sizes.count { timesDrawn[group] = 0 }
    var total = 0
    for _ in 0..<sizes.count {
      let group = random.index(below: sizes.count)
      timesDrawn[group] += 1
      total += sizes[group]
    }
    return median(of: total)
  }

  private func median(of total: Int) -> Double {
    let lowerRank = (total - 1) / 2
    let upperRank = total / 2
    var passed = 0
    var lower: Double?
    for place in 0..<values.count {
      passed += timesDrawn[groupOfValue[place]]
      if lower == nil && passed > lowerRank { lower = values[place] }
      if let lower, passed > upperRank { return (lower + values[place]) / 2 }
    }
    return values[values.count - 1]
  }
}
