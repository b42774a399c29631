import Measuring
import Systems
import Traces

/// What all seeds made of one mutant.
struct MutantOutcome: Sendable {
  let mutant: Mutant
  let trials: [MutantTrial]

  /// The plans that show it.
  var kills: [MutantTrial.Kill] { trials.compactMap(\.kill) }

  /// Whether it is as it should be: every seed shows it, or none where none can.
  var isAsExpected: Bool {
    mutant.equivalence == nil ? kills.count == trials.count : kills.isEmpty
  }

  /// What became of it, in a word.
  var word: String {
    switch (mutant.equivalence, kills.count) {
    case (nil, trials.count): "killed"
    case (nil, _): "survived"
    case (_?, 0): "equivalent"
    case (_?, _): "not equivalent"
    }
  }

  /// The checkers that reject the shrunk plans, the most frequent first.
  var checkers: [(name: String, count: Int)] {
    let counts = Dictionary(grouping: kills, by: \.checkers.shrunk).mapValues(\.count)
    return counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// The middle number of plans until it showed.
  var caseMedian: Double { median(trials.map { Double($0.caseCount) }) }

  /// The middle time until it showed, in seconds.
  var secondsMedian: Double { median(trials.map(\.seconds)) }

  /// The middle length of the shrunk plans.
  var commandMedian: Double { median(kills.map { Double($0.plan.commands.count) }) }

  /// How many shrunk plans are no longer than the shortest that is known.
  var leastCount: Int { kills.count { $0.plan.commands.count <= mutant.least } }

  /// The shortest plan that shows it.
  var shortest: MutantTrial.Kill? {
    kills.min { $0.plan.commands.count < $1.plan.commands.count }
  }

  /// The longest of the shrunk plans, if it is longer than the shortest.
  var longest: MutantTrial.Kill? {
    let longest = kills.max { $0.plan.commands.count < $1.plan.commands.count }
    let least = shortest?.plan.commands.count ?? 0
    return longest.flatMap { $0.plan.commands.count > least ? $0 : nil }
  }

  private func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : SortedSamples(values).median
  }
}
