/// The name of one member: a process in one role, or a consumer without contexts.
///
/// Two processes must never share a name. It therefore does not default to the author, which
/// several processes may write under.
public struct ActorID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The name.
  public let name: String

  /// Creates the identity with a name, which must not be empty.
  public init(_ name: String) {
    precondition(!name.isEmpty, "An actor needs a name.")
    self.name = name
  }

  /// The name.
  public var description: String { name }
}

extension ActorID: ExpressibleByStringLiteral {
  /// Creates the identity with a literal name.
  public init(stringLiteral name: String) {
    self.init(name)
  }
}

extension ActorID: Comparable {
  /// Orders by name.
  public static func < (left: ActorID, right: ActorID) -> Bool { left.name < right.name }
}
