/// An option without a value: it is there or not.
struct Flag: Sendable {
  /// The name without its dashes.
  let name: String
  let sentence: String

  init(_ name: String, _ sentence: String) {
    self.name = name
    self.sentence = sentence
  }

  /// The same as the parser and the help see it.
  var spec: OptionSpec {
    OptionSpec(name: name, value: nil, defaultText: nil, repeats: false, sentence: sentence)
  }
}
