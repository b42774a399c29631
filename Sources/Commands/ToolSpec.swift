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
  /// The name of the command.
  package static let commandName = "history-lab"

  package static let version = "0.2.0"
}
