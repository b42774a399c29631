import CSQLite

/// The statements that open and end transactions, prepared once for a connection.
package struct TransactionStatements: ~Copyable {
  @usableFromInline
  let beginWrite: Statement
  @usableFromInline
  let beginRead: Statement
  @usableFromInline
  let commit: Statement
  /// Prepared, so that it needs no memory when there is none.
  @usableFromInline
  let rollback: Statement

  package init(_ connection: borrowing Connection) throws(SQLiteError) {
    // Properties that cannot be copied are set after the last statement that may throw.
    let beginWrite = try Statement(connection, "BEGIN IMMEDIATE")
    let beginRead = try Statement(connection, "BEGIN")
    let commit = try Statement(connection, "COMMIT")
    let rollback = try Statement(connection, "ROLLBACK")
    self.beginWrite = beginWrite
    self.beginRead = beginRead
    self.commit = commit
    self.rollback = rollback
  }

  /// Runs a closure inside one write transaction, which takes the write lock first; when the closure
  /// or the commit throws, nothing of it remains.
  ///
  /// - Throws: what the closure throws, or ``SQLiteError`` from the begin or the commit.
  @inlinable
  package borrowing func write<Result>(
    _ connection: borrowing Connection,
    _ body: () throws -> Result
  ) throws -> Result {
    try run(beginWrite, connection, body)
  }

  /// Runs a closure inside one read transaction: everything it reads is of one moment.
  ///
  /// - Throws: what the closure throws, or ``SQLiteError`` from the begin or the end.
  @inlinable
  package borrowing func read<Result>(
    _ connection: borrowing Connection,
    _ body: () throws -> Result
  ) throws -> Result {
    try run(beginRead, connection, body)
  }

  @inlinable
  borrowing func run<Result>(
    _ begin: borrowing Statement,
    _ connection: borrowing Connection,
    _ body: () throws -> Result
  ) throws -> Result {
    try begin.run()
    do {
      let result = try body()
      try commit.run()
      return result
    } catch {
      rollBack(connection)
      throw error
    }
  }

  /// Ends what is left of a transaction after a failure; SQLite may have ended it already.
  @usableFromInline
  package borrowing func rollBack(_ connection: borrowing Connection) {
    guard connection.isInTransaction else { return }
    sqlite3_step(rollback.handle)
    sqlite3_reset(rollback.handle)
    connection.rollBack()
  }
}
