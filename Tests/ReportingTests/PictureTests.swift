import HistoryTypes
import Testing
import Traces

@testable import Reporting

@Suite struct `Pictures of counterexamples` {
  private static func html(_ counterexample: Counterexample) -> String {
    CounterexamplePicture(counterexample).html().markup
  }

  private static func drawing(_ counterexample: Counterexample) -> PictureDrawing {
    PictureDrawing(counterexample, CounterexampleStory(counterexample, isNarrow: false))
  }

  /// Returns how often a piece of markup occurs in a text.
  private static func count(_ piece: String, in html: String) -> Int {
    html.components(separatedBy: piece).count - 1
  }

  @Test func `Every actor has a row, a lifeline and a cursor, and each transaction a bar`()
    throws
  {
    let counterexample = try CounterexampleSamples.purge()
    let html = Self.html(counterexample)
    #expect(Self.drawing(counterexample).layout.lanes == ["app", "widget", "share", "mirror"])
    #expect(Self.count("class=\"tl-life", in: html) == 4)
    #expect(Self.count("class=\"tl-cursor\"", in: html) == 4)
    #expect(Self.count("class=\"tl-mark\"", in: html) == 1)
    #expect(Self.count("class=\"tl-bar\"", in: html) == 2)
    #expect(Self.count("class=\"tl-pill\"", in: html) == 8)
    #expect(Self.count("<li", in: html) == 10)
  }

  @Test func `The lost transaction is coloured from its write to its purge, the others are not`()
    throws
  {
    let counterexample = try CounterexampleSamples.purge()
    let layout = Self.drawing(counterexample).layout
    let html = Self.html(counterexample)
    // Its bar ends below the row of the purge; the line from its writer starts at the writer.
    let x = layout.barX(0)
    #expect(html.contains("class=\"tl-hit\" d=\"M\(x) \(layout.y(0))V\(layout.y(8) + 10)\""))
    #expect(!html.contains("class=\"tl-hit\" d=\"M\(layout.barX(1)) "))
    #expect(html.contains("fetch <mark>#1</mark> #2"))
    #expect(html.contains("class=\"tl-cross\""))
  }

  @Test func `The step that violates the invariant is marked once by symbol, word and colour`()
    throws
  {
    for sample in [
      try CounterexampleSamples.purge(), try CounterexampleSamples.convergence(),
      try CounterexampleSamples.crowd(),
    ] {
      let html = Self.html(sample)
      #expect(Self.count("<rect class=\"tl-bad\"", in: html) == 1)
      #expect(Self.count("<li class=\"bad\"", in: html) == 1)
      #expect(Self.count("aria-label=\"broken\"", in: html) == 1)
    }
  }

  @Test func `A cursor moves where it is recorded, and the watermark follows the slowest`() throws {
    var script = try TraceScript(["app", "widget"])
    script.insert("app", 1, "a", as: "1")
    script.insert("app", 2, "b", as: "2")
    script.run(.pass("widget"), .merged(["1", "2"]), .recorded(cursor: "2"))
    script.run(.pass("app"), .recorded(cursor: "1"))
    script.run(.retire("app"), .retired)
    let counterexample = script.broken("MergeOrder", because: "x") { $0 == .retired }
    let drawing = Self.drawing(counterexample)
    #expect(drawing.positions.map { $0.cursors["widget"] } == [0, 0, 0, 2, 2, 2])
    #expect(drawing.positions.map(\.watermark) == [0, 0, 0, 0, 1, 2])
    let layout = drawing.layout
    // The shaded area ends at the lowest cursor: app's until it retires, then widget's.
    let x = [
      layout.cursorX(0, lane: 0), layout.cursorX(1, lane: 0), layout.cursorX(2, lane: 1),
    ]
    let y = [
      layout.cursorY(3, lane: 0, isRising: true), layout.cursorY(4, lane: 0, isRising: false),
    ]
    #expect(drawing.shades.map(\.x) == [x[0], x[0], x[1], x[2]])
    #expect(drawing.shades.last.map { [$0.from, $0.to] } == [y[1], layout.bottom])
    #expect(drawing.shades.dropLast().last.map { [$0.from, $0.to] } == [y[0], y[1]])
    let store = layout.storeX
    let last = "M\(store) \(y[1])H\(x[2])V\(layout.bottom)H\(store)z"
    #expect(drawing.watermark.markup.contains(last))
  }

  @Test(arguments: [2, 4, 8])
  func `Cursors that a purge resets have separate lines`(_ count: Int) throws {
    let actors = (1...count).map { ActorID("member\($0)") }
    var script = try TraceScript(actors)
    for key in 1...3 { script.insert(actors[0], Int64(key), "a", as: String(key)) }
    for actor in actors {
      script.run(.pass(actor), .merged(["1", "2", "3"]), .recorded(cursor: "3"))
    }
    script.run(.purge(actors[0]), .purged(["1", "2", "3"]))
    for actor in actors { script.happen(actor, .recorded(cursor: nil)) }
    let drawing = Self.drawing(
      script.broken("CursorProgress", because: "x") { $0 == .purged(["1", "2", "3"]) }
    )
    let lines = drawing.cursors.map { group in
      group.markup.firstMatch(of: /tl-cursor" d="([^"]*)"/).map { String($0.1) } ?? ""
    }
    #expect(lines.allSatisfy { $0.contains(/H\d+V\d+H\d+V/) }, "each rises and falls: \(lines)")
    for direction in ["H", "V"] {
      let places = lines.map { line in
        // The position and the start of the last fall.
        line.matches(of: /[A-Z][\d ]+/).map { String($0.0) }.filter { $0.hasPrefix(direction) }
      }
      let own = places.flatMap { Set($0) }.filter { $0 != "V\(drawing.layout.bottom)" }
      #expect(Set(own).count == own.count, "\(direction) of \(lines)")
    }
    // The lowest cursor has no line of another one above it.
    let least = try #require(drawing.shades.last?.x)
    #expect(least == drawing.layout.cursorX(0, lane: 0))
  }

  @Test func `Transactions lost in a power-off disappear, and their names may be reused`() throws {
    var script = try TraceScript(["app", "widget"])
    script.insert("app", 1, "a", as: "1")
    script.insert("app", 2, "b", as: "2")
    script.run(.crash("app"), .crashed, .recovered(through: "1"))
    script.run(.launch("app"), .launched(cursor: "1"))
    script.insert("app", 3, "c", as: "2")
    script.run(.pass("widget"), .merged(["1", "2"]), .recorded(cursor: "2"))
    let drawing = Self.drawing(script.broken("Durability", because: "x") { $0 == .crashed })
    let last = try #require(drawing.positions.last)
    #expect(last.transactions == ["1", "2", "2"] && last.held == ["1", "2"])
    #expect(last.purged == [1] && last.cursors == ["app": 1, "widget": 3])
    #expect(drawing.positions[3].running == ["widget"])
  }

  @Test func `Values appear under the pointer`() throws {
    let html = Self.html(try CounterexampleSamples.purge())
    #expect(html.contains("<title>Step 1, share: insert Item/3 {title: &quot;a&quot;} -&gt; #1"))
    #expect(html.contains("<title>#1: author share, at 1"))
    #expect(html.contains("<title>The cursor of widget; step 8: #2</title>"))
  }

  @Test func `Names and values cannot become markup or URLs`() throws {
    let hostile = "\"><script>alert('1')</script>&"
    let page = CounterexamplePage(
      try CounterexampleSamples.reported(hostile),
      replay: hostile,
      file: "javascript:" + hostile
    )
    let html = page.html()
    #expect(!html.contains("<script>alert") && !html.contains("'1'"))
    #expect(Self.count("<script", in: html) == 0)
    for pattern in ["http:", "https:", "src=", "url(", "@import", "href=\"javascript"] {
      #expect(!html.contains(pattern), "\(pattern)")
    }
  }

  @Test func `A page contains the replay, the walk, the plan and the file, and is small`() throws {
    let counterexample = try CounterexampleSamples.purge()
    let replay = "history-lab replay run/counterexample.jsonl"
    let html = CounterexamplePage(
      counterexample,
      meaning: "Nothing is purged early.",
      replay: replay,
      file: "c.jsonl"
    ).html()
    #expect(html.contains("<dt>PurgeSafety</dt><dd>Nothing is purged early.</dd>"))
    #expect(html.contains("<code>\(replay)</code>"))
    #expect(html.contains("<code>\(replay) --step</code>"))
    let plan = PlanCodec.encode(counterexample.trace.header.plan)
    #expect(html.contains(HTML.escaped(plan)))
    #expect(html.contains("href=\"./c.jsonl\""))
    #expect(html.utf8.count < 40_000)
  }

  @Test func `Many transactions are drawn thinner, all within the picture`() throws {
    var script = try TraceScript(["app", "widget"])
    for key in 1...300 { script.insert("app", Int64(key), "a", as: String(key)) }
    script.run(.purge("widget"), .purged(["7"]))
    let counterexample = script.broken("PurgeSafety", because: "x", transaction: "7") {
      $0 == .purged(["7"])
    }
    let layout = Self.drawing(counterexample).layout
    #expect(layout.column == 5 && !layout.namesFit)
    #expect(layout.barX(299) < layout.storeX + layout.storeWidth)
    #expect(layout.storeX + layout.storeWidth < layout.width)
    #expect(layout.top(300) + layout.height(300) == layout.bottom)
    #expect(Self.count(">#", in: Self.html(counterexample)) > 0)
  }
}
