package import PersistentHistory

/// Observes what a store does, on the thread that does it; it cannot change anything.
///
/// It costs one look at an optional a transaction and a chunk, and nothing where rows are written.
package struct StoreWitness: Sendable {
  /// What such a transaction is about to commit; told while it holds the write lock.
  package var begins: @Sendable (MemberWrite) -> Void
  /// Whether what began last was committed; nothing may have begun when it was not.
  package var ends: @Sendable (_ isCommitted: Bool) -> Void
  /// The number that a write takes; called while it holds the write lock, before it writes a row.
  package var writes: @Sendable (_ number: Int64) -> Void = { _ in }
  /// The number of a transaction that is committed, before other processes are signalled.
  package var signals: @Sendable (_ number: Int64) -> Void = { _ in }
  /// The first number of a chunk of a purge that is about to be deleted, under the write lock.
  package var deletes: @Sendable (_ first: Int64) -> Void = { _ in }

  package init(
    begins: @escaping @Sendable (MemberWrite) -> Void,
    ends: @escaping @Sendable (_ isCommitted: Bool) -> Void
  ) {
    self.begins = begins
    self.ends = ends
  }
}

/// What one small transaction about members does.
package struct MemberWrite: Sendable, Hashable {
  /// Who makes it, if it is a member.
  package var member: ActorID?
  /// The position that it records, if it records one.
  package var cursor: HistoryToken?
  /// The numbers that it makes invisible, protected authors' among them; empty if it purges nothing.
  package var purged: Range<Int64>

  package init(member: ActorID?, cursor: HistoryToken?, purged: Range<Int64> = 0..<0) {
    self.member = member
    self.cursor = cursor
    self.purged = purged
  }
}

extension StoreCore {
  /// Tells the witness what the transaction that is under way is about to commit, if there is one.
  func tellWitness(_ write: @autoclosure () -> MemberWrite) {
    if let witness = configuration.witness { witness.begins(write()) }
  }

  /// Runs a whole write about members, and tells the witness how it ended.
  func witnessed<Result>(_ body: () throws -> Result) throws -> Result {
    guard let witness = configuration.witness else { return try body() }
    var isCommitted = false
    defer { witness.ends(isCommitted) }
    let result = try body()
    isCommitted = true
    return result
  }
}
