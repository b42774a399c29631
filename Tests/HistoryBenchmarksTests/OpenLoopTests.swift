import Foundation
import Measuring
import Synchronization
import TestSupport
import Testing

@testable import HistoryBenchmarks

@Suite(.blocksItsThread) struct `An open loop` {
  /// A clock that advances only by waiting and working.
  private final class Time: Sendable {
    private let now = Atomic<UInt64>(1_000)

    var clock: NanosecondClock { NanosecondClock { self.now.load(ordering: .relaxed) } }

    func pass(_ nanoseconds: UInt64) { now.add(nanoseconds, ordering: .relaxed) }
  }

  @Test func `An operation queued behind a slow one has a high latency, but a low service time`() {
    let time = Time()
    var costs: [UInt64] = [10, 250, 10, 10, 10]
    let outcome = loop(time, intervalNs: 100, count: costs.count).run {
      time.pass(costs.removeFirst())
    }
    // Planned for 0, 100, 200, 300 and 400; the second ends at 350.
    #expect(outcome.latencies == [10, 250, 160, 70, 10])
    #expect(outcome.services == [10, 250, 10, 10, 10])
    #expect(!outcome.isSaturated)
  }

  @Test func `An open loop stops when it falls further and further behind`() {
    let time = Time()
    var count = 0
    let outcome = loop(time, intervalNs: 1e6, count: 100).run {
      count += 1
      time.pass(2_000_000)
    }
    #expect(outcome.isSaturated)
    // Each operation is a millisecond later: more than a quarter of 100 ms before the 27th.
    #expect(count == 26)
    #expect(outcome.latencies.count == 26)
  }

  @Test func `A rate above the store's capacity is reported, not awaited`() throws {
    let subject = try #require(Subjects.all.first { $0.name == "open loop" })
    let rows = try rows(of: subject, rate: 10_000_000, repetitionDivisor: 1)
    #expect(rows.map(\.contender).allSatisfy { $0.hasPrefix("Store at 10000000 writes a second") })
    #expect(rows.allSatisfy { $0.notMeasured?.hasPrefix("saturated: at 10000000 writes") == true })
  }

  @Test func `A sustainable rate is measured from the planned start times`() throws {
    let subject = try #require(Subjects.all.first { $0.name == "open loop" })
    // A machine that is too busy for this rate is saturated; it then gets further attempts.
    var rows: [BenchmarkRow] = []
    for _ in 0..<20 where rows.count != 3 {
      rows = try self.rows(of: subject, rate: 100, repetitionDivisor: 100)
    }
    try #require(rows.map(\.metric.name) == ["wall", "wall", "planned rate"])
    let (latencies, services) = (rows[0].samples, rows[1].samples)
    #expect(latencies.count == 50 && services.count == 50)
    #expect(zip(latencies, services).allSatisfy { $0 >= $1 })
    #expect(rows[2].samples == [100])
  }

  private func rows(
    of subject: BenchmarkSubject,
    rate: Double,
    repetitionDivisor: Int
  ) throws -> [BenchmarkRow] {
    let folder = try TemporaryFolder()
    var run = BenchmarkRun(
      subjects: [subject],
      historySizes: [20],
      seed: 1,
      budget: .rounds(1)
    )
    run.repetitionDivisor = repetitionDivisor
    run.checksNoise = false
    run.scratchParent = folder.url.path
    run.plannedRate = rate
    var rows: [BenchmarkRow] = []
    try run.run { if case .measured(_, let some) = $0 { rows = some } }
    return rows
  }

  private func loop(_ time: Time, intervalNs: Double, count: Int) -> OpenLoop {
    OpenLoop(intervalNs: intervalNs, count: count, clock: time.clock, wait: { time.pass($0) })
  }
}
