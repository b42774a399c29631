import PersistentHistory
package import Traces

/// A design of history tracking as a value: what each member reads, its cursor, and the purge.
///
/// ``LogSystem`` does everything else that a system needs. A log is the shortest way to test an
/// idea before there is a store.
package protocol HistoryLog: Hashable, Sendable {
  /// Creates an empty history.
  init()

  /// Adds an actor as a member; its view contains everything up to the newest transaction.
  mutating func join(_ actor: ActorID, head: Int)

  /// Removes a member that retires.
  mutating func leave(_ actor: ActorID)

  /// Adds a committed transaction.
  mutating func append(_ transaction: LoggedTransaction)

  /// Returns the transactions that an actor is to merge now, in order.
  func news(for actor: ActorID) -> [LoggedTransaction]

  /// Records that an actor has merged all its transactions up to a number.
  mutating func record(_ actor: ActorID, through number: Int)

  /// Returns the number up to which a member has merged; 0 if it has merged none.
  func cursor(of actor: ActorID) -> Int

  /// Deletes and returns the transactions that need not be kept any longer.
  mutating func purge() -> [LoggedTransaction]

  /// The transactions in history, in order.
  var held: [LoggedTransaction] { get }
}

/// A transaction of a log.
package struct LoggedTransaction: Hashable, Sendable {
  /// The transaction's number; the first is 1, and numbers are not reused.
  package let number: Int
  /// The actor whose view saved the transaction and therefore contains it.
  package let writer: ActorID
  /// The transaction's author, time and changes.
  package let told: CommittedTransaction
}
