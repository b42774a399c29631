import Basics
import Synchronization

/// A part of the command line, declared at the property that stores the part's value.
package protocol DeclaredArgument: Sendable {
  /// Whether the command line contained this argument.
  var isGiven: Bool { get }

  /// Adds the declaration to the specification of a verb.
  func describe(in spec: inout VerbSpec)

  /// Sets the property to the given value or the default.
  ///
  /// A positional argument also removes its texts from `arguments`.
  func fill(from arguments: inout ParsedArguments, in composition: Composition)
}

/// The value of a declared argument, in an object that copies of the declaration share.
///
/// Parsing finds the declarations by reflection, which returns copies. Because a copy shares the
/// object, a value that parsing sets in the copy also appears in the original. Assigning a value to
/// the declared property replaces its object; other copies keep the old object.
private final class Parsed<Value: Sendable>: Sendable {
  private let state: Mutex<(value: Value, isGiven: Bool)>

  init(_ value: Value) { state = Mutex((value, false)) }

  var value: Value { state.withLock { $0.value } }
  var isGiven: Bool { state.withLock { $0.isGiven } }

  func set(_ value: Value, isGiven: Bool) { state.withLock { $0 = (value, isGiven) } }
}

/// An option of a verb, declared at the property that stores the option's value.
///
/// If the option is not given, a property keeps its default value, and an optional property is
/// `nil`. An array property collects the values of an option that may be repeated:
///
///     @Option("plans", .integer("N", 1...1_000), "Runs N plans on each system.")
///     var plans = 200
@propertyWrapper
package struct Option<Value: Sendable>: DeclaredArgument {
  package let spec: OptionSpec
  /// Converts the texts given for the option, at least one, to the option's value.
  private let read: @Sendable ([String]) -> Value?
  /// Returns the default if it is known only when the command runs, such as a random seed.
  private let draw: (@Sendable (Composition) -> Value)?
  private var parsed: Parsed<Value>

  package var wrappedValue: Value {
    get { parsed.value }
    set { parsed = Parsed(newValue) }
  }

  /// The declaration itself; its `isGiven` states whether the option was given.
  package var projectedValue: Option { self }

  package var isGiven: Bool { parsed.isGiven }

  /// Declares an option with a default value, which the help shows as `shown`.
  ///
  /// `draw` returns the default if it is known only when the command runs.
  package init(
    wrappedValue: Value,
    _ name: String,
    _ reader: ValueReader<Value>,
    shown: String? = nil,
    _ sentence: String,
    draw: (@Sendable (Composition) -> Value)? = nil
  ) {
    spec = OptionSpec(name, reader.rule, shown ?? reader.show(wrappedValue), sentence)
    read = { $0.last.flatMap(reader.read) }
    self.draw = draw
    parsed = Parsed(wrappedValue)
  }

  /// Declares an option without a default value; the help shows `shown` as the effect of leaving it out.
  package init<Wrapped>(
    _ name: String,
    _ reader: ValueReader<Wrapped>,
    shown: String? = nil,
    _ sentence: String
  ) where Value == Wrapped? {
    spec = OptionSpec(name, reader.rule, shown, sentence)
    read = { $0.last.flatMap(reader.read) }
    draw = nil
    parsed = Parsed(nil)
  }

  /// Declares an option that may be repeated; duplicate values are ignored.
  package init<Element: Hashable>(
    wrappedValue: [Element] = [],
    _ name: String,
    each reader: ValueReader<Element>,
    shown: String? = nil,
    _ sentence: String
  ) where Value == [Element] {
    let usual = wrappedValue.isEmpty ? nil : wrappedValue.map(reader.show).joined(separator: ", ")
    spec = OptionSpec(name, reader.rule, shown ?? usual, repeats: true, sentence)
    read = { $0.compactMap(reader.read).uniqued }
    draw = nil
    parsed = Parsed(wrappedValue)
  }

  /// Declares an option that several verbs use.
  package init(_ shared: Option) { self = shared }

  package func describe(in verb: inout VerbSpec) { verb.options.append(spec) }

  package func fill(from arguments: inout ParsedArguments, in composition: Composition) {
    if let given = arguments.texts[spec.name].flatMap(read) {
      parsed.set(given, isGiven: true)
    } else if let draw {
      parsed.set(draw(composition), isGiven: false)
    }
  }
}

/// An option that takes no value, such as `--json`: `true` if it is given, otherwise `false`.
@propertyWrapper
package struct Flag: DeclaredArgument {
  package let spec: OptionSpec
  private var parsed = Parsed(false)

  package var wrappedValue: Bool {
    get { parsed.value }
    set { parsed = Parsed(newValue) }
  }

  package var isGiven: Bool { parsed.isGiven }

  package init(_ name: String, _ sentence: String) { spec = OptionSpec(name, nil, nil, sentence) }

  /// Declares a flag that several verbs use.
  package init(_ shared: Flag) { self = shared }

  package func describe(in verb: inout VerbSpec) { verb.options.append(spec) }

  package func fill(from arguments: inout ParsedArguments, in composition: Composition) {
    if arguments.texts[spec.name] != nil { parsed.set(true, isGiven: true) }
  }
}

/// A positional argument: a required text, an optional text, or an array of texts.
@propertyWrapper
package struct Argument<Value: Sendable>: DeclaredArgument {
  package let spec: PositionalSpec
  private let read: @Sendable ([String]) -> Value
  private var parsed: Parsed<Value>

  package var wrappedValue: Value {
    get { parsed.value }
    set { parsed = Parsed(newValue) }
  }

  package var isGiven: Bool { parsed.isGiven }

  /// Declares a required argument.
  package init(_ reader: ValueReader<String>, _ sentence: String) where Value == String {
    spec = PositionalSpec(value: reader.rule, isRequired: true, sentence: sentence)
    read = { $0[0] }
    parsed = Parsed("")
  }

  /// Declares an argument with a default, which its help sentence must state.
  package init(wrappedValue: String, _ reader: ValueReader<String>, _ sentence: String)
  where Value == String {
    spec = PositionalSpec(value: reader.rule, isRequired: false, sentence: sentence)
    read = { $0[0] }
    parsed = Parsed(wrappedValue)
  }

  /// Declares an optional argument.
  package init(_ reader: ValueReader<String>, _ sentence: String) where Value == String? {
    spec = PositionalSpec(value: reader.rule, isRequired: false, sentence: sentence)
    read = { $0[0] }
    parsed = Parsed(nil)
  }

  /// Declares an argument that several verbs use.
  package init(_ shared: Argument) { self = shared }

  /// Declares an argument that must be given at least once.
  package init(each reader: ValueReader<String>, _ sentence: String) where Value == [String] {
    spec = PositionalSpec(value: reader.rule, isRequired: true, repeats: true, sentence: sentence)
    read = { $0 }
    parsed = Parsed([])
  }

  /// Declares an argument that may be given any number of times, each time as a list of words.
  package init(lists reader: ValueReader<[String]>, _ sentence: String) where Value == [String] {
    spec = PositionalSpec(value: reader.rule, isRequired: false, repeats: true, sentence: sentence)
    read = { $0.flatMap { reader.read($0) ?? [] } }
    parsed = Parsed([])
  }

  package func describe(in verb: inout VerbSpec) { verb.positionals.append(spec) }

  package func fill(from arguments: inout ParsedArguments, in composition: Composition) {
    let texts = arguments.positionals.prefix(spec.repeats ? .max : 1)
    guard !texts.isEmpty else { return }
    arguments.positionals.removeFirst(texts.count)
    parsed.set(read(Array(texts)), isGiven: true)
  }
}

extension Option: Equatable where Value: Equatable {
  package static func == (left: Option, right: Option) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension Flag: Hashable {
  package static func == (left: Flag, right: Flag) -> Bool {
    left.wrappedValue == right.wrappedValue
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension Option: Hashable where Value: Hashable {
  package func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
