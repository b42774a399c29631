/// The specification of a verb.
struct VerbSpec: Sendable {
  /// The words that select the verb, without the tool's name.
  let name: String
  /// One sentence that describes the verb.
  let sentence: String
  var positionals: [PositionalSpec] = []
  var options: [OptionSpec] = []
  /// Groups of mutually exclusive options.
  var exclusive: [[String]] = []
  var examples: [Example] = []
  var subverbs: [VerbSpec] = []
  /// Whether the verb can also run without one of its subverbs.
  var isWhole = false

  /// The last word of the name, which selects the verb among its siblings.
  var word: String { name.split(separator: " ").last.map(String.init) ?? name }

  /// The verbs that can be run: this one if it runs alone, and those below it.
  var leaves: [VerbSpec] {
    (subverbs.isEmpty || isWhole ? [self] : []) + subverbs.flatMap(\.leaves)
  }

  /// Returns the option with a name, or `nil`.
  func option(_ name: String) -> OptionSpec? { options.first { $0.name == name } }
}

/// The specification of the whole command.
struct ToolSpec: Sendable {
  let name: String
  let sentence: String
  let verbs: [VerbSpec]
  let examples: [Example]

  /// The verbs that can be run, subverbs included.
  var leaves: [VerbSpec] { verbs.flatMap(\.leaves) }
}

extension ToolSpec {
  /// Returns the words that print the help of a verb, or of the tool.
  func hint(for verb: VerbSpec?) -> String {
    [verb?.name, "--help"].compactMap { $0 }.joined(separator: " ")
  }
}

/// A sample command line with its explanation.
struct Example: Sendable {
  /// The command line, without the tool's name.
  let line: String
  let sentence: String

  init(_ line: String, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }
}

extension ToolSpec {
  /// The specification of the command `history-lab`.
  static let historyLab = ToolSpec(
    name: "history-lab",
    sentence: "tests persistent history tracking, and measures what it costs.",
    verbs: [
      CheckOptions.spec, ReplayOptions.spec, ExploreOptions.spec, MutantsOptions.spec,
      StressOptions.spec, BenchRunOptions.spec, ReportOptions.spec,
      HistoryListOptions.group, InspectOptions.spec, ConvertOptions.spec, ServeOptions.spec,
      ProtocolCheckOptions.group, ListOptions.spec,
    ],
    examples: [
      Example("check", "200 random plans on our tracker."),
      Example("check --system article --seed 1", "A published protocol, and what breaks it."),
      Example("bench run --quick", "What fetch, merge and purge cost, in under a minute."),
      Example("inspect Photos.sqlite", "What the history of a store file holds."),
    ]
  )

  static let version = "0.2.0"
}
