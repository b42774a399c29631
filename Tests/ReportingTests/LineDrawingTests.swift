import Testing

@testable import Reporting

@Suite struct `Lines` {
  private static let points = [
    LineDrawing.Point(0, 0, "none"), LineDrawing.Point(30, 1_500_000, error: 90_000, "half <&>"),
    LineDrawing.Point(60, 2_000_000, "all"),
  ]

  private static func svg(_ points: [LineDrawing.Point]) -> String {
    LineDrawing(points, x: "minutes", y: "states").svg
  }

  @Test func `A line goes from the origin to the last value at the right edge`() {
    let svg = Self.svg(Self.points)
    #expect(svg.contains(#"d="M56 184L242 71.5L428 34""#), "\(svg)")
    #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>"))
    // The interval is an area only where a value has an error.
    #expect(svg.contains("M56 184L242 64.8L428 34L428 34L242 78.3L56 184Z"), "\(svg)")
    #expect(!Self.svg([Self.points[0], Self.points[2]]).contains("Z\""))
  }

  @Test func `Ticks are round numbers that cover the values`() {
    #expect(LineDrawing.ticks(to: 2_000_000) == [0, 500_000, 1_000_000, 1_500_000, 2_000_000])
    #expect(LineDrawing.ticks(to: 7) == [0, 2, 4, 6])
    #expect(LineDrawing.ticks(to: 0) == [0, 1])
    #expect(LineDrawing.ticks(to: 2, whole: true) == [0, 1, 2])
    #expect(LineDrawing.ticks(to: 0.03).count > 2)
    let texts = [0, 0.5, 20, 1_500, 2_000_000, 3e9].map(LineDrawing.short)
    #expect(texts == ["0", "0.5", "20", "1.5k", "2M", "3G"])
    #expect(Self.svg(Self.points).contains(">1.5M</text>"))
  }

  @Test func `Values that cannot be drawn are drawn as 0, and no point is an empty chart`() {
    let svg = Self.svg([LineDrawing.Point(.nan, -1, error: .infinity, "odd")])
    #expect(svg.contains(#"cx="56" cy="184""#))
    #expect(Self.svg([]).hasSuffix("</svg>") && !Self.svg([]).contains("<circle"))
  }

  @Test func `A page shows the drawing in its own colours, with escaped labels`() {
    let made = Figure.line(
      id: "x",
      summary: "What \"lines\" show",
      LineDrawing(Self.points, x: "a <b>", y: "c"),
      note: "A note.",
      table: ReportTable(columns: [.text("a")]),
      values: ReportTable(columns: [.text("b")])
    )
    let html = ReportPage(
      title: "t",
      lead: "l",
      sections: [PageSection("S", [.figure(made.figure)])]
    )
    .html(images: .drawn(["x": made.svg]))
    #expect(html.contains("<svg role=\"img\" aria-label=\"What &quot;lines&quot; show\""))
    #expect(html.contains("stroke=\"var(--s0)\"") && html.contains("fill=\"currentColor\""))
    #expect(
      html.contains("aria-label=\"half &lt;&amp;&gt;\"") && html.contains(">a &lt;b&gt;</text>")
    )
  }
}
