package import HistoryTypes

/// An observer of a store's actions, called on the thread that performs them, without influence.
///
/// It costs one check of an optional per transaction and per chunk, and none per row.
package struct StoreWitness: Sendable {
  /// Receives the effects of a transaction before its commit, while it holds the write lock.
  package var begins: @Sendable (MemberWrite) -> Void
  /// Receives whether the last write was committed; a failed write may not have called ``begins``.
  package var ends: @Sendable (_ isCommitted: Bool) -> Void
  /// Receives the number of a write, under the write lock, before any row is written.
  package var writes: @Sendable (_ number: Int64) -> Void = { _ in }
  /// Receives the number of a committed transaction, before other processes are signalled.
  package var signals: @Sendable (_ number: Int64) -> Void = { _ in }
  /// Receives the first number of a purge's chunk before its deletion, under the write lock.
  package var deletes: @Sendable (_ first: Int64) -> Void = { _ in }

  package init(
    begins: @escaping @Sendable (MemberWrite) -> Void,
    ends: @escaping @Sendable (_ isCommitted: Bool) -> Void
  ) {
    self.begins = begins
    self.ends = ends
  }
}

/// The effects of one small transaction on members and purged positions.
package struct MemberWrite: Sendable, Hashable {
  /// The member that performs it, if any.
  package var member: MemberID?
  /// The position that it records, if any.
  package var cursor: HistoryToken?
  /// The numbers that it makes invisible, including protected authors'; empty if it purges none.
  package var purged: Range<Int64>

  package init(member: MemberID?, cursor: HistoryToken?, purged: Range<Int64> = 0..<0) {
    self.member = member
    self.cursor = cursor
    self.purged = purged
  }
}

extension StoreCore {
  /// Reports the effects of the current transaction to the witness before the commit.
  func notifyWitness(_ write: @autoclosure () -> MemberWrite) {
    if let witness = configuration.witness { witness.begins(write()) }
  }

  /// Runs a write about members, and reports its outcome to the witness.
  func witnessed<Result>(_ body: () throws -> Result) throws -> Result {
    guard let witness = configuration.witness else { return try body() }
    var isCommitted = false
    defer { witness.ends(isCommitted) }
    let result = try body()
    isCommitted = true
    return result
  }
}
