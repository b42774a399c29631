/// A part of a page under one heading, which a link can lead to.
package struct PageSection: Sendable, Hashable {
  /// The heading.
  package var heading: String
  /// The name by which a link leads here: lower-case letters, digits and hyphens.
  package let anchor: String
  /// What stands under the heading, in order.
  package var blocks: [PageBlock]

  /// Makes a section; without an anchor it is made from the heading.
  package init(_ heading: String, anchor: String? = nil, _ blocks: [PageBlock]) {
    self.heading = heading
    self.anchor = Self.anchor(from: anchor ?? heading)
    self.blocks = blocks
  }

  /// Makes an anchor from any text: `Fetch, newest 100` becomes `fetch-newest-100`.
  package static func anchor(from text: String) -> String {
    let words = text.lowercased().utf8.split { byte in
      !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    let anchor = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    return anchor.isEmpty ? "section" : anchor
  }
}

/// One thing under a heading.
package enum PageBlock: Sendable, Hashable {
  /// Running text.
  case paragraph(String)
  /// A heading of the second rank with its anchor.
  case subheading(String, anchor: String)
  /// A chart followed by its numbers.
  case figure(Figure)
  /// A table alone.
  case table(ReportTable)
  /// Who did what, step by step, and where it broke.
  case counterexample(CounterexamplePicture)
  /// Terms, each with what it means.
  case definitions([ReportPage.Fact])
  /// Text that keeps its spaces and lines.
  case preformatted(String)
  /// A command to type or a text to copy, with what it is for; one click selects all of it.
  case command(String, purpose: String)
  /// A link to a file beside the page: a relative path and what lies there.
  case link(path: String, text: String)
}

/// A chart and the table that holds its numbers.
package struct Figure: Sendable, Hashable {
  /// The chart.
  package var chart: Chart
  /// Its numbers, as people read them.
  package var table: ReportTable
  /// The same for programs, saved by the link beside the table.
  package var values: ReportTable

  /// Makes a figure; without values the link saves the table itself.
  package init(chart: Chart, table: ReportTable, values: ReportTable? = nil) {
    self.chart = chart
    self.table = table
    self.values = values ?? table
  }
}
