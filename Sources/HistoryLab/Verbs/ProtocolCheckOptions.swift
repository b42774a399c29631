import Systems

/// The options of `protocol check`.
struct ProtocolCheckOptions: Hashable, Sendable {
  /// The command that `/bin/sh -c` runs.
  var command: String
  /// The timeout for an answer, in seconds.
  var timeout: Double
  /// Whether to print the results as JSON.
  var json: Bool

  /// - Throws: A usage error if the command is empty.
  init(_ arguments: ParsedArguments) throws(LabError) {
    let words = arguments.positionals.first ?? ""
    command = ExternalProgram.command(in: words) ?? words
    guard !command.allSatisfy(\.isWhitespace) else {
      throw .usage("the command is empty: name a program, in quotes with its arguments.")
    }
    timeout = try arguments.required(CommonOption.timeout)
    json = arguments.isSet(CommonOption.json)
  }
}

extension ProtocolCheckOptions {
  static let group = VerbSpec(
    name: "protocol",
    sentence:
      "Checks the answers of a program that is to be put under test.",
    examples: check.examples,
    subverbs: [check]
  )

  private static let check = VerbSpec(
    name: "protocol check",
    sentence: "Shows a program's wrong answers next to right ones, before any plan is run.",
    positionals: [
      PositionalSpec(
        value: ValueReader.text("COMMAND", "a program with its arguments, in quotes").rule,
        isRequired: true,
        sentence:
          "What /bin/sh runs: it reads commands on standard input and answers each with a line "
          + "on standard output."
      )
    ],
    options: [CommonOption.timeout.spec, CommonOption.json.spec],
    examples: [
      Example("protocol check \"python3 mine.py\"", "A program of your own."),
      Example("protocol check \"history-lab serve\" --json", "Ours, for machines."),
    ]
  )
}
