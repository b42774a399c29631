/// The result of a property for one case.
public enum CaseResult: Hashable, Sendable {
  /// The property holds.
  case passed
  /// The property does not hold; shrinking considers only cases that fail with the same label.
  case failed(label: String, message: String)
  /// The case is not suitable for the property, and does not count.
  case discarded
  /// The case is suitable, but could not have failed.
  case vacuous

  /// Runs a property on a source, and converts a thrown error to a result.
  ///
  /// `Rejection` discards the case, `Vacuity` makes it vacuous, and any other error fails it under
  /// the error's label.
  static func of(
    _ property: (inout ChoiceSource) throws -> CaseResult,
    _ source: inout ChoiceSource
  ) -> CaseResult {
    do {
      return try property(&source)
    } catch {
      return of(error, &source)
    }
  }

  /// Returns the result of a case whose property threw an error.
  package static func of(_ error: any Error, _ source: inout ChoiceSource) -> CaseResult {
    switch error {
    case let rejection as Rejection:
      source.notes.rejection = rejection.reason
      return .discarded
    case is Vacuity: return .vacuous
    default: return .failed(label: label(of: error), message: "\(error)")
    }
  }

  /// Returns the label of a failure: the error's own label, or else its type.
  static func label(of error: any Error) -> String {
    (error as? any LabelledFailure)?.failureLabel ?? "\(type(of: error))"
  }
}
