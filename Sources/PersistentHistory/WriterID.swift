/// The identity of one context in one process.
///
/// It is a random number, drawn when the context is created, by which a context recognizes its own
/// saves under any author.
public struct WriterID: RawRepresentable, Hashable, Sendable, Codable {
  /// The number; never 0.
  public let rawValue: Int64

  /// Creates the identity with a number.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }
}
