import PropertyTesting

/// What shrinking made of one challenge over many seeds.
struct ChallengeRow {
  let challenge: Challenge
  var found = 0
  var answers: [String: Int] = [:]
  var evaluations: [Int] = []
  var endings: [ShrinkResult.Ending: Int] = [:]

  init(_ challenge: Challenge, seeds: Range<UInt64>) {
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

  /// The share of seeds that came to the known answer.
  var share: Double { Double(answers[challenge.answer] ?? 0) / Double(max(found, 1)) }

  var meanEvaluations: Double {
    Double(evaluations.reduce(0, +)) / Double(max(evaluations.count, 1))
  }

  /// One line of a table: name, share, mean, median and greatest number of evaluations, other
  /// answers.
  var line: String {
    let others = answers.filter { $0.key != challenge.answer }.sorted { $0.value > $1.value }
    let rest = others.prefix(3).map { "\($0.value)x \($0.key)" }.joined(separator: "; ")
    let sorted = evaluations.sorted()
    let mean = (meanEvaluations * 10).rounded() / 10
    return "| \(challenge.name) | \(Int(share * 100)) % of \(found) | \(mean) "
      + "| \(sorted.isEmpty ? 0 : sorted[sorted.count / 2]) | \(sorted.last ?? 0) | \(rest) |"
  }
}
