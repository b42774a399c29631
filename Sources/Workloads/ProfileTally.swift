/// The counts that a profile is made of, from one history or from several together.
package struct ProfileTally: Sendable, Hashable {
  package var transactions = 0
  /// Transactions that name no author.
  package var transactionsWithoutAuthor = 0
  /// Transactions that changed nothing.
  package var transactionsWithoutChanges = 0
  package var inserts = 0
  package var updates = 0
  package var deletes = 0
  /// Transactions with the timestamp of the one before.
  package var ties = 0
  /// Transactions with an earlier timestamp than the one before.
  package var stepsBack = 0
  /// Changes of each transaction that has some.
  package var changes = ProfileDistribution()
  /// Seconds between neighbours in commit order.
  package var gaps = ProfileDistribution()
  /// The transactions of each author, in any order.
  package var authors: [Int] = []
  /// The changes of each entity, in any order.
  package var entities: [Int] = []

  package init() {}
}
