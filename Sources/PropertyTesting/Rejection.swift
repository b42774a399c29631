/// An error that discards a case as unsuitable for the property; it neither passes nor fails.
public struct Rejection: Error, Hashable, Sendable {
  /// The condition that was not satisfied.
  public let reason: String

  /// Creates a rejection.
  public init(_ reason: String) { self.reason = reason }
}
