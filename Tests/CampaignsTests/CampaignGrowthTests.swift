import Basics
import Foundation
import Testing

@testable import Campaigns

@Suite struct `The growth of a campaign` {
  private static func result(
    _ number: Int,
    by worker: String = "w",
    at seconds: Double?,
    plans: Int = 0,
    states: Range<Int>? = nil
  ) -> MeasuredResult {
    var result = TaskResult(
      task: "1-\(10_000 + number)",
      worker: worker,
      claim: 1,
      code: 0,
      seconds: 10
    )
    result.at = seconds
    result.plans = plans
    var sample = states.map { _ in StateSample() }
    for state in states ?? 0..<0 { sample?.add(plan: [SplitMix64.mixed(UInt64(state))]) }
    return MeasuredResult(result: result, states: sample)
  }

  @Test func `Points are in the order of time, and count each state once`() {
    let growth = CampaignGrowth(
      [
        Self.result(1, at: 30, plans: 5, states: 5..<20), Self.result(2, at: 10, plans: 2),
        Self.result(3, at: 20, plans: 3, states: 0..<10), Self.result(4, at: nil, plans: 100),
      ],
      []
    )
    #expect(growth.points.map(\.seconds) == [10, 20, 30])
    #expect(growth.points.map(\.plans) == [2, 5, 10])
    #expect(growth.points.map(\.states) == [nil, 10, 20])
    #expect(growth.untimedCount == 1)
    #expect(growth.states?.distinct == 20)
  }

  @Test func `A failure counts from its first task on`() {
    var failure = KnownFailure(
      key: "k",
      system: "s",
      invariant: "i",
      because: "b",
      commandCount: 1,
      isConfirmed: true
    )
    let results = (1...3).map { Self.result($0, at: Double($0)) }
    failure.tasks = [results[2].result.task, results[1].result.task]
    let growth = CampaignGrowth(results, [failure])
    #expect(growth.points.map(\.failures) == [0, 1, 1])
  }

  @Test func `Of many results a hundred have points, the last one among them`() {
    let results = (1...1_234).map { Self.result($0, at: Double($0), plans: 1) }
    let points = CampaignGrowth(results, []).points
    #expect(points.count <= 100 && points.count > 50)
    #expect(points.last?.plans == 1_234 && points.last?.seconds == 1_234)
  }

  @Test func `A cache that reads results one by one, in any order, gives the same growth`() {
    let results = (0..<12).map { number in
      Self.result(
        number,
        at: number == 5 ? nil : Double(number * 7 % 12),
        plans: 1_500,
        states: (number * 400)..<(number * 400 + 1_500)
      )
    }
    var cache = ResultCache()
    for result in results.reversed() { cache.add([result]) }
    let growth = CampaignGrowth(results, [])
    #expect(CampaignGrowth(cache.inOrder, []) == growth)
    #expect(growth.states?.distinctError ?? 0 > 0 && growth.points.count == 11)
  }

  @Test func `Rates use only the time of the commands that count`() {
    let growth = CampaignGrowth(
      [
        Self.result(1, by: "a", at: 1, plans: 50, states: 0..<20),
        Self.result(2, by: "a", at: 2), Self.result(3, by: "b", at: 3),
      ],
      []
    )
    #expect(growth.workers.map(\.name) == ["a", "b"] && growth.workers.map(\.results) == [2, 1])
    #expect(growth.workers.map(\.planRate) == [5, nil])
    #expect(growth.workers.map(\.stateRate) == [2, nil])
  }

  @Test func `A campaign without results has no points and no states`() {
    let growth = CampaignGrowth([], [])
    #expect(growth.points.isEmpty && growth.workers.isEmpty && growth.states == nil)
  }
}

@Suite struct `The time of a campaign` {
  @Test func `A clock advances with its machine, and to later times of others`() {
    let start = ContinuousClock.now
    var clock = CampaignClock(now: start)
    #expect(clock.seconds(now: start + .seconds(5)) == 5)
    clock.advance(to: 3, now: start + .seconds(6))
    #expect(clock.seconds(now: start + .seconds(6)) == 6)
    clock.advance(to: 100, now: start + .seconds(7))
    #expect(clock.seconds(now: start + .seconds(9)) == 102)
  }
}
