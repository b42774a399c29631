import Basics
import LabFixtures
import Reporting
import Testing

@testable import Commands

@Suite struct `Terminal output` {
  static let erase = "\r\u{1B}[K"

  private func traits(
    output: Bool = true,
    errors: Bool = true,
    columns: Int? = nil,
    _ environment: [String: String] = [:]
  ) -> Terminal.Traits {
    Terminal.Traits(
      outputIsTerminal: output,
      errorIsTerminal: errors,
      outputColumns: columns,
      errorColumns: columns,
      environment: { environment[$0] }
    )
  }

  @Test func `Colours require a terminal and no request against them`() {
    #expect(traits().usesColour)
    #expect(!traits(output: false).usesColour)
    #expect(!traits(["NO_COLOR": "1"]).usesColour)
    #expect(!traits(["TERM": "dumb"]).usesColour)
    #expect(TestTerminal(traits()).terminal.styled("x", .red) == "\u{1B}[31mx\u{1B}[0m")
    #expect(TestTerminal(traits(output: false)).terminal.styled("x", .red) == "x")
  }

  @Test func `A changing line needs a terminal`() {
    #expect(traits(output: false).showsStatus)
    #expect(!traits(errors: false).showsStatus)
    #expect(!traits(["TERM": "dumb"]).showsStatus)
  }

  @Test func `The width is the terminal's, then COLUMNS, then 80`() {
    #expect(traits(columns: 90, ["COLUMNS": "50"]).width == 90)
    #expect(traits(["COLUMNS": "50"]).width == 50)
    #expect(traits(["COLUMNS": "wide"]).width == 80)
    #expect(traits().width == 80)
    #expect(traits(columns: 5).width == 40)
    #expect(traits(columns: 300).width == 100)
    #expect(traits(columns: 300).statusWidth == 300)
    #expect(traits().columns == nil)
    #expect(traits(columns: 300).columns == 300)
    #expect(traits(["COLUMNS": "20"]).columns == 40)
  }

  @Test func `A line of results does not overwrite the changing line`() {
    let kept = TestTerminal(traits())
    kept.terminal.setStatus("working")
    kept.terminal.print("result")
    kept.terminal.log("note")
    kept.terminal.setStatus(nil)
    kept.terminal.setStatus(nil)
    #expect(kept.output.text == "result\n")
    #expect(
      kept.errors.text == Self.erase + "working" + Self.erase + "working"
        + Self.erase + "note\nworking" + Self.erase
    )
  }

  @Test func `Without a terminal no line is redrawn`() {
    let kept = TestTerminal(traits(errors: false))
    kept.terminal.setStatus("working")
    kept.terminal.log("note")
    #expect(kept.errors.text == "note\n")
  }

  @Test func `Results that cannot be written are a failure of the lab`() async {
    let kept = TestTerminal(traits(), output: Recorder(refusing: "No space left on device"))
    let result = await run(["list"], on: kept)
    #expect(result.code == .lab)
    #expect(
      result.errors
        == "history-lab: standard output cannot be written: No space left on device. Check the file or "
        + "program that receives it.\n"
    )
  }
}

@Suite struct `Columns of text` {
  @Test func `Text is broken between words`() {
    #expect(Columns.wrap("one two three", width: 7) == ["one two", "three"])
    #expect(Columns.wrap("one two", width: 6) == ["one", "two"])
    #expect(Columns.wrap("unbearable is", width: 6) == ["unbear", "able", "is"])
    #expect(Columns.wrap("", width: 5) == [])
  }

  @Test func `A line that is too long is wrapped with an indent`() {
    #expect(Columns.fit("  one two three", width: 9) == ["  one", "    two", "    three"])
    #expect(Columns.fit("  one", width: 9) == ["  one"])
    #expect(Columns.fit("one two three", width: nil) == ["one two three"])
  }

  @Test func `A table that is too wide becomes a list`() {
    var table = ReportTable(columns: [.text("invariant"), .text("verdict"), .number("held")])
    table.append(["Convergence", "held", "200"])
    table.append(["PurgeSafety", "undecided", ""])
    func lines(_ columns: Int?) -> String {
      let kept = TestTerminal(Terminal.Traits(columns: columns))
      kept.terminal.print(table)
      return kept.output.text
    }
    let aligned = """
        invariant    verdict    held
        -----------  ---------  ----
        Convergence  held        200
        PurgeSafety  undecided

      """
    #expect(lines(nil) == aligned)
    #expect(lines(30) == aligned)
    #expect(
      lines(22) == """
          Convergence
            verdict: held;
            held: 200
          PurgeSafety
            verdict: undecided

        """
    )
  }

  @Test func `Descriptions are printed next to names`() {
    let rows = [("a", "first sentence"), ("bcd", "")]
    #expect(Columns.rows(rows, width: 80) == ["a    first sentence", "bcd"])
  }

  @Test func `A long name has a line of its own`() {
    let rows = [("a-very-very-long-name", "words"), ("b", "words")]
    #expect(
      Columns.rows(rows, width: 40) == [
        "a-very-very-long-name", "                words", "b               words",
      ]
    )
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
  func `Digits are grouped`(number: Int, text: String) {
    #expect(number.grouped == text)
  }

  @Test(arguments: [
    ("plain-1.sqlite", "plain-1.sqlite"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#),
    ("$HOME", "'$HOME'"), ("über", "'über'"), ("a*", "'a*'"),
  ])
  func `Words are quoted for a shell where needed`(word: String, quoted: String) {
    #expect(word.shellQuoted == quoted)
  }
}
