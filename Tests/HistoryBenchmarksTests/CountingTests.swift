import BenchmarkFloor
import Measuring
import TestSupport
import Testing

@testable import HistoryBenchmarks

@Suite(.serialized, .blocksItsThread) struct `Counting benchmarks` {
  @Test(arguments: ["fetch newest 10", "write insert 10"])
  func `Exact rows are identical in twenty of twenty passes`(name: String) throws {
    try withTemplates([200]) { templates, scratch in
      let first = try rows(name, templates, scratch)
      #expect(first.filter(\.isExact).count >= 14)
      for pass in 2...20 {
        let again = try rows(name, templates, scratch)
        let comparison = ExactComparison(base: first, head: again)
        #expect(comparison.changes.map(\.sentence).isEmpty, "pass \(pass)")
        #expect(comparison.missing.isEmpty)
      }
    }
  }

  @Test func `A fetch of new transactions runs the same steps however long history is`() throws {
    try withTemplates([100, 200, 400, 800, 1600]) { templates, scratch in
      let rows = try rows("fetch newest 10", templates, scratch)
      for contender in ["Store", "SQLite"] {
        let steps = rows.filter { $0.metric == .vmSteps && $0.contender == contender }
        #expect(Set(steps.map(\.samples)).count == 1, "\(contender)")
        #expect((steps.first?.samples.first ?? 0) > 10)
      }
    }
  }

  @Test func `Written rows are counted, and unused counters are zero`() throws {
    try withTemplates([200]) { templates, scratch in
      let rows = try rows("write insert 10", templates, scratch)
      func value(_ metric: Metric) -> Double? {
        rows.first { $0.contender == "SQLite" && $0.metric == metric }?.samples.first
      }
      #expect(value(.rowsWritten) == 10)
      #expect((value(.pageWrites) ?? 0) > 0)
      #expect((value(.vmSteps) ?? 0) > 50)
      let fetched = try self.rows("fetch newest 10", templates, scratch)
      #expect(fetched.first { $0.metric == .rowsWritten }?.samples == [0])
    }
  }

  @Test func `Without jemalloc allocations are not measured, and the reason is given`() throws {
    try withTemplates([100]) { templates, scratch in
      let rows = try rows("fetch newest 10", templates, scratch)
      for metric in Metric.allocator {
        let row = rows.first { $0.metric == metric }
        #expect(row?.samples.isEmpty == true)
        #expect(row?.notMeasured == "this process cannot be started again under jemalloc")
      }
    }
  }

  @Test func `Missing indexes and scans are detected and named`() throws {
    let scratch = try ScratchFolder()
    let result = Result {
      let regressions = try SeededRegressions(scratch, sizes: [50, 100, 200, 400, 800])
      for outcome in [
        try regressions.droppedIndex(), try regressions.linearScan(), try regressions.sameAgain(),
      ] {
        #expect(outcome.isReached, "\(outcome.part): \(outcome.found)")
      }
    }
    try scratch.remove()
    try result.get()
  }

  private func rows(
    _ name: String,
    _ templates: [StoreTemplate],
    _ scratch: ScratchFolder
  ) throws -> [BenchmarkRow] {
    let pass = CountingPass(
      subject: try #require(Subjects.all.first { $0.name == name }),
      settings: templates.map {
        BenchmarkSetting(
          historySize: $0.historySize,
          template: $0,
          scratch: scratch,
          repetitionDivisor: 100
        )
      },
      seed: 1,
      condition: "warm"
    )
    return try pass.rows()
  }
}
