import Foundation
package import Measuring

/// Two builds of the command, launched in turn, so that what disturbs the machine disturbs both.
package struct BuildComparison: Sendable {
  /// The build that is 1.
  package var base: LaunchProbe
  /// The build in question.
  package var head: LaunchProbe
  /// The names of the benchmarks.
  package var subjects: [String]
  /// The size of history, in transactions.
  package var historySize = 10_000
  /// The pairs of launches of the first look.
  package var launches = 20
  /// How often a launch measures each benchmark.
  package var rounds = 3
  /// The share by which a count may differ.
  package var tolerance = 0.0
  /// From what orders and resamples follow.
  package var seed: UInt64
  /// The folder that the stores' own folder is made in, or nothing for one in memory if there is one.
  package var scratchParent: String?

  /// Plans a comparison.
  package init(base: String, head: String, subjects: [String], seed: UInt64) {
    self.base = LaunchProbe(command: base)
    self.head = LaunchProbe(command: head)
    self.subjects = subjects
    self.seed = seed
  }

  /// What came of a comparison.
  package struct Outcome: Sendable {
    /// The times, row by row.
    package var judged: [LaunchComparison.Judged] = []
    /// The counts.
    package var counts = ExactComparison(base: [], head: [])
  }

  /// Launches both builds in turn, the suspects again, and counts once.
  ///
  /// `progress` is told before each pair which look it is for and how many pairs that takes; what it
  /// throws ends the comparison.
  ///
  /// - Throws: what a launch throws, and what `progress` throws.
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
    // Counting builds the stores too, so that no launch that is timed does.
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
  /// Whether the row is of the benchmark with a name.
  fileprivate func isOf(_ name: String) -> Bool {
    Subjects.all.contains { $0.name == name && $0.isTitled(title) }
  }
}
