import Testing

@testable import Measuring

@Suite struct `Exact counts` {
  @Test func `Every difference is found and named, and varying rows are skipped`() throws {
    var varying = row(.allocations, 9)
    varying.varies = "threads"
    let base = [row(.vmSteps, 607), row(.pageReads, 4), row(.rowsWritten, 1), varying]
    varying.samples = [70]
    let head = [row(.vmSteps, 1_214.5), row(.pageReads, 3), row(.allocations, 5), varying]
    let comparison = ExactComparison(base: base, head: head)
    #expect(comparison.compared == 2)
    #expect(comparison.new == 1)
    #expect(comparison.missing.map(\.metric) == [.rowsWritten])
    #expect(comparison.cheaper.map(\.head.metric) == [.pageReads])
    let dearer = try #require(comparison.dearer.first)
    #expect(
      dearer.sentence == "fetch newest, warm, Store, 1000 transactions: 1214.5 VM steps, before 607"
    )
  }

  @Test func `Equal counts have no differences`() {
    let rows = [row(.vmSteps, 607), row(.pageReads, 4)]
    #expect(ExactComparison(base: rows, head: rows).changes.isEmpty)
    #expect(ExactComparison(base: rows, head: rows).missing.isEmpty)
  }

  @Test func `Time and counts with different complexities are a finding`() throws {
    let results = results(time: { 2e-4 * $0 }, steps: { _ in 607 })
    let entry = try #require(ComplexityVerdicts(results).entries.first)
    #expect(entry.time.complexity == .linearLike)
    #expect(entry.steps?.complexity == .flat)
    #expect(entry.pages == nil)
    #expect(
      ComplexityVerdicts(results).disagreements
        == ["fetch newest, warm, Store: linear-like by time, but flat by VM steps"]
    )
  }

  @Test func `Time and counts that agree, or have no complexity, are not reported`() {
    #expect(
      ComplexityVerdicts(results(time: { 1 + $0 }, steps: { 14 + 1.2 * $0 })).disagreements.isEmpty
    )
    #expect(ComplexityVerdicts(results(time: { _ in 5 }, steps: nil)).disagreements.isEmpty)
    #expect(ComplexityVerdicts(results(time: { _ in 5 }, steps: nil)).entries.count == 1)
  }

  private func results(
    time: (Double) -> Double,
    steps: ((Double) -> Double)?
  ) -> BenchmarkResults {
    let rows = KnownCurve.sizes.flatMap { size in
      [row(.cpu, time(Double(size)), at: size)]
        + (steps.map { [row(.vmSteps, $0(Double(size)), at: size)] } ?? [])
    }
    let environment = RunEnvironment.current(sqlite: "3", commit: nil, time: .now(), seed: 1)
    return BenchmarkResults(environment: environment, rows: rows)
  }

  private func row(_ metric: Metric, _ value: Double, at size: Int = 1_000) -> BenchmarkRow {
    BenchmarkRow(
      subject: "fetch",
      operation: "newest",
      condition: "warm",
      contender: "Store",
      historySize: size,
      metric: metric,
      samples: [value],
      seed: 1
    )
  }
}

@Suite struct `The noise floor` {
  @Test func `With little noise exactly the injected changes are found`() throws {
    let noise = try #require(NoiseFloor(rows(same: 1...1.002, more: 1.028...1.031)))
    #expect(noise.uncertainty == nil)
    #expect(abs(noise.halfWidth - 0.001) < 1e-9)
    #expect(
      noise.sentence
        == "\u{B1}0.1 % in processor time, \u{B1}0.1 % in wall time; 3 % more work was measured as 3.0 % more"
    )
  }

  @Test(arguments: [
    (0.97...1.03, 1.02...1.04, "two measurements of equal work may differ by up to 3.0 %"),
    (1.02...1.03, 1.02...1.04, "equal work seemed to differ by 2.5 %"),
    (0.999...1.001, 0.999...1.001, "3 % more work was measured as 0.0 % more"),
    (0.999...1.001, 1.2...1.3, "3 % more work was measured as 25.0 % more"),
  ])
  func `Too much noise is reported`(
    same: ClosedRange<Double>,
    more: ClosedRange<Double>,
    uncertainty: String
  ) {
    #expect(NoiseFloor(rows(same: same, more: more))?.uncertainty == uncertainty)
  }

  @Test func `Runs without identical builds have no noise floor`() {
    #expect(NoiseFloor([]) == nil)
  }

  private func rows(
    same: ClosedRange<Double>,
    more: ClosedRange<Double>
  ) -> [BenchmarkRow] {
    [Metric.cpu, .wall].flatMap { metric in
      [row(NoiseFloor.again, metric, same), row(NoiseFloor.injected, metric, more)]
    }
  }

  private func row(
    _ contender: String,
    _ metric: Metric,
    _ range: ClosedRange<Double>
  ) -> BenchmarkRow {
    var ratio = RatioEstimate(to: NoiseFloor.floor, logRatios: [0], bootstrap: Bootstrap(seed: 1))
    ratio.interval = Interval(
      estimate: (range.lowerBound + range.upperBound) / 2,
      lower: range.lowerBound,
      upper: range.upperBound,
      confidence: 0.95
    )
    return BenchmarkRow(
      subject: NoiseFloor.subject,
      operation: "",
      condition: "warm",
      contender: contender,
      historySize: 100,
      metric: metric,
      samples: [1],
      ratio: ratio,
      seed: 1
    )
  }
}
