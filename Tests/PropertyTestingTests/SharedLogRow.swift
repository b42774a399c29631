import PropertyTesting

/// What finding and shrinking one mistake of the toy cost over many seeds.
struct SharedLogRow {
  let mistake: SharedLog.Mistake
  /// The number of cases run, the failing one included, a seed each; in order.
  private(set) var cases: [Int] = []
  /// The number of evaluations of shrinking, a seed each; in order.
  private(set) var evaluations: [Int] = []
  /// For each failure the numbers of steps of its answers, with how often each came.
  private(set) var lengths: [String: [Int: Int]] = [:]
  private(set) var failures: [PropertyFailure] = []

  init(_ mistake: SharedLog.Mistake, seeds: Range<UInt64>) throws {
    self.mistake = mistake
    let property = try SharedLog.property(mistake)
    for seed in seeds {
      let result = PropertyRunner(seed: seed, cases: 20_000).run(property)
      guard let failure = result.failure else { continue }
      failures.append(failure)
      cases.append(failure.caseIndex + 1)
      evaluations.append(failure.shrunk.evaluations)
      let length = failure.shrunk.sequence.spans.count { $0.label == "step" }
      lengths[failure.shrunk.label, default: [:]][length, default: 0] += 1
    }
    cases.sort()
    evaluations.sort()
  }

  /// How many answers have the least length of their failure.
  func shortest(_ leastLengths: [String: Int]) -> Int {
    lengths.reduce(0) { sum, entry in
      sum + (leastLengths[entry.key].flatMap { entry.value[$0] } ?? 0)
    }
  }

  static func median(_ sorted: [Int]) -> Int { sorted.isEmpty ? 0 : sorted[(sorted.count - 1) / 2] }
}
