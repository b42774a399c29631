/// The options and arguments of a verb, as properties that declare how a command line fills them.
///
/// A property that is `VerbOptions` itself is a group: its declarations take its place. The help lists
/// everything in the order of the properties.
package protocol VerbOptions: Sendable {
  /// Creates the options with their defaults.
  init()

  /// Groups of option names of which a command line may give one.
  var exclusive: [[String]] { get }

  /// Checks the values together, and derives those that no option states.
  ///
  /// - Throws: A usage error if options contradict each other, or name something that is not there.
  mutating func validate(in composition: Composition) throws(LabError)
}

extension VerbOptions {
  package var exclusive: [[String]] { [] }

  package mutating func validate(in composition: Composition) throws(LabError) {}

  /// Creates the options of a command line.
  ///
  /// - Throws: A usage error if the options are invalid together.
  package init(
    _ arguments: ParsedArguments,
    in composition: Composition = Composition()
  ) throws(LabError) {
    self.init()
    var rest = arguments
    for part in declared { part.fill(from: &rest, in: composition) }
    try validate(in: composition)
  }

  /// The declarations, those of groups included, in the order of the properties.
  package var declared: [any DeclaredArgument] {
    Mirror(reflecting: self).children.flatMap { child in
      if let part = child.value as? any DeclaredArgument { return [part] }
      return (child.value as? any VerbOptions)?.declared ?? []
    }
  }

  /// The options that were given, as the user types them, without positional arguments.
  package var given: [String] {
    var spec = VerbSpec(name: "", sentence: "")
    for part in declared where part.isGiven { part.describe(in: &spec) }
    return spec.options.map(\.dashed)
  }

  /// The exclusive groups, those of groups of options included.
  fileprivate var allExclusive: [[String]] {
    exclusive
      + Mirror(reflecting: self).children.flatMap { child in
        (child.value as? any VerbOptions)?.allExclusive ?? []
      }
  }
}

/// A sample command line with its explanation.
package struct Example: Sendable {
  /// The command line, without the tool's name.
  package let line: String
  package let sentence: String

  package init(_ line: String, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }
}

/// The specification of an option for the parser and the help, without the type of its values.
package struct OptionSpec: Sendable {
  /// The name without leading dashes.
  package let name: String
  /// The rule for the value; `nil` for a flag.
  package let value: ValueRule?
  /// The default as the help shows it; `nil` for none.
  package let defaultText: String?
  package let repeats: Bool
  package let sentence: String

  package init(
    _ name: String,
    _ value: ValueRule?,
    _ defaultText: String?,
    repeats: Bool = false,
    _ sentence: String
  ) {
    self.name = name
    self.value = value
    self.defaultText = defaultText
    self.repeats = repeats
    self.sentence = sentence
  }

  /// The name as the user types it, with leading dashes.
  package var dashed: String { "--" + name }

  /// The option as usage lines show it.
  package var usage: String { value.map { "\(dashed) \($0.placeholder)" } ?? dashed }
}

/// The specification of a positional argument.
package struct PositionalSpec: Sendable {
  package let value: ValueRule
  package let isRequired: Bool
  /// Whether any number of further arguments of the same kind may follow.
  package var repeats = false
  package let sentence: String

  /// The argument as usage lines show it.
  package var usage: String {
    let name = repeats ? value.placeholder + "..." : value.placeholder
    return isRequired ? name : "[\(name)]"
  }
}

/// The specification of a verb, or of a group of verbs.
package struct VerbSpec: Sendable {
  /// Creates a verb with its options from parsed arguments.
  package typealias Start =
    @Sendable (ParsedArguments, Composition, Terminal) throws(LabError) -> any Verb

  /// The words that select the verb, without the tool's name.
  package let name: String
  /// One sentence that describes the verb.
  package let sentence: String
  package var positionals: [PositionalSpec] = []
  package var options: [OptionSpec] = []
  /// Groups of mutually exclusive options.
  package var exclusive: [[String]] = []
  package var examples: [Example] = []
  package var subverbs: [VerbSpec] = []
  /// Creates the verb; `nil` for a group, which only runs through its subverbs.
  package var start: Start?

  /// Creates a group of verbs.
  package init(
    name: String,
    sentence: String,
    examples: [Example] = [],
    subverbs: [VerbSpec] = []
  ) {
    self.name = name
    self.sentence = sentence
    self.examples = examples
    self.subverbs = subverbs
  }

  /// The last word of the name, which selects the verb among its siblings.
  package var word: String { name.split(separator: " ").last.map(String.init) ?? name }

  /// The verbs that can be run: this one if it runs alone, and those below it.
  package var leaves: [VerbSpec] {
    (start == nil ? [] : [self]) + subverbs.flatMap(\.leaves)
  }

  /// Returns the option with a name, or `nil`.
  package func option(_ name: String) -> OptionSpec? { options.first { $0.name == name } }
}

extension VerbSpec {
  /// Creates the specification of a verb from the declarations of its options.
  package init<Options: VerbOptions>(
    name: String,
    sentence: String,
    examples: [Example],
    subverbs: [VerbSpec] = [],
    start: @escaping @Sendable (Options, Composition, Terminal) -> any Verb
  ) {
    self.init(name: name, sentence: sentence, examples: examples, subverbs: subverbs)
    let options = Options()
    for part in options.declared { part.describe(in: &self) }
    exclusive = options.allExclusive
    self.start = { (arguments, composition, terminal) throws(LabError) in
      start(try Options(arguments, in: composition), composition, terminal)
    }
  }
}
