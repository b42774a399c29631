import Measuring
import TestSupport
import Testing

@testable import Reporting

@Suite struct `Allocations in a report` {
  /// Two benchmarks with allocation counts: ours allocates, the floor does not.
  private func results(counting: Bool = true) throws -> BenchmarkResults {
    var results = try Sample.results(operations: ["newest 100", "all"])
    for operation in ["newest 100", "all"] {
      for size in [1_000, 100_000] {
        for (contender, count) in [("raw SQLite", 0.0), ("ours", Double(size) / 100)] {
          for metric in Metric.allocator + [.residentGrowth] {
            results.rows.append(row(operation, contender, size, metric, counting ? count : nil))
          }
        }
      }
    }
    return results
  }

  private func row(
    _ operation: String,
    _ contender: String,
    _ size: Int,
    _ metric: Metric,
    _ count: Double?
  ) -> BenchmarkRow {
    guard let count else {
      return BenchmarkRow(
        subject: "fetch",
        operation: operation,
        condition: "",
        contender: contender,
        historySize: size,
        metric: metric,
        notMeasured: "jemalloc was not found",
        seed: 1
      )
    }
    return BenchmarkRow(
      subject: "fetch",
      operation: operation,
      condition: "",
      contender: contender,
      historySize: size,
      metric: metric,
      samples: [count],
      seed: 1
    )
  }

  private func section(_ results: BenchmarkResults) throws -> PageSection {
    try #require(
      BenchmarkReport(results).page().sections.first { $0.anchor == "allocations" }
    )
  }

  @Test func `A chart shows each contender's allocations at the longest history, zeros included`()
    throws
  {
    let section = try section(results())
    guard case .figure(let figure)? = section.blocks.last else {
      Issue.record("there is no chart")
      return
    }
    #expect(figure.chart.legend.map(\.contender) == ["raw SQLite", "ours"])
    #expect(figure.chart.summary.contains("fetch newest 100, ours: 1,000"))
    #expect(figure.chart.summary.contains("fetch all, raw SQLite: 0"))
    #expect(figure.table.rows.count == 4)
    #expect(
      figure.table.rows[1].cells
        == [
          "fetch newest 100", "ours", "100,000", "1,000", "1,000 B", "1,000 B", "1,000 B",
        ]
    )
    #expect(figure.table.rows[1].anchor == "memory-fetch-newest-100-ours")
    let csv = figure.values.csv().split(separator: "\n")
    #expect(csv[0] == "bench,peer,size,allocations,allocated bytes,live bytes,resident growth")
    #expect(csv[2] == "fetch newest 100,ours,100000,1000,1000,1000,1000")
  }

  @Test func `Without jemalloc the page shows the reason instead of a chart`() throws {
    let section = try section(results(counting: false))
    guard case .paragraph(let words)? = section.blocks.first,
      case .table(let table)? = section.blocks.last
    else {
      Issue.record("there is a chart")
      return
    }
    #expect(words.hasSuffix(" Not measured: jemalloc was not found."))
    #expect(table.rows.allSatisfy { $0.cells.suffix(4).allSatisfy { $0 == "not measured" } })
  }

  @Test func `A run without counted allocations does not mention memory`() throws {
    let page = BenchmarkReport(try Sample.results()).page()
    #expect(!page.sections.contains { $0.anchor == "allocations" })
  }

  @Test(.needs(.chartTool), .blocksItsThread)
  func `The drawing has a labelled mark for each contender`() throws {
    let page = BenchmarkReport(try results()).page()
    let chart = try #require(page.charts.first { $0.id == "allocations" })
    let images = ChartTool(toolsFolder: Charts.toolsFolder).draw([chart])
    guard case .drawn(let drawings) = images, let svg = drawings["allocations"] else {
      Issue.record("\(images)")
      return
    }
    #expect(svg.contains("aria-label=\"fetch newest 100, ours: 1,000\""))
    #expect(svg.contains("aria-label=\"fetch all, raw SQLite: 0\""))
    #expect(svg.contains(">0</text>") && svg.contains(">1k</text>"))
    #expect(InlineSVG.markup(of: svg, summary: chart.summary) != nil)
  }

  @Test func `Every row of a page can be linked to by a unique anchor`() throws {
    var results = try results()
    results.rows += try Sample.results(sizes: [100_000], operations: ["peers"]).rows
    results.rows.append(row("peers", "ours", 100_000, .missed, 3))
    var latency = row("at a planned rate", "ours", 100_000, .wall, 3)
    latency.samples = (1...200).map(Double.init)
    results.rows.append(latency)
    results.rows.append(row("peers", "ours", 100_000, .missed, nil))
    let goal = BenchmarkGoal(
      "fetch",
      benchmark: "fetch newest 100",
      contender: "ours",
      .ratio(to: "raw SQLite"),
      atMost: 2
    )
    let page = BenchmarkReport(results, goals: [goal]).page()
    let tables = page.sections.flatMap(\.blocks).compactMap { block -> ReportTable? in
      switch block {
      case .figure(let figure): figure.table
      case .table(let table): table
      default: nil
      }
    }
    #expect(tables.count >= 9)
    for table in tables {
      for row in table.rows { #expect(row.anchor != nil, "\(table.caption): \(row.cells)") }
    }
    let html = page.html(images: .missing(because: "no tool"))
    let ids = html.matches(of: /\ id="([^"]*)"/).map { String($0.1) }
    #expect(Set(ids).count == ids.count)
  }

  @Test func `Outliers are reported for all timed rows`() throws {
    var results = try Sample.results(operations: (1...12).map { "number \($0)" })
    results.rows += try Sample.results(sizes: [100_000], operations: ["peers"]).rows
    let tables = BenchmarkReport(results).page().sections.flatMap(\.blocks).compactMap {
      block -> ReportTable? in
      switch block {
      case .figure(let figure): figure.table
      case .table(let table): table
      default: nil
      }
    }
    let timed = tables.filter { $0.caption == "Wall time of one operation" }
    #expect(timed.count == 11)
    for table in timed {
      let column = try #require(table.columns.firstIndex { $0.title == "outliers" })
      #expect(table.rows.allSatisfy { $0.cells[column] == "0 of 20" }, "\(table.rows[0].cells)")
    }
  }
}
