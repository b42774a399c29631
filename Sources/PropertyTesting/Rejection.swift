/// Thrown when a case does not suit the property: the case is discarded, neither passed nor failed.
public struct Rejection: Error, Hashable, Sendable {
  /// What was not met.
  public let reason: String

  /// Makes a rejection.
  public init(_ reason: String) { self.reason = reason }
}
