/// The options and arguments of a verb, as properties that declare their own command-line syntax.
///
/// A property whose type is `VerbOptions` is a group; its declarations count as declarations of the
/// verb. The help lists all declarations in the order of the properties.
package protocol VerbOptions: Sendable {
  /// Creates the options with their default values.
  init()

  /// Groups of mutually exclusive options, by name.
  var exclusive: [[String]] { get }

  /// Checks the values together, and sets properties that depend on several options.
  ///
  /// - Throws: A usage error if options contradict each other, or name something that does not exist.
  mutating func validate(in composition: Composition) throws(LabError)
}

extension VerbOptions {
  package var exclusive: [[String]] { [] }

  package mutating func validate(in composition: Composition) throws(LabError) {}

  /// Creates the options from the arguments of a command line.
  ///
  /// - Throws: A usage error if the combination of options is invalid.
  package init(
    _ arguments: ParsedArguments,
    in composition: Composition = Composition()
  ) throws(LabError) {
    self.init()
    var rest = arguments
    for part in declared { part.fill(from: &rest, in: composition) }
    try validate(in: composition)
  }

  /// All declared options and arguments, including those of groups, in the order of the properties.
  package var declared: [any DeclaredArgument] {
    Mirror(reflecting: self).children.flatMap { child in
      if let part = child.value as? any DeclaredArgument { return [part] }
      return (child.value as? any VerbOptions)?.declared ?? []
    }
  }

  /// The given options as the user types them, without the positional arguments.
  package var given: [String] {
    var spec = VerbSpec(name: "", sentence: "")
    for part in declared where part.isGiven { part.describe(in: &spec) }
    return spec.options.map(\.dashed)
  }

  /// All groups of mutually exclusive options, including those of nested groups.
  fileprivate var allExclusive: [[String]] {
    exclusive
      + Mirror(reflecting: self).children.flatMap { child in
        (child.value as? any VerbOptions)?.allExclusive ?? []
      }
  }
}

/// An example of a command line, with a sentence that explains the example.
package struct Example: Sendable {
  /// The arguments of the command line, without the tool's name.
  package let line: String
  package let sentence: String

  package init(_ line: String, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }
}

/// The type-erased specification of an option, as the parser and the help use it.
package struct OptionSpec: Sendable {
  /// The option's name without leading dashes.
  package let name: String
  /// The rule for the option's value; `nil` for a flag.
  package let value: ValueRule?
  /// The default value as the help shows it; `nil` if there is no default.
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

  /// The option's name as the user types it, with leading dashes.
  package var dashed: String { "--" + name }

  /// The option as it appears in usage lines.
  package var usage: String { value.map { "\(dashed) \($0.placeholder)" } ?? dashed }
}

package struct PositionalSpec: Sendable {
  package let value: ValueRule
  package let isRequired: Bool
  /// Whether more arguments of the same kind may follow.
  package var repeats = false
  package let sentence: String

  /// The argument as it appears in usage lines.
  package var usage: String {
    let name = repeats ? value.placeholder + "..." : value.placeholder
    return isRequired ? name : "[\(name)]"
  }
}

/// The specification of a verb, or of a group of verbs.
package struct VerbSpec: Sendable {
  /// A closure that creates a verb with options from parsed arguments.
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
  /// Creates the verb; `nil` for a group that only has subverbs.
  package var start: Start?

  /// Creates the specification of a group of verbs.
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

  /// The last word of the name, which distinguishes the verb from its siblings.
  package var word: String { name.split(separator: " ").last.map(String.init) ?? name }

  /// The verbs that can run: this verb and its subverbs, without verbs that only group others.
  package var leaves: [VerbSpec] {
    (start == nil ? [] : [self]) + subverbs.flatMap(\.leaves)
  }

  /// Returns the option with a name; `nil` if there is none.
  package func option(_ name: String) -> OptionSpec? { options.first { $0.name == name } }
}

extension VerbSpec {
  /// Creates a verb's specification from the declarations of its options.
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

/// The specification of the whole command.
package struct ToolSpec: Sendable {
  package let name: String
  package let sentence: String
  package let verbs: [VerbSpec]
  package let examples: [Example]

  package init(name: String, sentence: String, verbs: [VerbSpec], examples: [Example]) {
    self.name = name
    self.sentence = sentence
    self.verbs = verbs
    self.examples = examples
  }

  /// The verbs that can run, including subverbs.
  package var leaves: [VerbSpec] { verbs.flatMap(\.leaves) }

  /// Returns the arguments that print the help of a verb; `nil` stands for the tool.
  package func hint(for verb: VerbSpec?) -> String {
    [verb?.name, "--help"].compactMap { $0 }.joined(separator: " ")
  }
}

extension ToolSpec {
  package static let commandName = "history-lab"

  package static let version = "0.2.0"
}
