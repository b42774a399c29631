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
  /// Whether the verb does something without one of its subverbs too.
  var isWhole = false

  /// The last word of the name: what is typed to choose it among its siblings.
  var word: String { name.split(separator: " ").last.map(String.init) ?? name }

  /// The verbs that can be run: itself where it does something alone, and those below it.
  var leaves: [VerbSpec] {
    (subverbs.isEmpty || isWhole ? [self] : []) + subverbs.flatMap(\.leaves)
  }

  /// The option with a name, or nothing.
  func option(_ name: String) -> OptionSpec? { options.first { $0.name == name } }
}
