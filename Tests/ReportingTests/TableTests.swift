import Testing

@testable import Reporting

@Suite struct `Tables` {
  @Test(arguments: [
    (field: "plain", written: "plain"), (field: "", written: ""),
    (field: "a,b", written: "\"a,b\""), (field: "say \"no\"", written: "\"say \"\"no\"\"\""),
    (field: "two\nlines", written: "\"two\nlines\""), (field: "a\r\nb", written: "\"a\r\nb\""),
    (field: " space", written: "\" space\""), (field: "\u{E9}\u{D7}", written: "\u{E9}\u{D7}"),
  ])
  func `A CSV field is quoted where needed`(field: String, written: String) {
    #expect(CSVWriter.quoted(field) == written)
  }

  @Test func `A CSV file has its columns first and one line a row`() {
    var writer = CSVWriter(columns: ["name", "size"])
    writer.append(["a,b", "1"])
    #expect(writer.text == "name,size\n\"a,b\",1\n")
  }

  @Test func `A terminal table aligns text left and numbers right`() {
    #expect(
      table().text() == """
        Costs
          name       cost
          ------  -------
          fetch   1.20 ms
        \u{2717} me rge     9 ns

        """
    )
  }

  @Test func `A terminal table without marks has no column for them`() {
    var plain = ReportTable(columns: [.text("a")])
    plain.append(["b"])
    #expect(plain.text() == "a\n-\nb\n")
  }

  @Test func `Escape sequences never reach the terminal`() {
    var hostile = ReportTable(columns: [.text("a")])
    hostile.append(["\u{1B}[31mred\u{7}\r\n"])
    #expect(!hostile.text().unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
    #expect(hostile.text().split(separator: "\n").count == 3)
  }

  @Test func `Markdown cannot be broken by a cell`() {
    var hostile = ReportTable(columns: [.text("a|b"), .number("n")])
    hostile.append(["x | y\n*z* <b>", "1"])
    #expect(
      hostile.markdown() == """
        | a\\|b | n |
        | --- | ---: |
        | x \\| y \\*z\\* &lt;b&gt; | 1 |

        """
    )
  }

  @Test func `Cells and titles link to headings of the same text, where one exists`() {
    var table = ReportTable(columns: [.text("condition"), .text("kit-1.0", link: .place("kit-10"))])
    var row = ReportTable.Row(["ties", "2 broken*"])
    row.cellLinks[1] = .place("kit-10-under-ties")
    table.append(row)
    #expect(
      table.markdown(isLinked: true) == """
        | condition | [kit-1.0](#kit-10) |
        | --- | --- |
        | ties | [2 broken\\*](#kit-10-under-ties) |

        """
    )
    #expect(!table.markdown().contains("]("))
    #expect(table.html().markup.contains("<th scope=\"col\"><a href=\"#kit-10\">kit-1.0</a>"))
    #expect(table.html().markup.contains("<a href=\"#kit-10-under-ties\">2 broken*</a>"))
  }

  @Test func `On a narrow screen a table with sentences is stacked, its numbers with titles`() {
    var table = ReportTable(columns: [.text("invariant"), .number("broke"), .prose("what")])
    var row = ReportTable.Row(["Reclaim", "3", "app purged, and #1 is still there"])
    row.cellNotes[0] = "A purge leaves at most the newest transaction."
    table.append(row)
    let html = table.html().markup
    #expect(html.contains("class=\"n2 stack\""))
    #expect(
      html.contains(
        "<td class=\"wide\">Reclaim<small>A purge leaves at most the newest transaction.</small>"
      )
    )
    #expect(html.contains("<td data-label=\"broke\">3<td class=\"wide\">app purged"))
    #expect(!self.table().html().markup.contains("stack"))
  }

  @Test(arguments: [100, 101])
  func `A table of more than a hundred rows is collapsed until clicked`(_ count: Int) {
    var table = ReportTable(columns: [.text("a")])
    for _ in 1...count { table.append(["b"]) }
    #expect(table.html().markup.contains("<summary>Show 101 rows</summary>") == (count == 101))
  }

  private func table() -> ReportTable {
    var table = ReportTable(caption: "Costs", columns: [.text("name"), .number("cost")])
    table.append(["fetch", "1.20 ms"])
    table.append(ReportTable.Row(["me\nrge", "9 ns"], mark: .bad))
    return table
  }
}

@Suite struct `Numbers` {
  @Test(arguments: [
    (nanoseconds: 0.0, text: "0 ns"), (nanoseconds: 12, text: "12.0 ns"),
    (nanoseconds: 999.4, text: "999 ns"), (nanoseconds: 999.6, text: "1.00 \u{B5}s"),
    (nanoseconds: 12_345, text: "12.3 \u{B5}s"), (nanoseconds: 1_450_000, text: "1.45 ms"),
    (nanoseconds: 999_960_000, text: "1.00 s"), (nanoseconds: 7.2e12, text: "7,200 s"),
  ])
  func `Times have a fitting unit and three digits`(nanoseconds: Double, text: String) {
    #expect(NumberText.time(nanoseconds: nanoseconds) == text)
  }

  @Test(arguments: [
    (value: 0.797, text: "0.797"), (value: 0.02163, text: "0.0216"), (value: 1, text: "1.00"),
    (value: 9.996, text: "10.0"), (value: 99.96, text: "100"), (value: 1_234.5, text: "1,235"),
    (value: -0.5, text: "-0.500"), (value: 0.00012, text: "0.00012"),
    (value: .infinity, text: "not a number"),
  ])
  func `Three digits are kept at any magnitude`(value: Double, text: String) {
    #expect(NumberText.significant(value) == text)
  }

  @Test func `Counts have thousands separators`() {
    #expect(NumberText.count(1_000_000) == "1,000,000")
    #expect(NumberText.count(-1_234) == "-1,234")
    #expect(NumberText.count(999) == "999")
    #expect(NumberText.quantity(607, unit: "steps") == "607 steps")
  }

  @Test func `Numbers for machines read back the same`() {
    #expect(NumberText.exact(3) == "3")
    #expect(NumberText.exact(0.1) == "0.1")
    #expect(NumberText.rounded(1.23456789) == "1.23457")
    #expect(NumberText.rounded(19_000_000.4) == "19000000")
    #expect(NumberText.rounded(.nan) == "")
  }
}
