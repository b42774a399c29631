#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension WorkloadProfile {
  /// Reads a profile from JSON; `source` names it in errors.
  ///
  /// - Throws: ``ProfileError`` when the data are not a profile, or cannot be sampled.
  package init(json: Data, source: String) throws(ProfileError) {
    do {
      let decoder = JSONDecoder()
      let version = try decoder.decode(Version.self, from: json).profile
      guard version <= Self.formatVersion else {
        throw ProfileError.newerVersion(
          source: source,
          found: version,
          known: Self.formatVersion
        )
      }
      self = try decoder.decode(WorkloadProfile.self, from: json)
    } catch let error as ProfileError {
      throw error
    } catch {
      throw .unreadable(source: source, reason: Self.reason(error))
    }
    if let flaw { throw .unreadable(source: source, reason: flaw) }
  }

  /// Returns the profile as sorted JSON, with one line for each of its keys.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let parts: [(String, any Encodable)] = [
      ("authors", authors),
      ("changesPerTransaction", changesPerTransaction),
      ("entities", entities),
      ("gapSeconds", gapSeconds),
      ("name", name),
      ("operations", operations),
      ("profile", profile),
      ("provenance", provenance),
      ("stepsBack", stepsBack),
      ("ties", ties),
      ("withoutAuthor", withoutAuthor),
      ("withoutChanges", withoutChanges),
    ]
    let lines = try parts.map { key, part in
      "  \"\(key)\": " + String(decoding: try encoder.encode(part), as: UTF8.self)
    }
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }

  /// The reason why the profile cannot be sampled; `nil` if it can.
  private var flaw: String? {
    let single = [withoutAuthor, withoutChanges, ties, stepsBack]
    let mix = [operations.insert, operations.update, operations.delete]
    let shares = [mix, authors.map(\.share), entities.map(\.share)]
    guard (single + shares.joined()).allSatisfy({ (0...1).contains($0) }) else {
      return "a share is not from 0 to 1"
    }
    guard shares.allSatisfy({ $0.isEmpty || abs($0.reduce(0, +) - 1) < 0.001 }) else {
      return "the shares of operations, authors or entities do not make 1"
    }
    guard !entities.isEmpty else { return "it has no entity" }
    guard changesPerTransaction.buckets.allSatisfy({ $0.from >= 1 }) else {
      return "changesPerTransaction counts transactions without changes"
    }
    return changesPerTransaction.flaw.map { "changesPerTransaction: \($0)" }
      ?? gapSeconds.flaw.map { "gapSeconds: \($0)" }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "it has no \"\(key.stringValue)\""
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" is of another type"
    default: "it is not JSON"
    }
  }

  /// The version alone, decoded before keys that another version may have changed.
  private struct Version: Decodable {
    let profile: Int
  }
}
