/// A part of a page under one heading, which can be linked to.
package struct PageSection: Sendable, Hashable {
  /// The heading.
  package var heading: String
  /// The target of links to the section: lower-case letters, digits and hyphens.
  package let anchor: String
  /// The content under the heading, in order.
  package var blocks: [PageBlock]

  /// Creates a section; the default anchor is derived from the heading.
  package init(_ heading: String, anchor: String? = nil, _ blocks: [PageBlock]) {
    self.heading = heading
    self.anchor = Self.anchor(from: anchor ?? heading)
    self.blocks = blocks
  }

  /// Returns an anchor for a text: `Fetch, newest 100` becomes `fetch-newest-100`.
  package static func anchor(from text: String) -> String {
    let words = text.lowercased().utf8.split { byte in
      !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    let anchor = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    return anchor.isEmpty ? "section" : anchor
  }
}

/// One block of content under a heading.
package enum PageBlock: Sendable, Hashable {
  /// Running text.
  case paragraph(String)
  /// A second-level heading with its anchor.
  case subheading(String, anchor: String)
  /// A chart followed by its numbers.
  case figure(Figure)
  /// A table without a chart.
  case table(ReportTable)
  /// A counterexample's steps, by actor.
  case counterexample(CounterexamplePicture)
  /// Terms with their explanations.
  case definitions([ReportPage.Fact])
  /// Preformatted text.
  case preformatted(String)
  /// A command or text to copy, with its purpose; one click selects it completely.
  case command(String, purpose: String)
  /// A link to a file in the page's folder: a relative path and a description.
  case link(path: String, text: String)
}

/// A chart and the table of its numbers.
package struct Figure: Sendable, Hashable {
  /// The chart.
  package var chart: Chart
  /// The numbers, formatted for readers.
  package var table: ReportTable
  /// The numbers for programs, saved by the link next to the table.
  package var values: ReportTable

  /// Creates a figure; by default the link saves the table itself.
  package init(chart: Chart, table: ReportTable, values: ReportTable? = nil) {
    self.chart = chart
    self.table = table
    self.values = values ?? table
  }
}
