/// A statistical profile of real stores' histories, which generated plans resemble.
///
/// It has shares and distributions, and none of the stores' contents.
package struct WorkloadProfile: Sendable, Hashable, Codable {
  /// The version of the JSON form.
  package static let formatVersion = 1

  /// The shares of change types among all changes.
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

  /// The share of one author or entity, whose real name is left out.
  package struct Share: Sendable, Hashable, Codable {
    /// The name: `author-1`, `entity-1`, and so on, in descending order of shares.
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
  /// The number of changes per transaction, of transactions that have changes.
  package var changesPerTransaction: ProfileDistribution
  /// The seconds between neighbours in commit order.
  package var gapSeconds: ProfileDistribution
  /// The share of transactions without an author.
  package var withoutAuthor: Double
  /// The share of transactions without changes.
  package var withoutChanges: Double
  /// The share of transactions with the same timestamp as the one before.
  package var ties: Double
  /// The share of transactions with an earlier timestamp than the one before.
  package var stepsBack: Double
  /// The shares of the authors in the transactions that have one.
  package var authors: [Share]
  /// The shares of the entities in all changes.
  package var entities: [Share]
}

extension WorkloadProfile {
  /// Computes a profile from counts.
  ///
  /// - Throws: ``ProfileError/tooLittle(source:reason:)`` when the counts do not determine a share.
  package init(
    name: String,
    provenance: ProfileProvenance,
    tally: ProfileTally
  ) throws(ProfileError) {
    let changes = tally.inserts + tally.updates + tally.deletes
    func need(_ condition: Bool, _ reason: String) throws(ProfileError) {
      guard condition else { throw .tooLittle(source: provenance.source, reason: reason) }
    }
    try need(tally.transactions > 1, "it has \(tally.transactions) transactions")
    try need(changes > 0 && tally.changes.count > 0, "no transaction has a change")
    try need(tally.gaps.count > 0, "time never goes forward in it")
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

  /// Returns a share rounded to six digits; more would be noise and make files hard to read.
  private static func share(_ part: Int, of whole: Int) -> Double {
    whole == 0 ? 0 : (Double(part) / Double(whole) * 1e6).rounded() / 1e6
  }
}
