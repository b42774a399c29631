public import PersistentHistory

/// The kind of a member.
public enum MemberKind: Int64, Sendable, Hashable {
  /// A process with contexts.
  case actor = 0
  /// A reader without contexts that keeps a token; retention limits never exclude it.
  case consumer = 1
}

/// The membership state of a member.
public enum MemberState: Int64, Sendable, Hashable {
  /// History is kept for this member.
  case active = 0
  /// The member left.
  case retired = 1
  /// A retention limit excluded the member.
  case lost = 2
}

/// A member as recorded in the registry of the store's file.
public struct Member: Sendable, Hashable {
  /// The name of the member.
  public let id: ActorID
  /// The kind of the member.
  public let kind: MemberKind
  /// The membership state.
  public let state: MemberState
  /// The number through which it has merged and recorded.
  public let cursor: Int64
  /// The time of its last registration, launch or record, according to the store's clock.
  public let seen: Date
  /// The epoch of its last launch.
  public let epoch: Int64
  /// The number of the newest transaction when it registered.
  public let registeredAt: Int64
  /// The author that it writes under, if it named one.
  public let author: String?
  /// The process that it last launched in, if that has a name.
  public let processID: String?
  /// The configuration that it declared.
  public let configuration: MemberConfiguration
  /// The history that it has not merged yet.
  public internal(set) var lag: MemberLag
}

/// The distance of a member's cursor from the newest transaction.
public struct MemberLag: Sendable, Hashable {
  /// The number of transactions after its cursor, its own included.
  public let transactionCount: Int64
  /// The size of these transactions in the file in bytes, without free space in its pages.
  public let byteCount: Int64
  /// The seconds between the oldest of these that is still kept and the newest.
  public let seconds: Double

  /// The lag of a member that has merged everything.
  public static let none = MemberLag(transactionCount: 0, byteCount: 0, seconds: 0)
}
