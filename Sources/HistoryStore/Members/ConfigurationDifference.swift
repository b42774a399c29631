public import PersistentHistory

/// A setting in which the members of a store are configured differently.
///
/// A difference never causes an earlier purge: the registry decides which members must merge,
/// authors are protected if any active member protects them, and the loosest retention limits
/// apply.
public struct ConfigurationDifference: Sendable, Hashable {
  /// The settings in which members may differ.
  public enum Subject: String, Sendable, Hashable, CaseIterable {
    /// The authors that members expect to write to the store.
    case authors
    /// The authors that members expect only to write.
    case batchAuthors
    /// The time at which members purge.
    case strategy
    /// The retention limits beyond which members are excluded.
    case retention
    /// The authors whose transactions members never purge.
    case protectedAuthors
    /// One member lists an author as a batch author under which another is registered.
    case batchAuthorIsMember
  }

  /// The setting in which the members differ.
  public let subject: Subject
  /// The setting of each member, as text.
  public let statements: [ActorID: String]
}

extension ConfigurationDifference: CustomStringConvertible {
  /// The difference, its consequence and a suggestion.
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
    case .batchAuthors: "the authors that they take for batch authors"
    case .strategy: "when they purge"
    case .retention: "the limits beyond which they cut members off"
    case .protectedAuthors: "the authors that they protect"
    case .batchAuthorIsMember: "whether an author only writes"
    }
  }

  fileprivate var consequence: String {
    switch self {
    case .authors, .batchAuthors:
      "History is kept for those who have registered, whatever the lists say. Update the processes to "
        + "one list."
    case .strategy: "History is purged as often as the most eager one asks. Choose one strategy."
    case .retention:
      "The loosest limits hold until they agree. Update the processes, or forget the ones that never "
        + "return."
    case .protectedAuthors:
      "What any of them protects is protected until they agree. Update the processes to one list."
    case .batchAuthorIsMember:
      "History is kept for that member all the same. Take the author out of the batch authors."
    }
  }
}
