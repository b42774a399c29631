import Measuring
import Systems

/// The trials of one mutant with all seeds.
struct MutantOutcome: Sendable {
  let mutant: Mutant
  let trials: [MutantTrial]

  /// The first plan that killed the mutant, for each seed that killed it.
  var firsts: [MutantTrial.Kill] { trials.compactMap(\.kills.first) }

  /// The shortest plan that killed the mutant, for each seed that killed it.
  var shortests: [MutantTrial.Kill] { trials.compactMap(\.shortest) }

  /// The number of seeds that killed the mutant.
  var killCount: Int { firsts.count }

  /// Whether the mutant was tried with at least one seed.
  var isTried: Bool { !trials.isEmpty }

  /// Whether every tried seed killed the mutant or, for an equivalent mutant, no seed did.
  var isAsExpected: Bool {
    isTried && (mutant.equivalence == nil ? killCount == trials.count : killCount == 0)
  }

  /// The outcome in a word or two.
  var word: String {
    guard isTried else { return "not tried" }
    return switch (mutant.equivalence, killCount) {
    case (nil, trials.count): "killed"
    case (nil, _): "survived"
    case (_?, 0): "equivalent"
    case (_?, _): "not equivalent"
    }
  }

  /// The checkers that reject the first killing plans, with counts, the most frequent first.
  var checkers: [(name: String, count: Int)] {
    let counts = Dictionary(grouping: firsts, by: \.checkers.found).mapValues(\.count)
    return counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// The median number of plans run until the mutant was killed or had survived.
  var caseMedian: Double { median(trials.map { Double($0.caseCount) }) }

  /// The median time until the mutant was killed or had survived, in seconds.
  var secondsMedian: Double { median(trials.map(\.seconds)) }

  /// The median length of the first killing plans after shrinking, in commands.
  var firstMedian: Double { median(firsts.map { Double($0.commandCount) }) }

  /// The median length of the shortest killing plans, in commands.
  var shortestMedian: Double { median(shortests.map { Double($0.commandCount) }) }

  /// The number of seeds whose first killing plan shrank to the shortest known length.
  var firstLeastCount: Int { firsts.count { $0.commandCount <= mutant.least } }

  /// The number of seeds that reached the shortest known length with any plan.
  var leastCount: Int { shortests.count { $0.commandCount <= mutant.least } }

  /// The shortest killing plan of all seeds.
  var shortest: MutantTrial.Kill? {
    shortests.min { $0.commandCount < $1.commandCount }
  }

  /// The longest of the seeds' shortest plans; `nil` if all of them are equally long.
  var longest: MutantTrial.Kill? {
    let longest = shortests.max { $0.commandCount < $1.commandCount }
    let least = shortest?.commandCount ?? 0
    return longest.flatMap { $0.commandCount > least ? $0 : nil }
  }

  private func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : SortedSamples(values).median
  }
}
