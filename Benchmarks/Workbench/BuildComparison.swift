import Foundation
package import Measuring

/// A comparison of two builds, launched in turn so that disturbances affect both alike.
package struct BuildComparison: Sendable {
  /// The build whose cost counts as 1.
  package var base: LaunchProbe
  /// The build that is compared with the base.
  package var head: LaunchProbe
  /// The names of the benchmarks.
  package var subjects: [String]
  /// The size of history, in transactions.
  ///
  /// The default is 10,000.
  package var historySize = 10_000
  /// The number of pairs of launches in the first stage.
  ///
  /// The default is 20.
  package var launches = 20
  /// The number of rounds of each benchmark per launch.
  ///
  /// The default is 3.
  package var rounds = 3
  /// The share by which a count may differ.
  ///
  /// The default is 0.
  package var tolerance = 0.0
  /// The seed of the orders and the resamples.
  package var seed: UInt64
  /// The folder in which the stores' folder is created, or `nil` for one in memory if possible.
  package var scratchParent: String?

  /// Creates a comparison.
  package init(base: String, head: String, subjects: [String], seed: UInt64) {
    self.base = LaunchProbe(command: base)
    self.head = LaunchProbe(command: head)
    self.subjects = subjects
    self.seed = seed
  }

  /// The result of a comparison.
  package struct Outcome: Sendable {
    /// The verdicts on times, one per row.
    package var judged: [LaunchComparison.Judged] = []
    /// The comparison of counts.
    package var counts = ExactComparison(base: [], head: [])
  }

  /// Counts once, launches both builds in turn, and launches them again for suspects.
  ///
  /// The `progress` closure receives, before each pair, the number of its stage and of the pairs in
  /// that stage; an error that it throws ends the comparison.
  ///
  /// - Throws: what a launch or `progress` throws.
  package func run(progress: (_ look: Int, _ pairs: Int) throws -> Void) throws -> Outcome {
    let scratch = try ScratchFolder(in: scratchParent)
    let result = Result { try compare(scratch, progress) }
    try scratch.remove()
    return try result.get()
  }

  private func compare(
    _ scratch: ScratchFolder,
    _ progress: (Int, Int) throws -> Void
  ) throws -> Outcome {
    let folders = try ["base", "head"].map { try scratch.makeFolder($0) }
    var outcome = Outcome()
    // Counting builds the stores too, so that no timed launch does.
    let counts = try pair(folders, subjects, rounds: 0, baseFirst: true, seed: seed)
    outcome.counts = ExactComparison(
      base: counts.base,
      head: counts.head,
      tolerance: tolerance
    )
    var comparison = LaunchComparison(gate: RegressionGate(seed: seed))
    var random = SeededRandom(seed: seed)
    for _ in 0..<launches {
      try progress(1, launches)
      let pair = try pair(folders, subjects, rounds: rounds, &random)
      comparison.add(base: pair.base, head: pair.head)
    }
    let suspects = Set(comparison.suspects)
    let again = subjects.filter { name in suspects.contains { $0.isOf(name) } }
    let launchesAgain = suspects.isEmpty ? 0 : launches * RegressionGate.secondLookFactor
    for _ in 0..<launchesAgain {
      try progress(2, launchesAgain)
      let pair = try pair(folders, again, rounds: rounds, &random)
      comparison.addAgain(base: pair.base, head: pair.head, for: suspects)
    }
    outcome.judged = comparison.judged
    return outcome
  }

  private func pair(
    _ folders: [String],
    _ subjects: [String],
    rounds: Int,
    _ random: inout SeededRandom
  ) throws -> (base: [BenchmarkRow], head: [BenchmarkRow]) {
    let seed = random.next()
    return try pair(
      folders,
      subjects,
      rounds: rounds,
      baseFirst: random.index(below: 2) == 0,
      seed: seed
    )
  }

  private func pair(
    _ folders: [String],
    _ subjects: [String],
    rounds: Int,
    baseFirst: Bool,
    seed: UInt64
  ) throws -> (base: [BenchmarkRow], head: [BenchmarkRow]) {
    func launch(_ probe: LaunchProbe, _ folder: String) throws -> [BenchmarkRow] {
      try probe.launch(
        LaunchProbe.Request(
          folder: folder,
          subjects: subjects,
          historySize: historySize,
          rounds: rounds,
          seed: seed
        )
      )
    }
    if baseFirst {
      let rows = try launch(base, folders[0])
      return (rows, try launch(head, folders[1]))
    }
    let rows = try launch(head, folders[1])
    return (try launch(base, folders[0]), rows)
  }
}

extension LaunchComparison.Key {
  /// Returns whether the row belongs to the benchmark with a name.
  fileprivate func isOf(_ name: String) -> Bool {
    Subjects.all.contains { $0.name == name && $0.isTitled(title) }
  }
}
