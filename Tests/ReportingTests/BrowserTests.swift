import Foundation
import Measuring
import TestSupport
import Testing

@testable import Reporting

/// Opens pages in a headless browser.
@Suite(.needs(.chromium)) struct `Pages in a browser` {
  @Test func `A page has no fault in light, dark, narrow and on paper`() async throws {
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

  @Test func `What is too wide, or lies over something else, is named in every mode`() async throws
  {
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

  private static func drawing(overlapping: Bool) -> String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"340\" height=\"200\" viewBox=\"0 0 340 200\">"
      + "<circle aria-label=\"one: 1\" cx=\"20\" cy=\"20\" r=\"4\"/>"
      + "<text x=\"50\" y=\"40\">one</text><text x=\"50\" y=\"\(overlapping ? 44 : 80)\">two</text></svg>"
  }
}

private enum Browser {
  /// What `scripts/browser-check` answers about a page.
  static func check(
    _ html: String,
    in folder: TemporaryFolder
  ) async throws -> ProcessAnswer {
    let page = folder.path + "/page.html"
    try Data(html.utf8).write(to: URL(fileURLWithPath: page))
    return try await ProcessAnswer(of: Repository.path("scripts/browser-check"), [page])
  }
}
