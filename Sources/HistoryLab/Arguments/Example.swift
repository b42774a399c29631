/// A sample command line with its explanation.
struct Example: Sendable {
  /// The command line, without the tool's name.
  let line: String
  let sentence: String

  init(_ line: String, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }
}
