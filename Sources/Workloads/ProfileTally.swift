/// The counts that a profile is computed from, of one history or of several together.
package struct ProfileTally: Sendable, Hashable {
  package var transactions = 0
  /// The number of transactions without an author.
  package var transactionsWithoutAuthor = 0
  /// The number of transactions without changes.
  package var transactionsWithoutChanges = 0
  package var inserts = 0
  package var updates = 0
  package var deletes = 0
  /// The number of transactions with the same timestamp as the one before.
  package var ties = 0
  /// The number of transactions with an earlier timestamp than the one before.
  package var stepsBack = 0
  /// The number of changes per transaction, of transactions that have changes.
  package var changes = ProfileDistribution()
  /// The seconds between neighbours in commit order.
  package var gaps = ProfileDistribution()
  /// The number of transactions of each author, in any order.
  package var authors: [Int] = []
  /// The number of changes of each entity, in any order.
  package var entities: [Int] = []

  package init() {}
}
