package import PersistentHistory
package import Traces

/// A design of history tracking as a value: who reads what, how far all are, and what is purged.
///
/// Everything else that a system needs, ``LogSystem`` does. It is the shortest way to put an idea under test, before there is a store.
package protocol HistoryLog: Hashable, Sendable {
  /// Starts with an empty history.
  init()

  /// An actor becomes a member; its view already has everything up to the newest transaction.
  mutating func join(_ actor: ActorID, head: Int)

  /// A member retires.
  mutating func leave(_ actor: ActorID)

  /// A transaction was committed.
  mutating func append(_ transaction: LoggedTransaction)

  /// What an actor is to merge now, in order.
  func news(for actor: ActorID) -> [LoggedTransaction]

  /// An actor has merged everything that it was told, up to a number.
  mutating func record(_ actor: ActorID, through number: Int)

  /// The number through which a member has merged; 0 is nothing.
  func cursor(of actor: ActorID) -> Int

  /// Deletes what need not be kept any longer, and answers it.
  mutating func purge() -> [LoggedTransaction]

  /// What history still holds, in order.
  var held: [LoggedTransaction] { get }
}

/// A transaction of a log.
package struct LoggedTransaction: Hashable, Sendable {
  /// Its number: the first is 1, and none is used twice.
  package let number: Int
  /// The actor whose view saved it and so has it already.
  package let writer: ActorID
  /// Its author, time and changes.
  package let told: CommittedTransaction
}
