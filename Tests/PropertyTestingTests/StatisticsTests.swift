import Testing

@testable import PropertyTesting

@Suite struct StatisticsTests {
  @Test func `Labels, reasons and scores are counted over the cases`() {
    let result = PropertyRunner(seed: 1, cases: 400).run { source in
      let number = source.index(below: 4)
      if number == 3 { try source.reject("three") }
      source.classify("even", if: number % 2 == 0)
      source.classify("even", if: number % 2 == 0)
      return .passed
    }
    let statistics = result.statistics
    let discarded = statistics.rejections["three"] ?? 0
    #expect((60...140).contains(discarded) && statistics.caseCount == 400 - discarded)
    #expect((160...240).contains(statistics.labels["even"] ?? 0))
    #expect(statistics.description.contains("\(discarded) discarded: three"))
  }

  @Test(arguments: [(1, 1, "1 case, 1 choice"), (3, 2, "3 cases, 6 choices")])
  func `Counts agree with their nouns`(_ cases: Int, _ draws: Int, _ beginning: String) {
    let result = PropertyRunner(seed: 1, cases: cases).run { source in
      for _ in 0..<draws { _ = source.index(below: 4) }
      return .passed
    }
    #expect(result.statistics.description == beginning)
  }

  @Test func `A class that occurs too seldom makes a run not covered`() {
    func outcome(atLeast share: Double) -> PropertyResult.Outcome {
      PropertyRunner(seed: 1, cases: 400).run { source in
        source.cover("rare", atLeast: share, if: source.index(below: 10) == 0)
        return .passed
      }.outcome
    }
    #expect(outcome(atLeast: 0.05) == .passed)
    #expect(outcome(atLeast: 0.11) == .passed, "one in ten may be one in nine by chance")
    #expect(outcome(atLeast: 0.3) == .notCovered)
  }

  @Test func `A class that never occurs is missed once five cases were expected`() {
    #expect(!PropertyStatistics.Coverage(share: 0.01, count: 0, total: 400).isMissed)
    #expect(PropertyStatistics.Coverage(share: 0.02, count: 0, total: 400).isMissed)
    #expect(!PropertyStatistics.Coverage(share: 0.02, count: 8, total: 400).isMissed)
  }

  @Test func `Guided search reaches scores that random cases do not`() throws {
    func property(_ isClimbing: Bool) -> (inout ChoiceSource) -> CaseResult {
      { source in
        let numbers = source.array("number", 0...30) { $0.int(in: 0...1_000) }
        let sum = numbers.reduce(0, +)
        if isClimbing { source.maximize(Double(sum)) }
        return sum > 22_000 ? .failed(label: "sum", message: "\(numbers.count)") : .passed
      }
    }
    let blind = PropertyRunner(seed: 1, cases: 600).run(property(false))
    #expect(blind.outcome == .passed)
    let climbing = PropertyRunner(seed: 1, cases: 600).run(property(true))
    let failure = try #require(climbing.failure)
    #expect(failure.shrunk.message == "23")
    #expect((climbing.statistics.scores["score"] ?? 0) > 22_000)
  }

  @Test func `Examples run first, and a failing one is shrunk`() throws {
    let examples = [1, 900].map { ChoiceSequence(choices: [Choice($0, in: 0...1_000)]) }
    let result = PropertyRunner(seed: 1, cases: 0, examples: examples).run { source in
      let number = source.int(in: 0...1_000)
      return number > 800 ? .failed(label: "big", message: "\(number)") : .passed
    }
    let failure = try #require(result.failure)
    #expect(failure.caseIndex == 1 && failure.caseSeed == nil)
    #expect(failure.shrunk.message == "801" && result.counts.passed == 1)
  }
}
