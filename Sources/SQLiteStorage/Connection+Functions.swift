import CSQLite

extension Connection {
  /// Registers an SQL function with any number of arguments that returns an integer.
  ///
  /// Statements can call the function; triggers, views and indexes of the file cannot. The closure
  /// must not use the connection (https://sqlite.org/appfunc.html).
  ///
  /// - Throws: ``SQLiteError`` if memory runs out.
  package borrowing func setFunction(
    _ name: String,
    _ body: @escaping (FunctionArguments) -> Int64
  ) throws(SQLiteError) {
    // SQLite releases the closure when the connection is closed, and also if this call fails.
    let code = sqlite3_create_function_v2(
      handle,
      name,
      -1,
      SQLITE_UTF8 | SQLITE_DIRECTONLY,
      Unmanaged.passRetained(FunctionBody(body)).toOpaque(),
      callFunction,
      nil,
      nil,
      releaseFunction
    )
    guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: name) }
  }

  /// Registers an SQL aggregate with any number of arguments that passes every row to a closure.
  ///
  /// The SQL result of the aggregate is null. Passing values to a closure as arguments is faster
  /// than a loop that steps a statement and reads its columns. Statements can call the aggregate;
  /// triggers, views and indexes of the file cannot. The closure must not use the connection.
  ///
  /// - Throws: ``SQLiteError`` if memory runs out.
  package borrowing func setCollector(
    _ name: String,
    _ body: @escaping (FunctionArguments) -> Void
  ) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle,
      name,
      -1,
      SQLITE_UTF8 | SQLITE_DIRECTONLY,
      Unmanaged.passRetained(CollectorBody(body)).toOpaque(),
      nil,
      callCollector,
      endCollector,
      releaseCollector
    )
    guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: name) }
  }
}

/// A function closure in an object that SQLite can retain.
private final class FunctionBody {
  let call: (FunctionArguments) -> Int64

  init(_ call: @escaping (FunctionArguments) -> Int64) { self.call = call }
}

/// An aggregate closure in an object that SQLite can retain.
private final class CollectorBody {
  let call: (FunctionArguments) -> Void

  init(_ call: @escaping (FunctionArguments) -> Void) { self.call = call }
}

private let callCollector:
  @convention(c) (
    OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
  ) -> Void = { context, _, values in
    guard let body = sqlite3_user_data(context), let values else { return }
    Unmanaged<CollectorBody>.fromOpaque(body)._withUnsafeGuaranteedRef {
      $0.call(FunctionArguments(values))
    }
  }

private let endCollector: @convention(c) (OpaquePointer?) -> Void = { sqlite3_result_null($0) }

private let releaseCollector: @convention(c) (UnsafeMutableRawPointer?) -> Void = { body in
  if let body { Unmanaged<CollectorBody>.fromOpaque(body).release() }
}

private let callFunction:
  @convention(c) (
    OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
  ) -> Void = { context, _, values in
    guard let body = sqlite3_user_data(context), let values else { return }
    let answer = Unmanaged<FunctionBody>.fromOpaque(body)._withUnsafeGuaranteedRef {
      $0.call(FunctionArguments(values))
    }
    sqlite3_result_int64(context, answer)
  }

private let releaseFunction: @convention(c) (UnsafeMutableRawPointer?) -> Void = { body in
  if let body { Unmanaged<FunctionBody>.fromOpaque(body).release() }
}
