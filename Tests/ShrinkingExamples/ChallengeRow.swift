package import PropertyTesting

/// The results of shrinking one challenge over many seeds.
package struct ChallengeRow {
  package let challenge: Challenge
  package private(set) var found = 0
  /// The results, with the number of seeds for each.
  package private(set) var answers: [String: Int] = [:]
  package private(set) var evaluations: [Int] = []
  package private(set) var endings: [ShrinkResult.Ending: Int] = [:]

  package init(_ challenge: Challenge, seeds: Range<UInt64>) {
    self.challenge = challenge
    for seed in seeds {
      let result = PropertyRunner(seed: seed, cases: 200_000).run(challenge.property)
      guard let shrunk = result.failure?.shrunk else { continue }
      found += 1
      answers[shrunk.message, default: 0] += 1
      evaluations.append(shrunk.evaluations)
      endings[shrunk.ending, default: 0] += 1
    }
  }

  /// The share of seeds with the known result.
  package var share: Double { Double(answers[challenge.answer] ?? 0) / Double(max(found, 1)) }

  package var meanEvaluations: Double {
    Double(evaluations.reduce(0, +)) / Double(max(evaluations.count, 1))
  }

  /// The greatest number of evaluations.
  package var evaluationsMax: Int { evaluations.max() ?? 0 }

  /// A readable line: the name, the share, the evaluations, the most frequent other results.
  package var line: String {
    let others = answers.filter { $0.key != challenge.answer }.sorted { $0.value > $1.value }
    let rest = others.prefix(3).map { "\($0.value)x \($0.key)" }.joined(separator: "; ")
    return "\(challenge.name): \(Int(share * 100)) % of \(found), \(meanEvaluations) evaluations "
      + "(goal \(challenge.evaluationsMax)); \(rest)"
  }
}
