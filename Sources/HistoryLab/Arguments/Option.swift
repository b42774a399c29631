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
