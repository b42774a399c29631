/// An error with a label that distinguishes different failures of the same error type.
///
/// Shrinking considers only cases that fail with the label of the first failure. The label of an
/// error that does not conform is its type.
public protocol LabelledFailure: Error {
  /// The kind of failure, short and without values.
  var failureLabel: String { get }
}

/// An error that marks a case as suitable, but unable to fail the property.
public struct Vacuity: Error, Hashable, Sendable {
  /// The event that did not happen.
  public let reason: String

  /// Creates an error that marks a case as vacuous.
  public init(_ reason: String) { self.reason = reason }
}
