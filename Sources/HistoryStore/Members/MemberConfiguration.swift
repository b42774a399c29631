#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The configuration that a member declares, kept in the registry to detect differences.
///
/// Only the registry decides which members must merge: a list of authors that lacks one, or names
/// one that does not exist, never causes an earlier purge. Properties that a member did not declare
/// are `nil`.
public struct MemberConfiguration: Sendable, Hashable, Codable {
  /// All authors that it expects to write to the store.
  public var authors: Set<String>?
  /// The authors that only write, and that it does not expect among the members.
  public var batchAuthors: Set<String>?
  /// The authors whose transactions it does not merge.
  public var ignoredAuthors: Set<String>?
  /// The time at which it purges, as described by its purge strategy.
  public var strategy: String?
  /// The limits beyond which it excludes members; `nil` expresses no preference.
  public var retention: RetentionLimits?
  /// The authors whose transactions its store never purges; set by the store itself.
  public internal(set) var protectedAuthors: [String]?

  /// Creates a configuration without any declaration.
  public init() {}

  /// Encodes every set in sorted order, so that equal configurations produce equal text.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(authors?.sorted(), forKey: .authors)
    try values.encodeIfPresent(batchAuthors?.sorted(), forKey: .batchAuthors)
    try values.encodeIfPresent(ignoredAuthors?.sorted(), forKey: .ignoredAuthors)
    try values.encodeIfPresent(strategy, forKey: .strategy)
    try values.encodeIfPresent(retention, forKey: .retention)
    try values.encodeIfPresent(protectedAuthors, forKey: .protectedAuthors)
  }

  /// Creates a configuration from the registry's text; `nil` creates an empty configuration.
  ///
  /// - Throws: the decoder's error when the text is invalid.
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
