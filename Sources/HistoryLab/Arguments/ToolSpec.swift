/// The specification of the whole command.
struct ToolSpec: Sendable {
  let name: String
  let sentence: String
  let verbs: [VerbSpec]
  let examples: [Example]

  /// The verbs that can be run, subverbs included.
  var leaves: [VerbSpec] { verbs.flatMap(\.leaves) }
}

extension ToolSpec {
  /// Returns the words that print the help of a verb, or of the tool.
  func hint(for verb: VerbSpec?) -> String {
    [verb?.name, "--help"].compactMap { $0 }.joined(separator: " ")
  }
}
