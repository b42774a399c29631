/// An error in a plan, trace or counterexample: the line, the problem and a suggestion.
package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line of the file, counted from 1, or `nil` for a wire message.
  package var line: Int?
  /// The problem, as a clause.
  package var problem: String
  /// The suggestion, as a sentence.
  package var advice: String

  package init(line: Int?, problem: String, advice: String) {
    self.line = line
    self.problem = problem
    self.advice = advice
  }

  /// The line, the problem and the suggestion as one line of text.
  package var description: String {
    let place = line.map { "line \($0): " } ?? ""
    return "\(place)\(problem). \(advice)"
  }
}
