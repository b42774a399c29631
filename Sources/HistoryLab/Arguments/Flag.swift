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
