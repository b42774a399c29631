/// An option of a verb, with the type of its values.
struct Option<Value: Sendable>: Sendable {
  /// The name without its dashes.
  let name: String
  let reader: ValueReader<Value>
  /// What holds when the option is not given.
  let defaultValue: Value?
  /// What the help says about the default, if there is one.
  let defaultText: String?
  let repeats: Bool
  /// One sentence about what the option does.
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

  /// The same without the type of its values, for the parser and the help.
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
  /// An option for a whole number, whose default the help writes with separators.
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
