package import PropertyTesting

/// The costs of finding and shrinking one bug of the toy over many seeds.
package struct SharedLogRow {
  package let mistake: SharedLog.Mistake
  package private(set) var failures: [PropertyFailure] = []

  package init(_ mistake: SharedLog.Mistake, seeds: Range<UInt64>) throws {
    self.mistake = mistake
    let property = try SharedLog.property(mistake)
    for seed in seeds {
      let result = PropertyRunner(seed: seed, cases: 20_000).run(property)
      if let failure = result.failure { failures.append(failure) }
    }
  }

  /// The median number of cases to the first failure, that one included.
  package var medianCases: Double { Self.median(failures.map { $0.caseIndex + 1 }) }

  /// The numbers of evaluations of shrinking.
  package var evaluations: [Int] { failures.map(\.shrunk.evaluations) }

  package var medianEvaluations: Double { Self.median(evaluations) }

  /// The number of results with the least length of their failure.
  package var leastCount: Int {
    failures.count { failure in
      let loss = SharedLog.Loss(rawValue: failure.shrunk.label)
      return loss.flatMap { mistake.leastLengths[$0] } == Self.stepCount(failure.shrunk)
    }
  }

  /// The number of different results.
  package var answerCount: Int { Set(failures.map(\.shrunk.message)).count }

  /// Returns the number of steps of a result.
  package static func stepCount(_ shrunk: ShrinkResult) -> Int {
    shrunk.sequence.spans.count { $0.label == "step" }
  }

  /// Returns the middle value, or the mean of the two middle values.
  private static func median(_ numbers: [Int]) -> Double {
    let sorted = numbers.sorted()
    guard let last = sorted.last else { return 0 }
    let upper = sorted.count / 2 < sorted.count ? sorted[sorted.count / 2] : last
    return Double(sorted[(sorted.count - 1) / 2] + upper) / 2
  }

  /// A readable line.
  package var line: String {
    "\(mistake.code) \(mistake.rawValue): \(medianCases) cases (goal \(mistake.casesMax)), "
      + "\(medianEvaluations) evaluations (goal \(mistake.evaluationsMax)), at most "
      + "\(evaluations.max() ?? 0); \(leastCount) of \(failures.count) at the least length, "
      + "\(answerCount) answers"
  }
}
