package import HistoryTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A statistical profile of real stores' histories, which generated plans resemble.
///
/// A profile contains shares and distributions, but no data of the stores.
package struct WorkloadProfile: Sendable, Hashable, Codable {
  /// The version of the JSON form.
  package static let formatVersion = 1

  /// The share of each change type among all changes.
  package struct Operations: Sendable, Hashable, Codable {
    package var insert: Double
    package var update: Double
    package var delete: Double

    package init(insert: Double, update: Double, delete: Double) {
      self.insert = insert
      self.update = update
      self.delete = delete
    }
  }

  /// An author's share of the transactions with an author, or an entity's share of the changes.
  ///
  /// Another name replaces the real name of the author or entity.
  package struct Share: Sendable, Hashable, Codable {
    /// The name in place of the real one: `author-1`, `entity-1`, and so on, in descending order of shares.
    package var name: String
    package var share: Double

    package init(name: String, share: Double) {
      self.name = name
      self.share = share
    }
  }

  /// The version of the JSON form that the profile was read from.
  package var profile = formatVersion
  package var name: String
  package var provenance: ProfileProvenance
  package var operations: Operations
  /// The number of changes per transaction, without empty transactions.
  package var changesPerTransaction: ProfileDistribution
  /// The seconds between consecutive transactions in commit order.
  package var gapSeconds: ProfileDistribution
  /// The share of transactions without an author.
  package var withoutAuthor: Double
  /// The share of transactions without changes.
  package var withoutChanges: Double
  /// The share of transactions with the same timestamp as the previous transaction.
  package var ties: Double
  /// The share of transactions with an earlier timestamp than the previous transaction.
  package var stepsBack: Double
  /// The share of each author among the transactions that have an author.
  package var authors: [Share]
  /// The share of each entity among all changes.
  package var entities: [Share]
}

extension WorkloadProfile {
  /// Computes a profile from the counts of one or more histories.
  ///
  /// - Throws: ``ProfileError/tooLittle(source:reason:)`` when a share cannot be computed, for
  ///   example without changes.
  package init(
    name: String,
    provenance: ProfileProvenance,
    tally: ProfileTally
  ) throws(ProfileError) {
    let changes = tally.inserts + tally.updates + tally.deletes
    func need(_ condition: Bool, _ reason: String) throws(ProfileError) {
      guard condition else { throw .tooLittle(source: provenance.source, reason: reason) }
    }
    try need(tally.transactions > 1, "it has \(tally.transactions.counted("transaction"))")
    try need(changes > 0 && tally.changes.count > 0, "no transaction has a change")
    try need(tally.gaps.count > 0, "no transaction is later than the one before it")
    self.init(
      name: name,
      provenance: provenance,
      operations: Operations(
        insert: Self.share(tally.inserts, of: changes),
        update: Self.share(tally.updates, of: changes),
        delete: Self.share(tally.deletes, of: changes)
      ),
      changesPerTransaction: tally.changes,
      gapSeconds: tally.gaps,
      withoutAuthor: Self.share(tally.transactionsWithoutAuthor, of: tally.transactions),
      withoutChanges: Self.share(tally.transactionsWithoutChanges, of: tally.transactions),
      ties: Self.share(tally.ties, of: tally.transactions - 1),
      stepsBack: Self.share(tally.stepsBack, of: tally.transactions - 1),
      authors: Self.shares(tally.authors, named: "author"),
      entities: Self.shares(tally.entities, named: "entity")
    )
  }

  private static func shares(_ counts: [Int], named kind: String) -> [Share] {
    let all = counts.reduce(0, +)
    return counts.sorted(by: >).enumerated().map { index, count in
      Share(name: "\(kind)-\(index + 1)", share: share(count, of: all))
    }
  }

  /// Returns a share rounded to six digits, which is precise enough and keeps files readable.
  private static func share(_ part: Int, of whole: Int) -> Double {
    whole == 0 ? 0 : (Double(part) / Double(whole) * 1e6).rounded() / 1e6
  }
}

extension WorkloadProfile {
  /// The names of the built-in profiles.
  package static let names = embedded.keys.sorted()

  /// Returns the built-in profile with a name.
  ///
  /// - Throws: ``ProfileError/unknownName(_:)``, which lists the available profiles.
  package static func named(_ name: String) throws(ProfileError) -> WorkloadProfile {
    guard let json = embedded[name] else { throw .unknownName(name) }
    return try WorkloadProfile(json: Data(json), source: "the profile \(name)")
  }

  /// The files in the folder `Profiles`, which the compiler embeds in the program.
  private static let embedded: [String: [UInt8]] = [
    "notes": PackageResources.notes_json,
    "photos": PackageResources.photos_json,
  ]
}

extension WorkloadProfile {
  /// Returns the number of changes of a transaction at a quantile from 0 to 1.
  ///
  /// Transactions without changes do not count. For all functions here, a lower quantile gives a
  /// simpler result.
  package func changesPerTransaction(at quantile: Double) -> Int {
    changesPerTransaction.integer(at: quantile)
  }

  /// Returns the seconds between a transaction and the previous one, at a quantile from 0 to 1.
  package func gap(at quantile: Double) -> Double {
    (gapSeconds.value(at: quantile) * 1e6).rounded() / 1e6
  }

  package func operation(at quantile: Double) -> ChangeType {
    let shares = [operations.insert, operations.update, operations.delete]
    return [.insert, .update, .delete][Self.index(at: quantile, in: shares)]
  }

  /// Returns the index of an author for a transaction, from 0 to `count - 1`; `nil` for no author.
  ///
  /// If `quantile` is a random number from 0 to 1, each author is chosen in proportion to its share
  /// in the profile. If the profile has more authors than `count`, those with the greatest shares
  /// are used. If it has fewer, each further author gets the least positive share.
  package func author(at quantile: Double, among count: Int) -> Int? {
    let named = 1 - withoutAuthor
    guard count > 0, quantile < named else { return nil }
    return Self.index(at: quantile / named, in: Self.shares(authors, count))
  }

  /// Returns the index of an entity for a change, from 0 to `count - 1`.
  ///
  /// If `quantile` is a random number from 0 to 1, each entity is chosen in proportion to its share
  /// in the profile. For fewer or more entities than the profile has, see ``author(at:among:)``.
  package func entity(at quantile: Double, among count: Int) -> Int {
    Self.index(at: quantile, in: Self.shares(entities, count))
  }

  /// Returns the first `count` shares; if there are fewer, the least positive share is repeated.
  private static func shares(_ known: [Share], _ count: Int) -> [Double] {
    let shares = known.prefix(max(1, count)).map(\.share)
    let least = shares.last { $0 > 0 } ?? 1
    return shares + Array(repeating: least, count: max(0, max(1, count) - shares.count))
  }

  /// Returns the index of the share that contains a quantile, if the shares are laid end to end.
  private static func index(at quantile: Double, in shares: [Double]) -> Int {
    var rest = min(max(quantile, 0), 1) * shares.reduce(0, +)
    for (index, share) in shares.enumerated() {
      if rest < share { return index }
      rest -= share
    }
    return shares.lastIndex { $0 > 0 } ?? 0
  }
}

extension WorkloadProfile {
  /// The mean number of changes per transaction, without empty transactions.
  package var meanChangesPerTransaction: Double {
    let buckets = changesPerTransaction.buckets
    let sum = buckets.reduce(0) { $0 + ($1.from + $1.to) / 2 * Double($1.count) }
    return sum / Double(max(1, changesPerTransaction.count))
  }

  /// The greatest number of changes of a transaction.
  package var mostChangesPerTransaction: Int { Int(changesPerTransaction.buckets.last?.to ?? 0) }

  /// Returns `count` times between transactions in seconds, at evenly spaced quantiles.
  package func gaps(_ count: Int) -> [Double] {
    (0..<count).map { gap(at: (Double($0) + 0.5) / Double(count)) }
  }
}

extension WorkloadProfile {
  /// Reads a profile from JSON; errors contain `source` as the profile's name.
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

  /// Returns the profile as JSON with sorted keys, one line per top-level key.
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

  /// The reason why plans cannot be generated from the profile; `nil` if they can.
  private var flaw: String? {
    let single = [withoutAuthor, withoutChanges, ties, stepsBack]
    let mix = [operations.insert, operations.update, operations.delete]
    let shares = [mix, authors.map(\.share), entities.map(\.share)]
    guard (single + shares.joined()).allSatisfy({ (0...1).contains($0) }) else {
      return "a share is not from 0 to 1"
    }
    guard shares.allSatisfy({ $0.isEmpty || abs($0.reduce(0, +) - 1) < 0.001 }) else {
      return "the shares of operations, authors or entities do not add up to 1"
    }
    guard !entities.isEmpty else { return "it has no entity" }
    guard changesPerTransaction.buckets.allSatisfy({ $0.from >= 1 }) else {
      return "changesPerTransaction has a bucket that starts below 1; "
        + "omit transactions without changes"
    }
    return changesPerTransaction.flaw.map { "changesPerTransaction: \($0)" }
      ?? gapSeconds.flaw.map { "gapSeconds: \($0)" }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "it has no \"\(key.stringValue)\""
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" has the wrong type"
    default: "it is not JSON"
    }
  }

  /// The version of a profile; it is decoded first, because other versions may have other keys.
  private struct Version: Decodable {
    let profile: Int
  }
}
