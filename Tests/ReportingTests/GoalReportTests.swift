import Foundation
import Measuring
import Testing

@testable import Reporting

@Suite struct `Goals in a report` {
  /// A goal whose actual value is 1.5 times the floor.
  private static func goal(
    _ measure: String,
    contender: String = "ours",
    _ figure: BenchmarkGoal.Figure = .ratio(to: "raw SQLite"),
    atMost limit: Double? = 2
  ) -> BenchmarkGoal {
    BenchmarkGoal(
      measure,
      benchmark: "fetch newest 100",
      contender: contender,
      figure,
      atMost: limit
    )
  }

  private static let goals = [
    goal("fetch"), goal("tight fetch", atMost: 1.1), goal("noted fetch", atMost: nil),
    goal("long fetch", .quantile(1), atMost: 25_000), goal("nobody's fetch", contender: "nobody"),
    BenchmarkGoal("merge", benchmark: "merge", contender: "ours", .quantile(1), atMost: 1),
  ]

  private func report() throws -> BenchmarkReport {
    BenchmarkReport(try Sample.results(), goals: Self.goals)
  }

  @Test func `Each goal is shown with its value, its limit and a verdict`() throws {
    let report = try report()
    #expect(report.goalSentence == "1 of 3 goals reached; 1 could not be measured.")
    let lines = BenchmarkReport.table(of: report.reachedFor).text().split(separator: "\n")
    #expect(lines.count == 2 + 5)
    #expect(lines[2].hasPrefix("\u{2713} fetch "))
    #expect(lines[2].contains("\u{D7}1.48"))
    #expect(lines[2].contains("\u{D7}1.50 "))
    #expect(lines[2].hasSuffix("  \u{2264} \u{D7}2.00  reached"))
    #expect(lines[3].hasPrefix("\u{2717} tight fetch"))
    #expect(lines[3].hasSuffix("\u{2264} \u{D7}1.10  not reached"))
    #expect(lines[4].hasSuffix("reported"))
    #expect(lines[5].contains("31.9 \u{B5}s"))
    #expect(lines[5].hasSuffix("\u{2264} 25.0 \u{B5}s  not reached"))
    #expect(lines[6].hasSuffix("not measured"))
  }

  @Test func `A missed goal is reported with its obstacle and another contender's ratio`() throws {
    var missed = Self.goal("tight fetch", atMost: 1.1)
    missed.obstacle = BenchmarkGoal.Obstacle("The floor skips checks.", contender: "rival")
    var reached = Self.goal("fetch")
    reached.obstacle = BenchmarkGoal.Obstacle("Nobody needs to know.")
    let results = try Sample.results(contenders: ["raw SQLite", "ours", "rival"])
    let report = BenchmarkReport(results, goals: [missed, reached])
    let sentence =
      "The floor skips checks. In this run \"rival\" costs \u{D7}1.95 (1.93\u{2013}1.98)."
    let markdown = report.markdown(command: "")
    #expect(markdown.contains("## Why goals were not reached\n\n- **tight fetch**: \(sentence)\n"))
    #expect(!markdown.contains("Nobody needs to know."))
    let lines = report.goalCSV(run: "run-1").split(separator: "\n")
    let quoted = sentence.replacingOccurrences(of: "\"", with: "\"\"")
    #expect(lines[1].contains(",not reached,\"\(quoted)\",run-1,"), "\(lines[1])")
    #expect(lines[2].contains(",reached,,run-1,"))
    let blocks = report.page().sections.first?.blocks ?? []
    #expect(blocks.contains(.definitions([ReportPage.Fact("tight fetch", sentence)])))
    #expect(blocks.count == 4)
  }

  @Test func `A busy machine is reported with the goals`() throws {
    var results = try Sample.results()
    results.environment.load = 1
    #expect(!results.environment.isBusy)
    #expect(BenchmarkReport(results, goals: Self.goals).goalSentence?.contains("busy") == false)
    results.environment.load = 7.5
    #expect(results.environment.isBusy)
    let report = BenchmarkReport(results, goals: Self.goals)
    #expect(report.goalSentence?.contains("busy (load 7.50 on 2 processors)") == true)
    #expect(report.markdown(command: "").contains("| Load before | 7.50 |"))
  }

  @Test func `Two compared histories are both named`() throws {
    let growth = Self.goal("growth", .growth(from: 1000), atMost: 1.2)
    let report = BenchmarkReport(try Sample.results(), goals: [growth])
    let table = BenchmarkReport.table(of: report.reachedFor)
    #expect(Array(table.rows[0].cells[1...2]) == ["100,000 / 1,000", "\u{D7}1.00"])
  }

  @Test func `A run without goals does not mention them`() throws {
    let report = BenchmarkReport(try Sample.results())
    #expect(report.goalSentence == nil)
    #expect(!report.page().sections.contains { $0.heading == "Goals" })
  }

  @Test func `The page starts with the goals`() throws {
    let page = try report().page()
    #expect(page.sections.first?.heading == "Goals")
    #expect(page.tiles.first?.answer == "1 of 3")
    #expect(page.tiles.first?.detail == "First not reached: tight fetch.")
  }

  @Test func `A tile next to the goals shows our median, lowest and highest cost`() throws {
    let results = try Sample.results(operations: ["newest 100", "all", "by author"])
    let tiles = BenchmarkReport(results, goals: Self.goals).page().tiles
    let tile = try #require(tiles.first { $0.subject == "Cost relative to raw SQLite" })
    #expect(tile.answer == "\u{D7}1.48" && tile.anchor == "at-a-glance")
    #expect(
      tile.detail.hasPrefix("The median of 3 operations at 100,000 transactions: from \u{D7}1.48, ")
    )
  }

  @Test func `The CSV has every goal and the source of its value`() throws {
    let lines = try report().goalCSV(run: "run-1").split(separator: "\n")
    #expect(lines.count == 1 + Self.goals.count)
    #expect(
      lines[2].hasPrefix("tight fetch,fetch newest 100,ours,100000,1.47734,ratio,"),
      "\(lines[2])"
    )
    #expect(lines[2].hasSuffix(",1.50127,1.1,not reached,,run-1,abc123,2026-02-03T04:05:06Z,0x2a"))
    #expect(lines[6].contains(",not measured,not in this run,run-1,"))
  }

  @Test func `The Markdown states how it was made and has every benchmark`() throws {
    let text = try report().markdown(command: "history-lab bench run --seed 42")
    #expect(text.hasPrefix("# What history costs\n\nWritten by a run of the benchmarks"))
    #expect(text.contains("| Command | history-lab bench run --seed 42 |"))
    #expect(text.contains("| Commit | abc123 |"))
    #expect(text.contains("| Seed | 0x2a |"))
    #expect(text.contains("| fetch newest 100 | ours | 100,000 | 30.9 \u{B5}s |"))
    #expect(!text.contains("| fetch newest 100 | ours | 1,000 |"))
    #expect(text.contains("\u{2717} tight fetch"))
  }

  @Test func `Benchmarks of one size share one section and one chart`() throws {
    var results = try Sample.results()
    results.rows += try Sample.results(sizes: [100_000], operations: ["peers"]).rows
    let report = BenchmarkReport(results)
    let page = report.page()
    #expect(report.hasSeries("fetch newest 100"))
    #expect(!report.hasSeries("fetch peers"))
    let section = page.sections.first { $0.anchor == "one-size" }
    guard case .figure(let figure)? = section?.blocks.last else {
      Issue.record("there is no chart of peers")
      return
    }
    #expect(figure.table.rows.map { $0.cells[0] } == ["fetch peers", "fetch peers"])
    #expect(!page.sections.contains { $0.heading == "Fetch peers" })
    #expect(page.charts.map(\.id) == ["ratios", "cost-fetch-newest-100", "peers"])
  }

  @Test func `With few sizes the chart shows the largest only, for each floor`() throws {
    var results = try Sample.results(sizes: [1_000, 10_000, 100_000, 200_000])
    let few = [1_000, 10_000]
    results.rows += try Sample.results(sizes: few, operations: ["peers 1", "peers 2", "peers 3"])
      .rows
    results.rows +=
      try Sample.results(
        sizes: few,
        operations: ["pass"],
        contenders: ["ours", "kit-1", "kit-2", "article"]
      ).rows
    let page = BenchmarkReport(results).page()
    #expect(page.charts.map(\.id) == ["ratios", "cost-fetch-newest-100", "peers", "peers-ours"])
    #expect(page.charts[2].summary.matches(of: /peers 1, ours/).count == 1)
    #expect(page.charts[3].legend.map(\.contender) == ["kit-1", "kit-2", "article"])
    let section = try #require(page.sections.first { $0.anchor == "one-size" })
    let sizes = section.blocks.compactMap { block -> Set<String>? in
      guard case .figure(let figure) = block else { return nil }
      return Set(figure.table.rows.map { $0.cells[2] })
    }
    #expect(sizes == [["1,000", "10,000"], ["1,000", "10,000"]])
  }

  @Test func `Sizes in another unit have a curve of their own, and are no sizes of history`() throws
  {
    var results = try Sample.results()
    let grown = try Sample.results(sizes: [1, 5], operations: ["growth"]).rows
    results.rows += grown.map { row in
      var row = row
      (row.sizeUnit, row.ratio) = ("members", nil)
      return row
    }
    #expect(results.historySizes == [1_000, 10_000, 100_000])
    let report = BenchmarkReport(results)
    #expect(report.hasSeries("fetch growth") && report.hasSeries("fetch newest 100"))
    let page = report.page()
    #expect(page.charts.map(\.id) == ["ratios", "cost-fetch-newest-100", "cost-fetch-growth"])
    let summary = try #require(page.charts.last?.summary)
    #expect(summary.contains("cost against the number of members") && summary.contains("5 members"))
    let section = try #require(page.sections.first { $0.heading == "Fetch growth" })
    guard case .figure(let figure)? = section.blocks.last else {
      Issue.record("there is no chart of growth")
      return
    }
    #expect(figure.table.columns.first?.title == "members")
  }

  @Test func `Growth in another unit is drawn beside the greatest number of other curves`() throws {
    let names = (1...12).map { "operation \($0)" }
    var results = try Sample.results(operations: names)
    let grown = try Sample.results(sizes: [1, 5], operations: ["growth", "growth too"]).rows
    results.rows += grown.map { row in
      var row = row
      row.sizeUnit = "members"
      return row
    }
    let report = BenchmarkReport(results)
    let drawn = report.charted
    #expect(drawn.count == BenchmarkReport.mostCurves + 2)
    #expect(drawn.suffix(2) == ["fetch growth", "fetch growth too"])
    let further = try #require(report.furtherSection(without: drawn))
    #expect(further.anchor == "further")
    #expect(!"\(further)".contains("growth too"))
  }

  @Test func `A chart leaves out the conditions that all benchmarks share`() throws {
    var results = try Sample.results(operations: ["newest 100", "all"])
    for index in results.rows.indices {
      results.rows[index].condition =
        results.rows[index].operation == "all" ? "10 new, warm, tmpfs" : "warm, tmpfs"
    }
    let report = BenchmarkReport(results)
    #expect(report.shortened("fetch all, 10 new, warm, tmpfs") == "fetch all, 10 new")
    #expect(report.shortened("fetch newest 100, warm, tmpfs") == "fetch newest 100")
    for index in results.rows.indices where index.isMultiple(of: 2) {
      results.rows[index].axis = "cold"
      results.rows[index].condition = "cold cache, disk"
    }
    let mixed = BenchmarkReport(results)
    #expect(mixed.shortened("fetch all, 10 new, warm, tmpfs") == "fetch all, 10 new")
    #expect(mixed.shortened("fetch all, cold cache, disk") == "fetch all, cold cache, disk")
    results.rows.removeAll { $0.operation == "all" || $0.axis != nil }
    let alone = BenchmarkReport(results)
    #expect(alone.shortened("fetch newest 100, warm, tmpfs") == "fetch newest 100, warm, tmpfs")
  }

  @Test(arguments: [
    (bytes: 9.25, text: "9.25 B"), (bytes: 2048.0, text: "2.00 KiB"),
    (bytes: 33_554_432.0, text: "32.0 MiB"), (bytes: 5_368_709_120.0, text: "5.00 GiB"),
    (bytes: 0.0, text: "0 B"),
  ])
  func `Bytes are printed in the unit that fits`(bytes: Double, text: String) {
    #expect(NumberText.quantity(bytes, unit: "B") == text)
  }
}
