import Testing

@testable import Measuring

@Suite struct `Change points` {
  /// Nights of a series with 1 % noise, the last ones slower by a factor.
  private func nights(
    _ count: Int,
    then later: Int = 0,
    factor: Double = 1.03,
    deviation: Double = 0.01,
    seed: UInt64
  ) -> [Double] {
    var noise = SimulatedNoise(seed: seed)
    return (0..<count + later).map { night in
      100 * (1 + deviation * noise.normal()) * (night < count ? 1 : factor)
    }
  }

  @Test func `A step of 3 % in noise of 1 % is detected within five nights`() throws {
    let judge = ChangePointJudge()
    let rows: UInt64 = 60
    let found = (0..<rows).count { seed in
      let values = nights(25, then: 5, seed: seed)
      return (1...5).contains { later in
        judge.steps(in: Array(values.prefix(25 + later))).contains { (23...27).contains($0.index) }
      }
    }
    #expect(found * 100 >= Int(rows) * 95, "\(found) of \(rows)")
  }

  @Test func `A step is named by its night, its size and both levels`() throws {
    let values = nights(30, then: 15, seed: 3)
    let steps = ChangePointJudge().steps(in: values)
    let step = try #require(steps.first)
    #expect(steps.count == 1)
    #expect((29...31).contains(step.index))
    #expect(abs((step.factor ?? 0) - 1.03) < 0.01)
    #expect(abs(step.before - 100) < 1 && abs(step.after - 103) < 1)
    #expect(step.chance <= 0.003)
  }

  @Test func `False steps occur at most once in a thousand nights of a series`() {
    let judge = ChangePointJudge()
    let rows: UInt64 = 100
    let nightCount = 40
    var falseSteps = 0
    for seed in 0..<rows {
      // The series is judged every night; a persistent step is reported once.
      let values = nights(nightCount, seed: 1_000 + seed)
      var reported: Set<Int> = []
      for count in 1...nightCount {
        let steps = judge.steps(in: Array(values.prefix(count))).map(\.index)
        for step in steps where !reported.contains(where: { abs($0 - step) <= 3 }) {
          reported.insert(step)
          falseSteps += 1
        }
      }
    }
    let rowNights = Int(rows) * nightCount
    #expect(falseSteps * 1_000 <= rowNights, "\(falseSteps) in \(rowNights) nights")
  }

  @Test func `One bad night is not a step`() {
    for seed in 0..<20 as Range<UInt64> {
      var values = nights(30, seed: 40 + seed)
      values[20] *= 1.5
      #expect(ChangePointJudge().steps(in: values).isEmpty, "seed \(seed)")
    }
  }

  @Test func `A counter steps at its first different value`() {
    let judge = ChangePointJudge()
    #expect(judge.steps(in: [607, 607, 607]).isEmpty)
    let steps = judge.steps(in: [607, 607, 607, 608, 608, 600])
    #expect(steps.map(\.index) == [3, 5])
    #expect(steps.map(\.before) == [607, 608])
    #expect(steps.map(\.after) == [608, 600])
    #expect(steps.allSatisfy { $0.chance == 0 })
    #expect(judge.steps(in: [0, 0, 1]).first?.factor == nil)
    #expect(judge.steps(in: [0, 0, 1]).map(\.index) == [2])
  }

  @Test func `Two steps of a series are both found`() {
    let values =
      nights(20, then: 20, factor: 1.05, seed: 8) + nights(20, seed: 9).map { $0 * 0.97 }
    let steps = ChangePointJudge().steps(in: values)
    #expect(steps.count == 2)
    #expect(zip(steps, [20, 40]).allSatisfy { abs($0.index - $1) <= 1 })
    #expect((steps.first?.factor ?? 0) > 1 && (steps.last?.factor ?? 2) < 1)
  }

  @Test func `Series with too few nights have no steps`() {
    #expect(ChangePointJudge().steps(in: []).isEmpty)
    #expect(ChangePointJudge().steps(in: [1]).isEmpty)
    #expect(ChangePointJudge().steps(in: [1, 1.01, 9, 9.01]).isEmpty)
  }

  @Test func `The same series has the same steps`() {
    let values = nights(30, then: 9, seed: 5)
    #expect(ChangePointJudge().steps(in: values) == ChangePointJudge().steps(in: values))
  }
}
