/// What a property says of one case.
public enum CaseResult: Hashable, Sendable {
  /// The property holds.
  case passed
  /// The property does not hold; shrinking keeps to cases that fail with the same label.
  case failed(label: String, message: String)
  /// The case does not suit the property, and says nothing about it.
  case discarded
  /// The case suits the property but nothing happened that could have broken it.
  case vacuous

  /// Runs a property on a source; `Rejection` discards the case, `Vacuity` calls it vacuous, any
  /// other error fails it under its label.
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

  /// Returns what an error that a property threw makes of its case.
  package static func of(_ error: any Error, _ source: inout ChoiceSource) -> CaseResult {
    switch error {
    case let rejection as Rejection:
      source.notes.rejection = rejection.reason
      return .discarded
    case is Vacuity: return .vacuous
    default: return .failed(label: label(of: error), message: "\(error)")
    }
  }

  /// Returns what tells a failure apart: what the error says itself, else its type.
  static func label(of error: any Error) -> String {
    (error as? any LabelledFailure)?.failureLabel ?? "\(type(of: error))"
  }
}
