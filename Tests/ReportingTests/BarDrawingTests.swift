import Testing

@testable import Reporting

@Suite struct `Bars` {
  private static let bars = [
    BarDrawing.Bar("a", 100, "100 %"), BarDrawing.Bar("b <&>", 50, "half", isBad: true),
    BarDrawing.Bar("c", .nan, "none"),
  ]

  private static func page(_ direction: BarDrawing.Direction) -> String {
    let made = Figure.bars(
      id: "x",
      summary: "What \"bars\" show",
      BarDrawing(bars, direction),
      table: ReportTable(columns: [.text("a")])
    )
    let section = PageSection("Bars", [.figure(made.figure)])
    return ReportPage(title: "t", lead: "l", sections: [section])
      .html(images: .drawn(["x": made.svg]))
  }

  @Test func `Bars are as long as their values, and NaN has no length`() {
    let svg = BarDrawing(Self.bars, .rows).svg
    #expect(svg.contains(#"width="140""#) && svg.contains(#"width="70""#))
    #expect(svg.contains(#"width="0" height="16""#))
    #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>"))
  }

  @Test func `Columns stand on the base line, with the first and the last label`() {
    let svg = BarDrawing(Self.bars, .columns).svg
    #expect(svg.contains(#"y="0" width="117.3" height="160""#))
    #expect(svg.contains(#"y="80" width="117.3" height="80""#))
    #expect(svg.contains(">a</text>") && svg.contains(">c</text>") && !svg.contains(">b"))
    #expect(BarDrawing([], .columns).svg.hasSuffix("</svg>"))
  }

  @Test(arguments: [BarDrawing.Direction.rows, .columns])
  func `A page shows the drawing in its own colours, with escaped labels`(
    direction: BarDrawing.Direction
  ) {
    let html = Self.page(direction)
    #expect(html.contains("<svg role=\"img\" aria-label=\"What &quot;bars&quot; show\""))
    #expect(html.contains("fill=\"var(--s0)\"") && html.contains("fill=\"var(--s1)\""))
    #expect(html.contains("aria-label=\"b &lt;&amp;&gt;: half\""))
    #expect(!html.contains("b <&>"))
  }
}
