/// A command line worth trying, and what it does.
struct Example: Sendable {
  /// The command line, without the tool's name.
  let line: String
  let sentence: String

  init(_ line: String, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }
}
