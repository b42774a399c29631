/// Measures several contenders in turn, so that whatever disturbs the machine disturbs all alike.
///
/// A round runs all contenders in a random order and then again in the reverse order: a drift
/// within the round cancels out. With two contenders that is one ABBA or BAAB block of four. The
/// orders follow from the seed, which the result carries.
///
/// In-process, with two contenders on two noisy cores, the estimate of a ratio varies by 0.1 to
/// 0.3 %; measuring one contender after the other it varies by 1 to 6 %.
package struct InterleavedMeasurement: Sendable {
  /// From what the orders and the resamples follow.
  package var seed: UInt64
  /// How many rounds.
  package var budget: RoundBudget
  private let wallClock: NanosecondClock
  private let cpuClock: NanosecondClock

  /// Plans a measurement; tests hand in clocks of their own.
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

  /// Measures the contenders and keeps every single reading.
  ///
  /// `roundEnded` is told after each round how many were measured; it is never timed.
  ///
  /// - Throws: what a contender throws, and a `MeasuringError` for a wrong use of the watch.
  package func measure(
    _ contenders: [Contender],
    roundEnded: (Int) -> Void = { _ in }
  ) throws -> InterleavedResult {
    try checkNames(of: contenders)
    var random = SeededRandom(seed: seed)
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
