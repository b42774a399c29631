public import HistoryTypes

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The kind of a member: a process with contexts, or a reader that only keeps a token.
public enum MemberKind: Sendable, Hashable, CaseIterable {
  /// A process with contexts, into which its tracker merges history.
  case tracker
  /// A reader without contexts that keeps a token; purges never cut a consumer off.
  case consumer
}

/// The state of a membership: active, ended by the member, or cut off by a purge.
public enum MemberState: Sendable, Hashable, CaseIterable {
  /// History is kept for this member.
  case active
  /// The member has ended its membership.
  case retired
  /// A purge cut the member off from history that it had not merged; the member must resync.
  case lost
}

extension MemberKind {
  /// The number that represents the kind in a file's registry of members.
  package var number: Int64 {
    switch self {
    case .tracker: 0
    case .consumer: 1
    }
  }

  /// Creates the kind that a number represents; returns `nil` if the number is unknown.
  package init?(number: Int64) {
    switch number {
    case 0: self = .tracker
    case 1: self = .consumer
    default: return nil
    }
  }
}

extension MemberState {
  /// The number that represents the state in a file's registry of members.
  package var number: Int64 {
    switch self {
    case .active: 0
    case .retired: 1
    case .lost: 2
    }
  }

  /// Creates the state that a number represents; returns `nil` if the number is unknown.
  package init?(number: Int64) {
    switch number {
    case 0: self = .active
    case 1: self = .retired
    case 2: self = .lost
    default: return nil
    }
  }
}

/// A member as recorded in the registry of the store's file.
public struct Member: Sendable, Hashable {
  /// The name of the member.
  public let id: MemberID
  /// The kind of the member.
  public let kind: MemberKind
  /// The membership state, such as active or lost.
  public let state: MemberState
  /// The number of the last transaction that the member has recorded as merged.
  public let cursor: TransactionNumber
  /// The time when the member last registered, launched, resynced or recorded its cursor.
  ///
  /// The time is that of the store's clock.
  public let seen: Date
  /// The number of the member's last launch; each launch gets a higher one.
  package let epoch: Int64
  /// The number of the newest transaction at the member's registration.
  public let registeredAt: TransactionNumber
  /// The author that the member writes under, or `nil` if it declared none.
  public let author: String?
  /// The configured process name at the member's last launch, or `nil` for none.
  public let processID: String?
  /// The configuration that the member declared at its last launch.
  public let configuration: MemberConfiguration
  /// The history that the member has not merged yet.
  public internal(set) var lag: MemberLag
}

/// The distance of a member's cursor from the newest transaction.
public struct MemberLag: Sendable, Hashable {
  /// The number of transactions after the member's cursor, including those that the member wrote.
  public let transactionCount: Int
  /// The size in bytes of the unmerged transactions in the file, without free space in its pages.
  public let byteCount: Int
  /// The time between the oldest unmerged transaction still in history and the newest transaction.
  public let duration: Duration

  /// The lag of a member that has merged everything.
  public static let none = MemberLag(transactionCount: 0, byteCount: 0, duration: .zero)
}

/// The configuration that a member declares, recorded to detect differences between members.
///
/// A purge waits for every active member in the registry, even if a list of authors here is wrong.
/// Such an error therefore never makes a purge delete too much. Undeclared properties are `nil`.
public struct MemberConfiguration: Sendable, Hashable, Codable {
  /// All authors that the member expects to write to the store.
  public var authors: Set<String>?
  /// The authors that the member expects to write transactions but never to merge any.
  ///
  /// Such authors need not be members.
  public var batchAuthors: Set<String>?
  /// The authors whose transactions the member does not merge.
  public var ignoredAuthors: Set<String>?
  /// The member's purge strategy, as text.
  public var strategy: String?
  /// The retention limits that the member declared; `nil` expresses no preference.
  public var retention: RetentionLimits?
  /// The version of the member's model; `nil` stands for version 1.
  public internal(set) var modelVersion: Int?
  /// The authors whose transactions the member's store never purges; set by the store itself.
  public internal(set) var protectedAuthors: [String]?

  /// Creates a configuration in which no property is declared.
  public init() {}

  /// Encodes every set in sorted order, so that equal configurations produce equal text.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(authors?.sorted(), forKey: .authors)
    try values.encodeIfPresent(batchAuthors?.sorted(), forKey: .batchAuthors)
    try values.encodeIfPresent(ignoredAuthors?.sorted(), forKey: .ignoredAuthors)
    try values.encodeIfPresent(strategy, forKey: .strategy)
    try values.encodeIfPresent(retention, forKey: .retention)
    try values.encodeIfPresent(protectedAuthors, forKey: .protectedAuthors)
    try values.encodeIfPresent(modelVersion, forKey: .modelVersion)
  }

  /// Creates a configuration from the registry's text; `nil` creates an empty configuration.
  ///
  /// - Throws: the decoder's error when the text is invalid.
  package init(text: String?) throws {
    guard let text else { return }
    self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
  }

  /// The configuration as one line of JSON.
  func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

/// A setting in which the members of a store are configured differently.
///
/// A difference never makes a purge delete too much: the registry decides which members must merge,
/// authors are protected if any active member protects them, and the loosest retention limits
/// apply.
public struct ConfigurationDifference: Sendable, Hashable {
  /// The settings in which members may differ.
  public enum Subject: String, Sendable, Hashable, CaseIterable {
    /// The authors that members expect to write to the store.
    case authors
    /// The authors that members expect to write transactions but never to merge any.
    case batchAuthors
    /// The strategies that determine when members purge.
    case strategy
    /// The retention limits beyond which members are cut off.
    case retention
    /// The authors whose transactions members never purge.
    case protectedAuthors
    /// One member lists an author as a batch author, but another member writes under this author.
    case batchAuthorIsMember
  }

  /// The setting that members of the store have configured differently.
  public let subject: Subject
  /// The setting of each member that declared it, as text.
  ///
  /// For ``Subject/batchAuthorIsMember``, the conflicting claims of the two members.
  public let statements: [MemberID: String]
}

extension ConfigurationDifference: CustomStringConvertible {
  /// Sentences that state how the members' settings differ, the consequence, and a suggestion.
  public var description: String {
    let said = statements.sorted { $0.key < $1.key }.map { "\($0.key) says \($0.value)" }
    return "The members differ in \(subject.phrase): \(said.joined(separator: "; ")). "
      + subject.consequence
  }
}

extension ConfigurationDifference.Subject {
  fileprivate var phrase: String {
    switch self {
    case .authors: "the authors that they expect"
    case .batchAuthors: "the authors that they declare as batch authors"
    case .strategy: "their purge strategies"
    case .retention: "their retention limits"
    case .protectedAuthors: "the authors that they protect"
    case .batchAuthorIsMember: "whether an author only writes"
    }
  }

  fileprivate var consequence: String {
    switch self {
    case .authors, .batchAuthors:
      "History is kept for every registered member, whatever the lists contain. Use the same list in "
        + "all processes."
    case .strategy:
      "History is purged whenever any strategy requires it. Use one strategy in all processes."
    case .retention:
      "The loosest limits apply until all members have the same limits. Use the same limits in all "
        + "processes, or forget members that never run again."
    case .protectedAuthors:
      "An author is protected if any member protects it. Use the same list in all processes."
    case .batchAuthorIsMember:
      "History is kept for the registered member. Remove its author from the batch authors."
    }
  }
}
