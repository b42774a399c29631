#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How a member says that it is configured, kept in the registry so that processes which disagree are
/// found out.
///
/// Who must merge what is decided by the registry alone: a list of authors that misses one, or names
/// one that does not exist, never makes a purge earlier. What a member did not say is absent.
public struct MemberConfiguration: Sendable, Hashable, Codable {
  /// All authors that it believes to write to the store.
  public var authors: Set<String>?
  /// The authors that only write, and that it does not expect among the members.
  public var batchAuthors: Set<String>?
  /// The authors whose transactions it does not merge.
  public var ignoredAuthors: Set<String>?
  /// When it purges, in the words of whoever decides that.
  public var strategy: String?
  /// The limits beyond which it cuts members off; without any, it says nothing about them.
  public var retention: RetentionLimits?
  /// The authors whose transactions its store never purges; the store says this itself.
  public internal(set) var protectedAuthors: [String]?

  /// Creates a configuration that says nothing.
  public init() {}

  /// Writes every set in order, so that the same configuration gives the same text.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(authors?.sorted(), forKey: .authors)
    try values.encodeIfPresent(batchAuthors?.sorted(), forKey: .batchAuthors)
    try values.encodeIfPresent(ignoredAuthors?.sorted(), forKey: .ignoredAuthors)
    try values.encodeIfPresent(strategy, forKey: .strategy)
    try values.encodeIfPresent(retention, forKey: .retention)
    try values.encodeIfPresent(protectedAuthors, forKey: .protectedAuthors)
  }

  /// What the registry says of a member; one that said nothing is as good as a new one.
  ///
  /// - Throws: what the decoder throws when the text makes no sense.
  init(text: String?) throws {
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
