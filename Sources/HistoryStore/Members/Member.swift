public import PersistentHistory

/// What a member is.
public enum MemberKind: Int64, Sendable, Hashable {
  /// A process with contexts.
  case actor = 0
  /// A reader without a view that keeps a token; no retention limit ever cuts it off.
  case consumer = 1
}

/// Whether history is kept for a member.
public enum MemberState: Int64, Sendable, Hashable {
  /// It is.
  case active = 0
  /// It left.
  case retired = 1
  /// A retention limit has cut it off.
  case lost = 2
}

/// A member as the registry in the store's file knows it.
public struct Member: Sendable, Hashable {
  /// Who.
  public let id: ActorID
  /// What.
  public let kind: MemberKind
  /// Whether history is kept for it.
  public let state: MemberState
  /// The number that it has merged and recorded through.
  public let cursor: Int64
  /// When it last registered, launched or recorded, by the store's clock.
  public let seen: Date
  /// Which launch of it was the last.
  public let epoch: Int64
  /// The number that was the newest when it registered.
  public let registeredAt: Int64
  /// The author that it writes under, if it said one.
  public let author: String?
  /// The process that it last launched in, if that has a name.
  public let processID: String?
  /// How it says that it is configured.
  public let configuration: MemberConfiguration
  /// What it has not merged yet.
  public internal(set) var lag: MemberLag
}

/// How far a member is behind the newest transaction.
public struct MemberLag: Sendable, Hashable {
  /// How many transactions were written after its cursor, its own included.
  public let transactionCount: Int64
  /// What they take in the file, in bytes, without free space in its pages.
  public let byteCount: Int64
  /// The seconds between the oldest of them that is held and the newest.
  public let seconds: Double

  /// No lag at all.
  public static let none = MemberLag(transactionCount: 0, byteCount: 0, seconds: 0)
}
