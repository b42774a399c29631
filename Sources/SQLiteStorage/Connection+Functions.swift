import CSQLite

extension Connection {
  /// Gives the connection's SQL a function of any number of arguments that answers an integer
  /// (https://sqlite.org/appfunc.html).
  ///
  /// Only statements may call it, never the schema of a file. It must not use the connection.
  ///
  /// - Throws: ``SQLiteError`` when memory runs out.
  package borrowing func setFunction(
    _ name: String,
    _ body: @escaping (FunctionArguments) -> Int64
  ) throws(SQLiteError) {
    // SQLite releases the body when the connection is closed, and when this call fails.
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

  /// Gives the connection's SQL an aggregate of any number of arguments that hands every row to a
  /// closure and answers null: the values of a row come cheaper to it than through the columns of a
  /// statement that stops at each row.
  ///
  /// Only statements may call it, never the schema of a file. It must not use the connection.
  ///
  /// - Throws: ``SQLiteError`` when memory runs out.
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

/// A closure that SQLite can hold.
private final class FunctionBody {
  let call: (FunctionArguments) -> Int64

  init(_ call: @escaping (FunctionArguments) -> Int64) { self.call = call }
}

/// A closure that SQLite can hold and that takes rows.
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
