import CSQLite

extension Statement {
  /// Prepares a single read-only statement, in which columns that `isHidden` selects read as null.
  ///
  /// The text may come from an untrusted source.
  ///
  /// - Throws: ``SQLiteError`` with code `SQLITE_MISUSE` and a message of this library if the
  ///   statement does more than read, or if a second statement follows; otherwise the errors of
  ///   ``init(_:_:)``.
  package init(
    _ connection: borrowing Connection,
    reading sql: String,
    hiding isHidden: @escaping (_ table: String, _ column: String) -> Bool
  ) throws(SQLiteError) {
    let reading = ReadingGuard(isHidden)
    var prepared: OpaquePointer?
    var code: Int32 = SQLITE_OK
    var hasMore = false
    withExtendedLifetime(reading) {
      sqlite3_set_authorizer(
        connection.handle,
        authorize,
        Unmanaged.passUnretained(reading).toOpaque()
      )
      defer { sqlite3_set_authorizer(connection.handle, nil, nil) }
      sql.withCString { text in
        var rest: UnsafePointer<CChar>?
        code = sqlite3_prepare_v2(connection.handle, text, -1, &prepared, &rest)
        hasMore = code == SQLITE_OK && holdsStatement(connection.handle, rest)
      }
    }
    let writes = prepared.map { sqlite3_stmt_readonly($0) == 0 } ?? false
    let refusal =
      hasMore
      ? "a query is a single statement, but the text contains more"
      : writes ? ReadingGuard.doesMore : reading.refusal
    guard code == SQLITE_OK, refusal == nil, let prepared else {
      sqlite3_finalize(prepared)
      if let refusal { throw SQLiteError(code: SQLITE_MISUSE, message: refusal, sql: sql) }
      guard code == SQLITE_OK else { throw SQLiteError(connection.handle, code: code, sql: sql) }
      throw SQLiteError(
        code: SQLITE_MISUSE,
        message: "the text contains no SQL statement",
        sql: sql
      )
    }
    handle = prepared
  }

  /// Checks that the number of the statement's parameters equals a count.
  ///
  /// - Throws: ``SQLiteError`` if the statement has fewer or more parameters.
  package borrowing func checkPlaces(_ count: Int) throws(SQLiteError) {
    let wanted = Int(sqlite3_bind_parameter_count(handle))
    guard wanted != count else { return }
    let sql = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
    let message = "the number of values is \(count), but the query has \(wanted) placeholders (`?`)"
    throw SQLiteError(code: SQLITE_RANGE, message: message, sql: sql)
  }
}

/// The authorizer callback's state while a statement is prepared.
private final class ReadingGuard {
  static let doesMore = "a query may only read data, but this statement does something else"

  let isHidden: (String, String) -> Bool
  /// The reason why the statement is rejected, or `nil` if it is allowed.
  var refusal: String?

  init(_ isHidden: @escaping (String, String) -> Bool) { self.isHidden = isHidden }

  /// Returns SQLite's authorizer result for an action.
  ///
  /// See https://sqlite.org/c3ref/set_authorizer.html.
  func answer(_ action: Int32, _ first: String, _ second: String) -> Int32 {
    switch action {
    case SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE: return SQLITE_OK
    case SQLITE_READ: return isHidden(first, second) ? SQLITE_IGNORE : SQLITE_OK
    // SQLite requests this action to declare a virtual table. A statement that changes the table is
    // rejected by `sqlite3_stmt_readonly`.
    case SQLITE_UPDATE where first == "sqlite_master": return SQLITE_OK
    default:
      refusal = refusal ?? Self.doesMore
      return SQLITE_DENY
    }
  }
}

private let authorize:
  @convention(c) (
    UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
    UnsafePointer<CChar>?, UnsafePointer<CChar>?
  ) -> Int32 = { context, action, first, second, _, _ in
    guard let context else { return SQLITE_DENY }
    return Unmanaged<ReadingGuard>.fromOpaque(context)._withUnsafeGuaranteedRef { guardian in
      guardian.answer(
        action,
        first.map { String(cString: $0) } ?? "",
        second.map { String(cString: $0) } ?? ""
      )
    }
  }

/// Returns whether a text contains another statement after whitespace and comments.
private func holdsStatement(_ connection: OpaquePointer, _ text: UnsafePointer<CChar>?) -> Bool {
  guard let text, text.pointee != 0 else { return false }
  var prepared: OpaquePointer?
  let code = sqlite3_prepare_v2(connection, text, -1, &prepared, nil)
  defer { sqlite3_finalize(prepared) }
  return code != SQLITE_OK || prepared != nil
}
