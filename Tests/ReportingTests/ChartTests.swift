import Foundation
import Measuring
import TestSupport
import Testing

@testable import Reporting

@Suite(.blocksItsThread) struct `Charts` {
  /// The virtual environment at the package's root, if it exists.
  static let toolsFolder = Repository.path(".tools")

  @Test func `A specification is encoded as its JSON`() throws {
    let spec: ChartSpec = ["a": [1, 2.5, nil, true, "x"]]
    let json = String(decoding: try JSONEncoder().encode(spec), as: UTF8.self)
    #expect(json == #"{"a":[1,2.5,null,true,"x"]}"#)
  }

  private static let longTitle = "Store.batchUpdate where a predicate matches, 10 rows"

  private static func chart(titled title: String) -> Chart {
    let ratio = Interval(estimate: 2, lower: 1, upper: 3, confidence: 0.95)
    let entries = [RatioChart.Entry(title: title, contender: "ours", ratio: ratio)]
    let palette = ContenderPalette(contenders: ["ours"], floors: [])
    return RatioChart(id: "c", floor: "floor", entries: entries, palette: palette).chart
  }

  @Test func `A long title is wrapped next to its row`() throws {
    let title = Self.longTitle
    #expect(
      ChartStyle.wrapped(title) == "Store.batchUpdate where a\npredicate matches, 10 rows"
    )
    #expect(ChartStyle.lineCount(of: ["short", title]) == 2)
    let chart = Self.chart(titled: title)
    let json = String(decoding: try JSONEncoder().encode(chart.spec), as: UTF8.self)
    #expect(json.contains(#""title":"Store.batchUpdate where a\npredicate matches, 10 rows""#))
    #expect(json.contains(#""labelExpr":"split(datum.label, '\\n')""#))
  }

  @Test(.needs(.chartTool)) func `A long title is drawn whole`() throws {
    let drawn = ChartTool(toolsFolder: Self.toolsFolder).draw([Self.chart(titled: Self.longTitle)])
    guard case .drawn(let drawings) = drawn, let svg = drawings["c"] else {
      Issue.record("nothing was drawn: \(drawn)")
      return
    }
    #expect(svg.contains(">predicate matches, 10 rows<") && !svg.contains("\u{2026}"))
  }

  @Test func `A contender looks the same in every chart`() {
    let palette = ContenderPalette(contenders: ["floor", "ours", "peer"], floors: ["floor"])
    let all = palette.legend(for: ["floor", "ours", "peer"])
    #expect(palette.legend(for: ["peer", "ours"]) == [all[2], all[1]])
    #expect(all[0].color == ContenderPalette.floor)
    #expect(Set(all.map(\.color)).count == 3)
    #expect(Set(all.map(\.shape)).count == 3)
  }

  @Test func `Where colours repeat, shapes distinguish the contenders`() {
    let names = (0..<40).map { "peer \($0)" }
    let all = ContenderPalette(contenders: ["floor"] + names, floors: ["floor"])
      .legend(for: ["floor"] + names)
    #expect(Set(all.map { "\($0.color) \($0.shape)" }).count == 41)
    for (one, other) in zip(all, all.dropFirst()) {
      #expect(one.color != other.color && one.shape != other.shape)
    }
  }

  @Test func `Our contender keeps its colour in comparisons`() throws {
    var results = try Sample.results()
    results.rows += try Sample.results(operations: ["pass"], contenders: ["ours", "kit"]).rows
    let report = BenchmarkReport(results)
    #expect(report.floors == ["raw SQLite", "ours"])
    let colors = report.palette.legend(for: ["raw SQLite", "ours", "kit"]).map(\.color)
    #expect(colors[0] == ContenderPalette.floor)
    #expect(colors[1] == ContenderPalette.series[0] && colors[2] == ContenderPalette.series[1])
  }

  @Test func `Contenders of few operations are only in the table`() throws {
    var results = try Sample.results(operations: (1...8).map { "number \($0)" })
    results.rows += try Sample.results(
      operations: ["rare"],
      contenders: ["raw SQLite", "ours", "triggers"]
    ).rows
    let page = BenchmarkReport(results).page()
    let section = try #require(page.sections.first { $0.anchor == "at-a-glance" })
    guard case .figure(let figure)? = section.blocks.last else {
      Issue.record("there is no chart")
      return
    }
    #expect(figure.chart.legend.map(\.contender) == ["ours"])
    #expect(figure.table.rows.count == 10)
    #expect(figure.table.rows.contains { $0.cells[1] == "triggers" })
    let tile = try #require(page.tiles.first { $0.subject.hasPrefix("Fetch number 1") })
    #expect(tile.answer == "\u{D7}1.48")
  }

  @Test func `Axes enclose their values in whole decades`() {
    #expect(ChartStyle.decades(around: [12, 95]) == 1...2)
    #expect(ChartStyle.decades(around: [1]) == 0...1)
    #expect(ChartStyle.decades(around: [0.02, 1_000]) == -2...4)
    #expect(ChartStyle.ticks(over: 1...2) == [10, 20, 50, 100])
    #expect(ChartStyle.ticks(over: 0...3) == [1, 10, 100, 1_000])
  }

  @Test func `A chart describes its content in words`() throws {
    let page = BenchmarkReport(try Sample.results()).page()
    let summaries = page.charts.map(\.summary)
    try #require(summaries.count == 2)
    #expect(
      summaries[0]
        == "Cost relative to raw SQLite, which is 1. fetch newest 100, ours: \u{D7}1.48 (1.46\u{2013}1.49)."
    )
    #expect(summaries[1].contains("ours from 30.9 \u{B5}s at 1,000 to 30.9 \u{B5}s at 100,000"))
  }

  @Test func `A missing tool is a reason, not a failure`() throws {
    let page = BenchmarkReport(try Sample.results()).page()
    let images = ChartTool(toolsFolder: "/nowhere").draw(page.charts)
    #expect(images == .missing(because: "the tool that draws them is not installed"))
  }

  @Test func `A failing tool is a reason with its last output`() throws {
    let folder = try TemporaryFolder()
    try folder.makeExecutable("bin/python", "#!/bin/sh\necho first >&2\necho no luck >&2\nexit 3\n")
    let page = BenchmarkReport(try Sample.results()).page()
    let images = ChartTool(toolsFolder: folder.path).draw(page.charts)
    #expect(
      images
        == .missing(
          because: "the chart tool ended with exit code 3; its last line of output: no luck"
        )
    )
  }

  @Test(.needs(.chartTool))
  func `Drawings scale, are named, and carry their values`() throws {
    let page = BenchmarkReport(try Sample.results()).page()
    let images = ChartTool(toolsFolder: Self.toolsFolder).draw(page.charts)
    guard case .drawn(let drawings) = images else {
      Issue.record("\(images)")
      return
    }
    for chart in page.charts {
      let svg = try #require(drawings[chart.id])
      #expect(svg.contains("viewBox=\"0 0 "))
      #expect(svg.contains("font-family=\"DejaVu Sans, Helvetica"))
      #expect(InlineSVG.markup(of: svg, summary: chart.summary) != nil)
    }
    let cost = try #require(drawings["cost-fetch-newest-100"])
    #expect(cost.contains("aria-label=\"ours, 10,000: 30.9 \u{B5}s"))
    #expect(cost.contains(">10k</text>"))
    #expect(cost.contains(">100 \u{B5}s</text>"))
  }

  @Test(.needs(.chartTool))
  func `A page of eleven benchmarks has at least twelve charts and stays under 450 kB`() throws {
    let sizes = (0..<11).map { 1_000 << $0 }
    var results = try Sample.results(
      sizes: sizes,
      contenders: ["raw SQLite", "ours", "triggers"],
      rounds: 3
    )
    results.rows = (1...11).flatMap { number in
      results.rows.map { row in
        var row = row
        row.operation = "number \(number)"
        return row
      }
    }
    results.rows += try peers() + results.rows.filter { $0.metric == .wall }.flatMap(counted)
    let page = BenchmarkReport(results).page()
    let ids = page.charts.map(\.id)
    #expect(ids.count == 13 && ids.count { $0.hasPrefix("cost-") } == 9)
    #expect(Set(ids).isSuperset(of: ["ratios", "peers", "latency", "allocations"]))
    let html = page.html(images: ChartTool(toolsFolder: Self.toolsFolder).draw(page.charts))
    #expect(html.contains("<figure"))
    #expect(html.utf8.count <= 450_000, "\(html.utf8.count)")
  }

  /// Twelve benchmarks at one size, and one with as many samples as a latency needs.
  private func peers() throws -> [BenchmarkRow] {
    let latency = BenchmarkRow(
      subject: "fetch",
      operation: "at a planned rate",
      condition: "",
      contender: "ours",
      historySize: 1_024_000,
      metric: .wall,
      samples: (1...5_000).map { Double($0 * $0) },
      seed: 1
    )
    return try Sample.results(
      sizes: [1_024_000],
      operations: (1...12).map { "peers \($0)" },
      contenders: ["raw SQLite", "ours", "triggers", "session extension"],
      rounds: 12
    ).rows + [latency]
  }

  /// The counts of a timed row.
  private func counted(_ row: BenchmarkRow) -> [BenchmarkRow] {
    (Metric.counted + Metric.allocator + [.residentGrowth]).map { metric in
      BenchmarkRow(
        subject: row.subject,
        operation: row.operation,
        condition: row.condition,
        contender: row.contender,
        historySize: row.historySize,
        metric: metric,
        samples: [Double(row.historySize)],
        seed: 1
      )
    }
  }
}
