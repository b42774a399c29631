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
