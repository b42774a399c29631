import Foundation
import Measuring
import Testing

@testable import Reporting

@Suite struct `Pages` {
  private static let hostile = "<script>alert(\"x\" & 'y')</script>"

  @Test func `Text is escaped in elements and attributes`() {
    let element = HTML.element("p", ["title": Self.hostile], text: Self.hostile)
    let text = "&lt;script&gt;alert(&quot;x&quot; &amp; &#39;y&#39;)&lt;/script&gt;"
    #expect(element.markup == "<p title=\"\(text)\">\(text)</p>")
    #expect(HTML.escaped("a\u{0}\u{1B}b\n") == "a\u{FFFD}\u{FFFD}b\n")
  }

  @Test func `Reported text can never become markup`() throws {
    let page = try hostilePage()
    let html = page.html(images: .missing(because: Self.hostile))
    #expect(!html.contains("<script>alert"))
    #expect(!html.contains("javascript:\""))
    #expect(html.components(separatedBy: "<script>").count == 2)
    #expect(html.components(separatedBy: "&lt;script&gt;alert").count > 15)
  }

  @Test func `A page loads no resource and does not navigate by itself`() throws {
    let page = BenchmarkReport(try Sample.results()).page()
    let drawings = page.charts.map { ($0.id, Self.drawing) }
    let html = page.html(images: .drawn(Dictionary(uniqueKeysWithValues: drawings)))
    for pattern in ["http:", "https:", "src=", "url(", "@import", "<link rel=\"style", "//cdn"] {
      #expect(!html.contains(pattern), "\(pattern)")
    }
    let addresses = html.matches(of: /href="([^"]*)"/).map { String($0.1) }
    #expect(
      addresses.allSatisfy { $0.hasPrefix("#") || $0.hasPrefix("data:") || $0.hasPrefix("./") }
    )
    #expect(html.contains("default-src 'none'"))
  }

  @Test func `A page outside its run's folder links to the files of the run`() throws {
    var report = BenchmarkReport(try Sample.results())
    func links() -> [String] {
      report.page().html(images: .missing(because: "no tool"))
        .matches(of: /href="(\.[^"]*)"/).map { String($0.1) }
    }
    #expect(links() == ["./results.json", "./results.csv"])
    report.runFolder = "../runs/one"
    #expect(links() == ["./../runs/one/results.json", "./../runs/one/results.csv"])
  }

  @Test func `Every link within a page resolves`() throws {
    let page = BenchmarkReport(try Sample.results(operations: ["newest 100", "all"])).page()
    let html = page.html(images: .missing(because: "no tool"))
    let ids = html.matches(of: /\ id="([^"]*)"/).map { String($0.1) }
    #expect(Set(ids).count == ids.count)
    for link in html.matches(of: /href="#([^"]*)"/) {
      #expect(ids.contains(String(link.1)), "\(link.1)")
    }
    #expect(ids.contains("fetch-newest-100-ours-10000"))
  }

  @Test func `Verdicts come first, with a symbol and a word`() throws {
    let tiles = [VerdictState.good, .bad, .unknown].map {
      VerdictTile(subject: "s", state: $0, answer: "a", detail: "d")
    }
    let html = BenchmarkReport(try Sample.results(), verdicts: tiles).page()
      .html(images: .missing(because: "no tool"))
    let first = try #require(html.firstRange(of: "\u{2713}</span>holds"))
    #expect(html.contains("\u{2717}</span>broken"))
    #expect(html.contains("?</span>undecided"))
    let section = try #require(html.firstRange(of: "<section"))
    #expect(first.lowerBound < section.lowerBound)
  }

  @Test func `Without drawings the page has tables and instructions for charts`() throws {
    let page = BenchmarkReport(try Sample.results()).page()
    let html = page.html(images: .missing(because: "there is no .tools"))
    #expect(html.contains("there is no .tools"))
    #expect(html.contains("pip install vl-convert-python==1.9.0.post1"))
    #expect(html.contains("<td>30.9 \u{B5}s"))
    #expect(!html.contains("<figure"))
  }

  @Test func `A drawing is themed, and its URLs are removed`() throws {
    let markup = try #require(InlineSVG.markup(of: Self.drawing, summary: "a \"b\"")).markup
    #expect(markup.hasPrefix("<svg role=\"img\" aria-label=\"a &quot;b&quot;\""))
    #expect(markup.contains("viewBox=\"0 0 1 1\""))
    #expect(markup.contains("fill=\"currentColor\""))
    #expect(markup.contains("fill=\"var(--s0)\""))
    #expect(markup.contains("fill=\"var(--floor)\""))
    #expect(!markup.contains("http"))
  }

  @Test(arguments: [
    "<svg ><script>x</script></svg>", "<svg ><a href=\"x\"></a></svg>",
    "<svg ><image/></svg>", "not a drawing", "<svg >",
  ])
  func `A drawing with active content is left out`(svg: String) {
    #expect(InlineSVG.markup(of: svg, summary: "") == nil)
  }

  @Test func `The CSV link contains the numbers`() throws {
    let page = BenchmarkReport(try Sample.results()).page()
    let html = page.html(images: .missing(because: "no tool"))
    let match = try #require(
      html.firstMatch(
        of: /download="cost-fetch-newest-100.csv" href="data:text\/csv;charset=utf-8,([^"]*)"/
      )
    )
    let csv = try #require(String(match.1).removingPercentEncoding)
    let lines = csv.split(separator: "\n")
    #expect(lines[0] == "size,peer,p5,p50,p95,ratio,ratio_lo,ratio_hi")
    #expect(lines.count == 7)
    #expect(lines[2].hasPrefix("1000,ours,30095,30950,31805,1.47734,"))
  }

  @Test func `Terms are shown with their definitions, on a page and in Markdown`() {
    let terms = PageBlock.definitions([.init("holds", "Every <one> holds.")])
    let page = ReportPage(title: "t", lead: "", sections: [PageSection("s", [terms])])
    let html = page.html(images: .drawn([:]))
    #expect(
      html.contains("<dl class=\"terms\"><dt>holds</dt><dd>Every &lt;one&gt; holds.</dd></dl>")
    )
    #expect(page.markdown().contains("\n- holds: Every <one> holds.\n"))
  }

  @Test func `A path next to the page cannot lead elsewhere`() {
    let page = ReportPage(
      title: "t",
      lead: "",
      sections: [
        PageSection("s", [.link(path: "javascript:alert(1)", text: "x")])
      ]
    )
    #expect(page.html(images: .drawn([:])).contains("href=\"./javascript"))
  }

  @Test(arguments: [
    (text: "Fetch, newest 100", anchor: "fetch-newest-100"), (text: "\u{D7}", anchor: "section"),
    (text: "\"><b>", anchor: "b"),
  ])
  func `Anchors are plain words`(text: String, anchor: String) {
    #expect(PageSection("heading", anchor: text, []).anchor == anchor)
  }

  private static let drawing =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
    + "viewBox=\"0 0 1 1\"><path fill=\"#0072b2\"/><path fill=\"#66707a\"/>"
    + "<text fill=\"#1f2328\">x</text></svg>"

  /// A page with a script in place of every text.
  private func hostilePage() throws -> ReportPage {
    let text = Self.hostile
    var table = ReportTable(caption: text, columns: [.text(text)])
    var row = ReportTable.Row([text], mark: .bad, anchor: text)
    row.cellNotes[0] = text
    table.append(row)
    let palette = ContenderPalette(contenders: [text], floors: [])
    let chart = RatioChart(
      id: text,
      floor: text,
      entries: [
        .init(
          title: text,
          contender: text,
          ratio: Interval(estimate: 1, lower: 1, upper: 1, confidence: 0.95)
        )
      ],
      palette: palette
    ).chart
    let blocks: [PageBlock] = [
      .paragraph(text), .subheading(text, anchor: "a"), .table(table), .preformatted(text),
      .counterexample(CounterexamplePicture(try CounterexampleSamples.reported(text))),
      .command(text, purpose: text), .definitions([.init(text, text)]),
      .link(path: text, text: text), .figure(Figure(chart: chart, table: table)),
    ]
    let tile = VerdictTile(subject: text, state: .bad, word: text, answer: text, detail: text)
    return ReportPage(
      title: text,
      lead: text,
      tiles: [tile],
      sections: [PageSection(text, blocks)],
      environment: [.init(text, text)]
    )
  }
}
