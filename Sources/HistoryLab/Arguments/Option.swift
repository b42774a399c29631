/// An option of a verb, with the type of its values.
struct Option<Value: Sendable>: Sendable {
  /// The name without leading dashes.
  let name: String
  let reader: ValueReader<Value>
  /// The value if the option is not given; `nil` for none.
  let defaultValue: Value?
  /// The default as the help shows it; `nil` for none.
  let defaultText: String?
  let repeats: Bool
  /// One sentence that describes the option.
  let sentence: String

  init(
    _ name: String,
    _ reader: ValueReader<Value>,
    default value: Value? = nil,
    defaultText: String? = nil,
    repeats: Bool = false,
    _ sentence: String
  ) {
    self.name = name
    self.reader = reader
    self.defaultValue = value
    self.defaultText = defaultText
    self.repeats = repeats
    self.sentence = sentence
  }

  /// The specification without the type of the values, for the parser and the help.
  var spec: OptionSpec {
    OptionSpec(
      name: name,
      value: reader.rule,
      defaultText: defaultText,
      repeats: repeats,
      sentence: sentence
    )
  }
}

extension Option where Value == Int {
  /// Creates an option for a whole number; the help shows its default with digits grouped.
  init(
    _ name: String,
    _ placeholder: String,
    in range: ClosedRange<Int>,
    default value: Int,
    _ sentence: String
  ) {
    self.init(
      name,
      .integer(placeholder, range),
      default: value,
      defaultText: value.grouped,
      sentence
    )
  }
}

/// An option without a value.
struct Flag: Sendable {
  /// The name without leading dashes.
  let name: String
  let sentence: String

  init(_ name: String, _ sentence: String) {
    self.name = name
    self.sentence = sentence
  }

  /// The specification of the flag for the parser and the help.
  var spec: OptionSpec {
    OptionSpec(name: name, value: nil, defaultText: nil, repeats: false, sentence: sentence)
  }
}

/// The specification of an option for the parser and the help, without the type of its values.
struct OptionSpec: Sendable {
  /// The name without leading dashes.
  let name: String
  /// The rule for the value; `nil` for a flag.
  let value: ValueRule?
  let defaultText: String?
  let repeats: Bool
  let sentence: String

  /// The name as the user types it, with leading dashes.
  var dashed: String { "--" + name }

  /// The option as usage lines show it.
  var usage: String { value.map { "\(dashed) \($0.placeholder)" } ?? dashed }
}

/// The specification of a positional argument.
struct PositionalSpec: Sendable {
  let value: ValueRule
  let isRequired: Bool
  /// Whether any number of further arguments of the same kind may follow.
  var repeats = false
  let sentence: String

  /// The argument as usage lines show it.
  var usage: String {
    let name = repeats ? value.placeholder + "..." : value.placeholder
    return isRequired ? name : "[\(name)]"
  }
}
