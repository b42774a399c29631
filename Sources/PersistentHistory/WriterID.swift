/// The identity of one context in one process: a random number that is drawn when the context is
/// made, so that a context knows its own saves whatever author they name.
public struct WriterID: RawRepresentable, Hashable, Sendable, Codable {
  /// The number; never 0.
  public let rawValue: Int64

  /// Creates the identity with a number.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }
}
