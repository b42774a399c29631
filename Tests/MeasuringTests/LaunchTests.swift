import Testing

@testable import Measuring

@Suite struct `Launches of two builds` {
  @Test func `A slower row is suspected, measured again and confirmed`() throws {
    var comparison = LaunchComparison(gate: RegressionGate(seed: 1))
    var noise = SimulatedNoise(seed: 1)
    for _ in 0..<20 { comparison.add(base: launch(&noise, 1), head: launch(&noise, 1.1)) }
    let suspects = comparison.suspects
    #expect(suspects.map(\.title) == ["fetch newest, warm"])
    #expect(suspects.map(\.metric) == [.cpu])
    for _ in 0..<80 {
      comparison.addAgain(
        base: launch(&noise, 1),
        head: launch(&noise, 1.1),
        for: Set(suspects)
      )
    }
    let judged = comparison.judged
    #expect(judged.map(\.key.title) == ["fetch newest, warm", "purge newest, warm"])
    #expect(judged.map(\.verdict.answer) == [.dearer, .alike])
    #expect(judged.map(\.verdict.units) == [80, 20])
    #expect(abs(try #require(judged.first).verdict.ratio.estimate - 1.1) < 0.01)
  }

  @Test func `Counts, and rows of one build only, are not compared by launches`() {
    var comparison = LaunchComparison(gate: RegressionGate(seed: 1))
    let count = row("fetch", .vmSteps, 5)
    comparison.add(base: [count, row("fetch", .wall, 1)], head: [count, row("merge", .wall, 1)])
    #expect(comparison.judged.isEmpty)
    #expect(comparison.suspects.isEmpty)
  }

  /// A fetch whose cost has the factor, and a purge without it, each with 1 % noise.
  private func launch(_ noise: inout SimulatedNoise, _ factor: Double) -> [BenchmarkRow] {
    [
      row("fetch", .cpu, factor * (1 + 0.01 * noise.normal())),
      row("purge", .cpu, 1 + 0.01 * noise.normal()),
    ]
  }

  private func row(_ subject: String, _ metric: Metric, _ value: Double) -> BenchmarkRow {
    BenchmarkRow(
      subject: subject,
      operation: "newest",
      condition: "warm",
      contender: "Store",
      historySize: 1_000,
      metric: metric,
      samples: [value],
      seed: 1
    )
  }
}
