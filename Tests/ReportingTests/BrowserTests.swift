import Foundation
import Measuring
import TestSupport
import Testing
import Traces

@testable import Reporting

/// Opens pages in a headless browser.
@Suite(.needs(.chromium)) struct `Pages in a browser` {
  @Test func `A page has no layout error in light, dark, narrow and print modes`() async throws {
    let folder = try TemporaryFolder()
    let tiles = [VerdictState.good, .bad, .unknown].map {
      VerdictTile(
        subject: "What it is about",
        state: $0,
        answer: "10 of 13",
        detail: "A line on it."
      )
    }
    let results = try Sample.results(operations: ["newest 100", "all"])
    let page = BenchmarkReport(results, verdicts: tiles).page()
    let drawings = page.charts.map { ($0.id, Self.drawing(overlapping: false)) }
    let html = page.html(images: .drawn(Dictionary(uniqueKeysWithValues: drawings)))
    let answer = try await Browser.check(html, in: folder)
    #expect(answer.code == 0, "\(answer.said)")
    #expect(answer.said.contains("No fault in light, dark, narrow, print"))
  }

  @Test func `Lines and bars have no layout error in light, dark, narrow and print modes`()
    async throws
  {
    let folder = try TemporaryFolder()
    var drawings: [String: String] = [:]
    let curves = [3, 100].map { count in
      let points = (0...count).map { place in
        LineDrawing.Point(
          Double(place) * 0.37,
          Double(place * place) * 12_345,
          error: Double(place * 20_000),
          "about \(place) states after a time"
        )
      }
      let made = Figure.line(
        id: "line-\(count)",
        summary: Self.sentence,
        LineDrawing(points, x: "hours of the campaign", y: "plans that checks have run"),
        note: Self.sentence,
        table: ReportTable(caption: "What it is", columns: [.number("hours"), .number("plans")]),
        values: ReportTable(columns: [.number("seconds")])
      )
      drawings["line-\(count)"] = made.svg
      return PageBlock.figure(made.figure)
    }
    let page = ReportPage(title: "t", lead: "l", sections: [PageSection("Growth", curves)])
    let answer = try await Browser.check(page.html(images: .drawn(drawings)), in: folder)
    #expect(answer.code == 0, "\(answer.said)")
  }

  @Test func `Overflowing and overlapping elements are named in every mode`() async throws {
    let folder = try TemporaryFolder()
    let html =
      "<!doctype html><title>t</title><p style=\"width:2000px\">wide</p><div class=\"chart\">"
      + Self.drawing(overlapping: true) + "</div><script>console.error('oh')</script>"
    let answer = try await Browser.check(html, in: folder)
    #expect(answer.code == 1)
    for mode in ["light", "dark", "narrow", "print"] {
      #expect(answer.said.contains("\(mode): beyond the window, P: wide"), "\(answer.said)")
      #expect(answer.said.contains("\(mode): text over text in a chart, \"two\" and: one"))
      #expect(answer.said.contains("\(mode): console: oh"))
    }
  }

  @Test func `Tables with hidden rows or squeezed columns and clipped labels are reported`()
    async throws
  {
    let folder = try TemporaryFolder()
    let html =
      "<!doctype html><title>t</title><body style=\"line-height:20px\"><div class=\"scroll\" "
      + "style=\"height:30px;overflow:auto\"><table><tr><td style=\"width:1px\">a few of us are so"
      + "</table></div><div class=\"chart\"><svg width=\"340\" height=\"200\"><circle "
      + "aria-label=\"one: 1\" r=\"4\"/><text x=\"50\" y=\"40\">a long na\u{2026}</text></svg></div>"
    let answer = try await Browser.check(html, in: folder)
    #expect(answer.code == 1)
    for mode in ["light", "dark", "narrow", "print"] {
      #expect(answer.said.contains("\(mode): a table scrolls up and down: a few"), "\(answer.said)")
      #expect(answer.said.contains("\(mode): few letters a line: a few of us are so"))
      #expect(answer.said.contains("\(mode): a label is cut: a long na\u{2026}"))
    }
  }

  @Test
  func `A page of checks and cards has no layout error in light, dark, narrow and print modes`()
    async throws
  {
    let folder = try TemporaryFolder()
    var findings = ReportTable(
      caption: "What broke",
      columns: [.text("system"), .text("invariant"), .number("commands"), .prose("what happened")]
    )
    var finding = ReportTable.Row(
      ["article-eager", "HistoryExplainsData", "12", Self.sentence],
      mark: .bad
    )
    finding.cellNotes[1] = Self.sentence
    for _ in 1...40 { findings.append(finding) }
    var matrix = ReportTable(
      columns: [.text("condition")] + (1...13).map { .text("system-\($0)", link: .place("cards")) }
    )
    var row = ReportTable.Row(["stamp-before-commit"] + (1...13).map { "\($0) broken*" })
    for column in 1...13 {
      row.cellMarks[column] = .bad
      row.cellLinks[column] = .place("cards")
    }
    for _ in 1...20 { matrix.append(row) }
    let picture = CounterexamplePicture(try CounterexampleSamples.purge())
    let terms = PageBlock.definitions([.init("HistoryExplainsData", Self.sentence)])
    let page = ReportPage(
      title: "t",
      lead: Self.sentence,
      sections: [
        PageSection("Checks", [.table(findings), .counterexample(picture)]),
        PageSection("Cards", [.table(matrix), terms, .command(Self.sentence, purpose: "Copy:")]),
      ]
    )
    let answer = try await Browser.check(page.html(images: .drawn([:])), in: folder)
    #expect(answer.code == 0, "\(answer.said)")
  }

  @Test func `The keys move a slider of states, and paper shows every state`() async throws {
    let folder = try TemporaryFolder()
    let answer = try await Browser.check(Self.walk().html(images: .drawn([:])), in: folder)
    #expect(answer.code == 0, "\(answer.said)")
  }

  @Test func `A slider of states that its keys do not move is reported`() async throws {
    let folder = try TemporaryFolder()
    let html = Self.walk().html(images: .drawn([:]))
    let deaf = html.replacing("addEventListener(\"input\", show)", with: "focus()")
    #expect(deaf != html)
    let answer = try await Browser.check(deaf, in: folder)
    #expect(answer.code == 1)
    for mode in ["light", "dark", "narrow"] {
      #expect(answer.said.contains("\(mode): the key Home shows the states [2], not 0"))
    }
  }

  @Test func `A curve is beside its steps, and the keys mark its points`() async throws {
    let folder = try TemporaryFolder()
    let page = try Self.walk(CounterexampleSamples.purge(), count: 9)
    let html = page.html(images: .drawn([:]))
    let answer = try await Browser.check(html, in: folder)
    #expect(answer.code == 0, "\(answer.said)")
  }

  @Test func `A curve whose points are unmarked or beside other steps is reported`() async throws {
    let folder = try TemporaryFolder()
    let page = try Self.walk(CounterexampleSamples.purge(), count: 9)
    let html = page.html(images: .drawn([:]))
    let unmarked = html.replacing("marks.forEach(", with: "[].forEach(")
    let slipped = html.replacing("data-walk=\"1\" cx", with: "data-walk=\"3\" cx")
    #expect(unmarked != html && slipped != html)
    let blind = try await Browser.check(unmarked, in: folder)
    #expect(blind.said.contains("light: the key End marks the points [] of the curve, not 9"))
    let astray = try await Browser.check(slipped, in: folder)
    #expect(astray.said.contains("light: the point 1 of the curve is not beside its step"))
  }

  private static func walk(
    _ counterexample: Counterexample? = nil,
    count: Int = 2
  ) -> ReportPage {
    let points = (0...count).map { number in
      let share = Double(number) / Double(count)
      return PictureCurve.Point(
        share: share,
        lower: share * 0.9,
        upper: min(1, share * 1.1),
        text: "After \(number)"
      )
    }
    let steps = (0...count).map { number in
      var table = ReportTable(columns: [.text("who"), .text("holds")])
      table.append(["app", "state \(number)"])
      return StateWalk.Step(title: "After \(number)", details: [sentence], table: table)
    }
    let curve = PictureCurve(title: "probability", points: points)
    let walk = StateWalk(
      label: "The command",
      steps: steps,
      picture: counterexample.map { CounterexamplePicture($0, curve: curve) }
    )
    return ReportPage(title: "t", lead: "l", sections: [PageSection("States", [.walk(walk)])])
  }

  private static let sentence =
    "app wrote #1; app merged through #2 and purged #1 before mirror had merged it, which is too early"

  private static func drawing(overlapping: Bool) -> String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"340\" height=\"200\" viewBox=\"0 0 340 200\">"
      + "<circle aria-label=\"one: 1\" cx=\"20\" cy=\"20\" r=\"4\"/>"
      + "<text x=\"50\" y=\"40\">one</text><text x=\"50\" y=\"\(overlapping ? 44 : 80)\">two</text></svg>"
  }
}

private enum Browser {
  /// Returns the output of `scripts/browser-check` for a page.
  static func check(
    _ html: String,
    in folder: TemporaryFolder
  ) async throws -> ProcessAnswer {
    let page = folder.path + "/page.html"
    try Data(html.utf8).write(to: URL(fileURLWithPath: page))
    return try await ProcessAnswer(of: Repository.path("scripts/browser-check"), [page])
  }
}
