/// An argument without a name, known by its place.
struct PositionalSpec: Sendable {
  let value: ValueRule
  let isRequired: Bool
  /// Whether any number of further arguments are of the same kind.
  var repeats = false
  let sentence: String

  /// The argument as a usage line shows it.
  var usage: String {
    let name = repeats ? value.placeholder + "..." : value.placeholder
    return isRequired ? name : "[\(name)]"
  }
}

/// A command line worth trying, and what it does.
struct Example: Sendable {
  /// The command line, without the tool's name.
  let line: String
  let sentence: String

  init(_ line: String, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }
}

/// What a verb does and takes.
struct VerbSpec: Sendable {
  /// The word or words that choose it, without the tool's name.
  let name: String
  /// One sentence about what it does.
  let sentence: String
  var positionals: [PositionalSpec] = []
  var options: [OptionSpec] = []
  /// Groups of options of which at most one may be given.
  var exclusive: [[String]] = []
  var examples: [Example] = []
  var subverbs: [VerbSpec] = []

  /// The last word of the name: what is typed to choose it among its siblings.
  var word: String { name.split(separator: " ").last.map(String.init) ?? name }

  /// The option with a name, or nothing.
  func option(_ name: String) -> OptionSpec? { options.first { $0.name == name } }
}

/// The command as a whole.
struct ToolSpec: Sendable {
  let name: String
  let sentence: String
  let verbs: [VerbSpec]
  let examples: [Example]

  /// The verbs that can be run, those below another included.
  var leaves: [VerbSpec] { verbs.flatMap { $0.subverbs.isEmpty ? [$0] : $0.subverbs } }
}
