/// An error in the use of a measurement.
package enum MeasuringError: Error, Equatable, CustomStringConvertible {
  /// The closure returned without timing anything.
  case nothingTimed(contender: String)
  /// The closure returned before it stopped the watch.
  case stillRunning(contender: String)
  /// Two contenders have the same name.
  case sameName(String)
  /// No contender has the requested name.
  case noSuchContender(String, known: [String])

  /// A message with the problem, the contender and a suggestion.
  package var description: String {
    switch self {
    case .nothingTimed(let contender):
      "\(contender): no time passed between start and stop; "
        + "start the watch before the work, or repeat the work within one measurement"
    case .stillRunning(let contender):
      "\(contender): the watch was still running at the end; stop it after the work"
    case .sameName(let name):
      "two contenders are named \(name); give each its own name"
    case .noSuchContender(let name, let known):
      "no contender is named \(name); there are \(known.joined(separator: ", "))"
    }
  }
}
