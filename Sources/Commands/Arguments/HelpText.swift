/// Generates the help of the tool and of each verb from their specifications.
package struct HelpText {
  package let tool: ToolSpec
  /// The command at the start of usage lines and examples.
  package var command = ShellCommand.plain
  /// The maximum width of a line, in columns.
  package let width: Int

  /// The maximum number of subverbs that the overview shows for a verb; the verb's own help lists all.
  private static let namedSubverbs = 3

  /// Returns the tool's help: its purpose, verbs, options and exit codes.
  package func overview() -> String {
    let verbs = tool.verbs.map { verb in
      var words = verb.subverbs.map(\.word)
      if words.count > Self.namedSubverbs { words[Self.namedSubverbs...] = ["..."] }
      let more = words.joined(separator: "|")
      return (more.isEmpty ? verb.word : "\(verb.word) \(more)", verb.sentence)
    }
    let options = [
      ("-h, --help", "Shows this help; after a verb, the help of that verb."),
      ("--version", "Shows the version."),
    ]
    return join([
      heading("\(tool.name): \(tool.sentence)"),
      section("Usage", Columns.fit(command.line("VERB [OPTIONS]"), width: width - 2)),
      section("Verbs", Columns.rows(verbs, width: width)),
      section("Options", Columns.rows(options, width: width)),
      examples(tool.examples),
      exitCodes,
      Columns.fit("Try: \(command.line("VERB --help"))", width: width).joined(separator: "\n"),
    ])
  }

  /// Returns a verb's help: its purpose, arguments, options and exit codes.
  package func text(of verb: VerbSpec) -> String {
    join([
      heading("\(tool.name) \(verb.name): \(verb.sentence)"),
      section("Usage", usage(of: verb)),
      section("Verbs", Columns.rows(verb.subverbs.map { ($0.word, $0.sentence) }, width: width)),
      section("Arguments", Columns.rows(verb.positionals.map(row), width: width)),
      section("Options", Columns.rows(verb.options.map(row) + [helpRow], width: width)),
      examples(verb.examples),
      exitCodes,
    ])
  }

  private func heading(_ text: String) -> String {
    Columns.wrap(text, width: width).joined(separator: "\n")
  }

  private func usage(of verb: VerbSpec) -> [String] {
    let parts = [verb.name] + verb.positionals.map(\.usage) + ["[OPTIONS]"]
    let line = command.line(parts.joined(separator: " "))
    let alone = verb.start != nil ? Columns.fit(line, width: width - 2) : []
    return alone + verb.subverbs.flatMap(usage)
  }

  private func row(_ positional: PositionalSpec) -> (String, String) {
    (positional.value.placeholder, positional.sentence)
  }

  private func row(_ option: OptionSpec) -> (String, String) {
    var notes: [String] = []
    if let text = option.defaultText { notes.append("default: \(text)") }
    if option.repeats { notes.append("may be repeated") }
    guard !notes.isEmpty else { return (option.usage, option.sentence) }
    let end = " (\(notes.joined(separator: "; ")))."
    return (option.usage, option.sentence.dropLast() + end)
  }

  private var helpRow: (String, String) { ("-h, --help", "Shows this help.") }

  private func examples(_ examples: [Example]) -> String {
    guard !examples.isEmpty else { return "" }
    let lines = examples.flatMap { example in
      Columns.wrap(example.sentence, width: width - 4).map { "  # " + $0 }
        + Columns.command(command.line(example.line), indent: 2, width: width)
    }
    return (["Examples:"] + lines).joined(separator: "\n")
  }

  private var exitCodes: String {
    let rows = ExitCode.allCases.map { (String($0.rawValue), $0.sentence) }
    return section("Exit codes", Columns.rows(rows, width: width))
  }

  private func section(_ title: String, _ lines: [String]) -> String {
    guard !lines.isEmpty else { return "" }
    return ([title + ":"] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  private func join(_ parts: [String]) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }
}
