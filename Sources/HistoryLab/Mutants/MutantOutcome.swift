import Measuring
import Systems

/// What all seeds made of one mutant.
struct MutantOutcome: Sendable {
  let mutant: Mutant
  let trials: [MutantTrial]

  /// For each seed that killed it the first plan that shows it.
  var firsts: [MutantTrial.Kill] { trials.compactMap(\.kills.first) }

  /// For each seed that killed it the shortest plan that shows it.
  var shortests: [MutantTrial.Kill] { trials.compactMap(\.shortest) }

  /// How many seeds killed it.
  var killCount: Int { firsts.count }

  /// Whether a seed was tried on it.
  var isTried: Bool { !trials.isEmpty }

  /// Whether it is as it should be: every seed that was tried shows it, or none where none can.
  var isAsExpected: Bool {
    isTried && (mutant.equivalence == nil ? killCount == trials.count : killCount == 0)
  }

  /// What became of it, in a word.
  var word: String {
    guard isTried else { return "not tried" }
    return switch (mutant.equivalence, killCount) {
    case (nil, trials.count): "killed"
    case (nil, _): "survived"
    case (_?, 0): "equivalent"
    case (_?, _): "not equivalent"
    }
  }

  /// The checkers that reject the first plans that show it, the most frequent first.
  var checkers: [(name: String, count: Int)] {
    let counts = Dictionary(grouping: firsts, by: \.checkers.found).mapValues(\.count)
    return counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// The middle number of plans until it showed.
  var caseMedian: Double { median(trials.map { Double($0.caseCount) }) }

  /// The middle time until it showed, in seconds.
  var secondsMedian: Double { median(trials.map(\.seconds)) }

  /// The middle length of the first plans, shrunk.
  var firstMedian: Double { median(firsts.map { Double($0.commandCount) }) }

  /// The middle length of the shortest plans.
  var shortestMedian: Double { median(shortests.map { Double($0.commandCount) }) }

  /// How many seeds shrank their first plan to the least length that is known.
  var firstLeastCount: Int { firsts.count { $0.commandCount <= mutant.least } }

  /// How many seeds came to the least length that is known.
  var leastCount: Int { shortests.count { $0.commandCount <= mutant.least } }

  /// The shortest plan of all seeds.
  var shortest: MutantTrial.Kill? {
    shortests.min { $0.commandCount < $1.commandCount }
  }

  /// The longest of the seeds' shortest plans, if it is longer than the shortest.
  var longest: MutantTrial.Kill? {
    let longest = shortests.max { $0.commandCount < $1.commandCount }
    let least = shortest?.commandCount ?? 0
    return longest.flatMap { $0.commandCount > least ? $0 : nil }
  }

  private func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : SortedSamples(values).median
  }
}
