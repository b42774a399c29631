import Foundation
import Measuring
import TestSupport
import Testing

@testable import HistoryBenchmarks

@Suite(.serialized, .blocksItsThread) struct `Growth in every direction` {
  /// The folder for the stores of one test's runs.
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs benchmarks quickly; returns their rows, and the progress of each of their tasks.
  private func run(
    _ subject: BenchmarkSubject
  ) throws -> (rows: [BenchmarkRow], done: [LongWork: Int]) {
    var run = BenchmarkRun(
      subjects: [subject],
      historySizes: [1000],
      seed: 7,
      budget: RoundBudget(minimum: 1, maximum: 1, warmUp: 0)
    )
    run.repetitionDivisor = 100
    run.checksNoise = false
    run.scratchParent = folder.url.path
    var rows: [BenchmarkRow] = []
    var done: [LongWork: Int] = [:]
    try run.run { event in
      if case .measured(_, let some) = event { rows = some }
      if case .advanced(let work, let count) = event { done[work, default: 0] += count }
    }
    return (rows, done)
  }

  @Test(arguments: Growth.all)
  func `Each operation is timed at each size, which has a unit of its own`(
    _ subject: BenchmarkSubject
  ) throws {
    let (rows, done) = try run(subject)
    #expect(Set(rows.map(\.sizeUnit)) == [subject.sizeUnit] && subject.sizeUnit != nil)
    let sizes = Set(rows.map(\.historySize))
    #expect(sizes.count == 3)
    for contender in Set(rows.map(\.contender)) {
      for metric in [Metric.wall, .cpu] {
        let mine = rows.filter { $0.contender == contender && $0.metric == metric }
        #expect(Set(mine.map(\.historySize)) == sizes && mine.count == 3, "\(contender)")
        #expect(mine.allSatisfy { $0.samples.count == 4 }, "\(contender)")
      }
    }
    #expect(done.count == 2)
    for (work, count) in done { #expect(count == work.total, "\(work.title)") }
  }

  @Test func `In a program that cannot start itself, processes are not measured`() throws {
    let (rows, _) = try run(Processes.all[0])
    #expect(rows.count == 6)
    for row in rows { #expect(row.notMeasured?.contains("history-lab") == true) }
  }

  @Test func `Commits count while every process is at work`() {
    let crowd = Crowd([[10, 20, 30, 40], [25, 35, 45, 55, 65]])
    // From 25 to 40: two commits of each.
    #expect(crowd.fairness == 1)
    #expect(crowd.durations == [10, 10])
    let unfair = Crowd([[10, 20, 30, 40, 50], [10, 50]])
    #expect(unfair.fairness == 0.4)
    #expect(unfair.durations == [10, 10, 10, 10, 40])
    #expect(Crowd([[1, 2], []]).fairness == 0)
  }
}
