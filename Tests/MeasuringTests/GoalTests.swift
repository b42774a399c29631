import Testing

@testable import Measuring

@Suite struct `Goals and results` {
  @Test func `A ratio is read from the rounds that two contenders shared`() {
    let outcome = judge(
      [row("ours", [12, 12, 24, 24]), row("peer", [10, 10, 20, 20])],
      .ratio(to: "peer"),
      atMost: 1.25
    )
    #expect(rounded(outcome.value) == 1.2)
    #expect(outcome.verdict == .reached)
    #expect(outcome.historySizes == [1000])
  }

  @Test func `Processor time is reported next to wall time if both were measured`() {
    let wall = [row("ours", [9, 9]), row("peer", [1, 1])]
    let processor = [row("ours", [3, 3], metric: .cpu), row("peer", [2, 2], metric: .cpu)]
    let both = judge(wall + processor, .ratio(to: "peer"), atMost: 5)
    #expect(rounded(both.processorValue) == 1.5)
    #expect(both.verdict == .missed)
    #expect(judge(wall, .ratio(to: "peer"), atMost: 5).processorValue == nil)
    let large = [
      row("ours", [4, 4], size: 2000), row("ours", [5, 5], size: 2000, metric: .cpu),
      row("ours", [1, 1]), row("ours", [2, 2], metric: .cpu),
    ]
    #expect(rounded(judge(large, .growth(from: 1000), atMost: 5).processorValue) == 2.5)
  }

  @Test func `A figure at its limit is reached, one above it is not`() {
    let rows = [row("ours", [2, 2]), row("peer", [1, 1])]
    #expect(judge(rows, .ratio(to: "peer"), atMost: 2).verdict == .reached)
    #expect(judge(rows, .ratio(to: "peer"), atMost: 1.99).verdict == .missed)
    #expect(judge(rows, .ratio(to: "peer"), atMost: nil).verdict == .reported)
  }

  @Test func `A ratio to the fastest contender uses the fastest one, and needs all of them`() {
    let rows = [row("ours", [6, 6]), row("slow", [4, 4]), row("fast", [3, 3])]
    let outcome = judge(rows, .ratioToFastest(of: ["slow", "fast"]), atMost: 2.1)
    #expect(rounded(outcome.value) == 2)
    #expect(outcome.verdict == .reached)
    #expect(judge(rows, .ratioToFastest(of: ["fast", "slow"]), atMost: 1.9).verdict == .missed)
    let lacking = judge(rows, .ratioToFastest(of: ["fast", "absent"]), atMost: 9)
    #expect(lacking.verdict == .notMeasured)
    #expect(lacking.reason == "a result that the goal needs is not in this run")
  }

  @Test func `A goal applies to the longest history`() {
    let rows = [
      row("ours", [5, 5], size: 100_000), row("peer", [1, 1], size: 100_000),
      row("ours", [1, 1]), row("peer", [1, 1]),
    ]
    let outcome = judge(rows, .ratio(to: "peer"), atMost: 1)
    #expect(rounded(outcome.value) == 5)
    #expect(outcome.historySizes == [100_000])
  }

  @Test func `Growth compares the longest history with the named one`() {
    let rows = [
      row("ours", [4, 4], size: 1000), row("ours", [2, 2], size: 2000),
      row("ours", [3, 3], size: 4000),
    ]
    let outcome = judge(rows, .growth(from: 2000), atMost: 1.6)
    #expect(rounded(outcome.value) == 1.5)
    #expect(outcome.historySizes == [4000, 2000])
    #expect(outcome.verdict == .reached)
    #expect(judge(rows, .growth(from: 500), atMost: 1).verdict == .notMeasured)
    #expect(judge(rows, .growth(from: 4000), atMost: 1).verdict == .notMeasured)
  }

  @Test func `A quantile uses the samples of its own metric`() {
    let rows = [row("ours", [1, 2, 9]), row("ours", [77], metric: .peakMemory)]
    #expect(judge(rows, .quantile(0.5), atMost: 5).value == 2)
    #expect(judge(rows, .quantile(1), atMost: 5).verdict == .missed)
    #expect(judge(rows, .quantile(1, .peakMemory), atMost: 77).value == 77)
  }

  @Test func `Counts of two contenders are compared without rounds`() {
    let rows = [
      row("ours", [2], metric: .bytesPerChange), row("peer", [8], metric: .bytesPerChange),
    ]
    let outcome = judge(rows, .ratio(to: "peer", .bytesPerChange), atMost: 0.25)
    #expect(outcome.value == 0.25)
    #expect(outcome.interval == nil)
    #expect(outcome.verdict == .reached)
  }

  @Test func `A goal without a measurement has a reason`() {
    var missing = row("ours", [1])
    missing = BenchmarkRow(
      subject: missing.subject,
      operation: missing.operation,
      condition: missing.condition,
      contender: "ours",
      historySize: 1000,
      metric: .peakMemory,
      notMeasured: "only Linux counts it",
      seed: 1
    )
    let outcome = judge([missing], .quantile(1, .peakMemory), atMost: 1)
    #expect(outcome.verdict == .notMeasured)
    #expect(outcome.reason == "only Linux counts it")
    #expect(judge([], .quantile(1), atMost: 1).reason == "not in this run")
    let alone = judge([row("ours", [1, 1])], .ratio(to: "peer"), atMost: 1)
    #expect(alone.reason == "a result that the goal needs is not in this run")
  }

  @Test func `Rows of other benchmarks are ignored, rows with conditions are not`() {
    let goal = goal(.quantile(1), atMost: 1)
    #expect(goal.isAbout(row("ours", [1])))
    #expect(!goal.isAbout(row("ours", [1], operation: "newest 100")))
    #expect(!goal.isAbout(row("ours", [1], operation: "newest 10 more")))
    var cold = row("ours", [1])
    cold.axis = "cold"
    #expect(!goal.isAbout(cold))
  }

  @Test func `Rows of different rounds have no ratio`() {
    let mine = row("ours", [1, 2])
    #expect(mine.ratio(to: row("peer", [1, 2, 3, 4])) == nil)
    #expect(mine.ratio(to: row("peer", [0, 2])) == nil)
    #expect(mine.ratio(to: row("peer", [1, 2], seed: 9)) == nil)
    #expect(mine.ratio(to: row("peer", [1, 2]))?.interval.estimate == 1)
  }

  /// Ratios are computed through logarithms.
  private func rounded(_ value: Double?) -> Double? {
    value.map { ($0 * 1e9).rounded() / 1e9 }
  }

  private func goal(
    _ figure: BenchmarkGoal.Figure,
    atMost limit: Double?
  ) -> BenchmarkGoal {
    BenchmarkGoal(
      "fetch",
      benchmark: "fetch newest 10",
      contender: "ours",
      figure,
      atMost: limit
    )
  }

  private func judge(
    _ rows: [BenchmarkRow],
    _ figure: BenchmarkGoal.Figure,
    atMost limit: Double?
  ) -> GoalOutcome {
    let environment = RunEnvironment.current(sqlite: "", commit: nil, time: .now(), seed: 1)
    let results = BenchmarkResults(environment: environment, rows: rows)
    return GoalJudge(results).outcomes(of: [goal(figure, atMost: limit)])[0]
  }

  private func row(
    _ contender: String,
    _ samples: [Double],
    operation: String = "newest 10",
    size: Int = 1000,
    metric: Metric = .wall,
    seed: UInt64 = 1
  ) -> BenchmarkRow {
    BenchmarkRow(
      subject: "fetch",
      operation: operation,
      condition: "warm",
      contender: contender,
      historySize: size,
      metric: metric,
      samples: samples,
      seed: seed
    )
  }
}
