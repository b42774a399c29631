/// An error that tells its failure apart from others of the same type.
///
/// Shrinking keeps to cases that fail with the label of the first one; without this an error's label
/// is its type.
public protocol LabelledFailure: Error {
  /// What kind of failure it is, short and without values.
  var failureLabel: String { get }
}

/// Thrown when a case suits the property but nothing happened that could have broken it.
public struct Vacuity: Error, Hashable, Sendable {
  /// What did not happen.
  public let reason: String

  /// Makes an error that calls a case vacuous.
  public init(_ reason: String) { self.reason = reason }
}
