/// What is wrong with a plan, trace or counterexample, where, and what to try.
package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line of the file, counted from 1, or nothing for a message on the wire.
  package var line: Int?
  /// A clause that says what is wrong.
  package var problem: String
  /// A sentence that says what to try.
  package var advice: String

  package init(line: Int?, problem: String, advice: String) {
    self.line = line
    self.problem = problem
    self.advice = advice
  }

  /// The place, the problem and the advice in one line.
  package var description: String {
    let place = line.map { "line \($0): " } ?? ""
    return "\(place)\(problem). \(advice)"
  }
}
