public import PersistentHistory

/// Something that the members of a store are configured for differently.
///
/// It never makes a purge earlier: who must merge what is in the registry, what any active member
/// protects is protected, and retention limits hold in their loosest form.
public struct ConfigurationDifference: Sendable, Hashable {
  /// What members may differ in.
  public enum Subject: String, Sendable, Hashable, CaseIterable {
    /// The authors that they believe to write to the store.
    case authors
    /// The authors that they believe only to write.
    case batchAuthors
    /// When they purge.
    case strategy
    /// The limits beyond which they cut members off.
    case retention
    /// The authors whose transactions they never purge.
    case protectedAuthors
    /// One takes for a batch author whom another has registered under.
    case batchAuthorIsMember
  }

  /// What they differ in.
  public let subject: Subject
  /// What each of them says, as text, by member.
  public let statements: [ActorID: String]
}

extension ConfigurationDifference: CustomStringConvertible {
  /// What differs, what follows from it, and what to do.
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
