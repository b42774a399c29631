import HistoryLab
import LabFixtures
import Testing

@testable import Commands

@Suite struct Help {
  static let tool = ToolSpec.historyLab
  static let all = tool.verbs + tool.leaves

  @Test func `The overview names every verb and every exit code`() {
    let text = HelpText(tool: Self.tool, width: 80).overview()
    for verb in Self.tool.verbs { #expect(text.contains("\n  \(verb.word)")) }
    for code in ExitCode.allCases {
      #expect(text.contains(Columns.pad(String(code.rawValue), to: 2) + "  " + code.sentence))
    }
    #expect(text.contains("bench run|list|compare|..."))
  }

  @Test(arguments: all.map(\.name))
  func `A verb's help shows its description, options, defaults and exit codes`(
    name: String
  ) async throws {
    let verb = try #require(Self.all.first { $0.name == name })
    let text = HelpText(tool: Self.tool, width: 100).text(of: verb)
    #expect(text.hasPrefix("history-lab \(name): "))
    let flat = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(flat.contains(verb.sentence))
    for option in verb.options {
      #expect(text.contains("\n  \(option.usage)"))
      if let value = option.defaultText { #expect(flat.contains("default: \(value)")) }
      if option.repeats { #expect(flat.contains("may be repeated")) }
    }
    #expect(text.contains("\n  70  the lab itself failed"))
    let asked = await run(name.split(separator: " ").map(String.init) + ["--help"])
    #expect(asked.code == .good)
    #expect(asked.output.hasPrefix("history-lab \(name): "))
  }

  @Test func `Help says where the output has one object per line`() throws {
    let replay = try #require(Self.all.first { $0.name == "replay" })
    let text = HelpText(tool: Self.tool, width: 100).text(of: replay)
    #expect(text.contains("--json ") && text.contains("Prints the trace as JSON Lines"))
  }

  @Test(arguments: all.map(\.name))
  func `Every verb has two to four examples that the parser accepts`(name: String) throws {
    let verb = try #require(Self.all.first { $0.name == name })
    #expect((2...4).contains(verb.examples.count))
    for example in verb.examples + Self.tool.examples {
      #expect(throws: Never.self) { try parse(example.line) }
    }
  }

  @Test(arguments: [40, 60, 80, 100], ["history-lab", "/home/me/lab/.build/release/history-lab"])
  func `No line is wider than the terminal`(width: Int, command: String) {
    let help = HelpText(tool: Self.tool, command: ShellCommand(text: command), width: width)
    for text in [help.overview()] + Self.all.map(help.text) {
      for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
    }
  }

  @Test(arguments: [40, 60, 100])
  func `A shell reads a wrapped example as one command`(width: Int) async throws {
    let lines = Self.tool.leaves.flatMap(\.examples).map { "printf '[%s]' history-lab \($0.line)" }
    let whole = try await shell(lines)
    let broken = try await shell(lines.flatMap { Columns.command($0, indent: 2, width: width) })
    #expect(whole.count > lines.count && whole == broken)
  }

  /// Returns a shell's output for some lines, with runs of spaces collapsed.
  ///
  /// Spaces within double quotes may grow, which matters neither to SQL nor to a shell.
  private func shell(_ lines: [String]) async throws -> String {
    let text = try await ProgramOutput.text(of: "/bin/sh", ["-c", lines.joined(separator: "\n")])
      .text
    return text.split(separator: " ").joined(separator: " ")
  }

  @Test func `Help takes precedence over other errors`() async {
    for words in [["check", "--plans", "-3", "-h"], ["help", "check"], ["check", "--help", "x"]] {
      let result = await run(words)
      #expect(result.code == .good)
      #expect(result.output.hasPrefix("history-lab check: "))
    }
  }

  @Test func `Without arguments the overview goes to standard error`() async {
    let result = await run([])
    #expect(result.code == .usage)
    #expect(result.errors.hasPrefix("history-lab: tests persistent history tracking"))
    #expect(result.output == "")
  }

  @Test func `Options with the same name accept the same values everywhere`() {
    var rules: [String: String] = [:]
    for option in Self.tool.leaves.flatMap(\.options) {
      let rule = option.value?.expectation ?? "flag"
      #expect(rules.updateValue(rule, forKey: option.name) ?? rule == rule, "\(option.name)")
    }
  }

  @Test(arguments: ["anonymous", "depth", "object-values", "states", "tolerance"])
  func `A shared option has one description in all verbs`(name: String) {
    let shared = Self.tool.leaves.compactMap { $0.option(name) }
    #expect(shared.count > 1)
    #expect(Set(shared.map(\.sentence)).count == 1)
  }

  @Test func `Groups of exclusive options name existing options`() {
    for verb in Self.tool.leaves {
      for name in verb.exclusive.flatMap({ $0 }) { #expect(verb.option(name) != nil) }
    }
  }
}
