import CSQLite

/// The callbacks of virtual tables whose rows Swift code supplies; they are read-only.
nonisolated(unsafe) let tableCallbacks = makeCallbacks()

private func makeCallbacks() -> UnsafeMutablePointer<sqlite3_module> {
  let callbacks = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
  callbacks.initialize(to: sqlite3_module())
  callbacks.pointee.xConnect = { connection, context, _, _, made, _ in
    connect(connection, context, made)
  }
  callbacks.pointee.xDisconnect = { disconnect($0) }
  callbacks.pointee.xBestIndex = { choose($0, $1) }
  callbacks.pointee.xOpen = { open($0, $1) }
  callbacks.pointee.xClose = { close($0) }
  callbacks.pointee.xFilter = { filter($0, $1, $3, $4) }
  callbacks.pointee.xNext = { next($0) }
  callbacks.pointee.xEof = { isAtEnd($0) }
  callbacks.pointee.xColumn = { give($0, $1, $2) }
  return callbacks
}

/// A connection's virtual table; `base`, which SQLite accesses, must be the first property.
private struct TableInstance {
  var base = sqlite3_vtab()
  let module: Unmanaged<TableModule>
}

/// A cursor over a virtual table; `base`, which SQLite accesses, must be the first property.
private struct TableWalk {
  var base = sqlite3_vtab_cursor()
  let state: Unmanaged<WalkState>
}

/// The state of a cursor over a virtual table.
private final class WalkState {
  let rows: any TableRows
  var isAtEnd = true

  init(_ rows: any TableRows) { self.rows = rows }
}

private typealias TablePointer = UnsafeMutablePointer<sqlite3_vtab>
private typealias CursorPointer = UnsafeMutablePointer<sqlite3_vtab_cursor>

// MARK: The table

private func connect(
  _ connection: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ made: UnsafeMutablePointer<TablePointer?>?
) -> Int32 {
  guard let context, let made else { return SQLITE_ERROR }
  let module = Unmanaged<TableModule>.fromOpaque(context)
  let declaration = module._withUnsafeGuaranteedRef { $0.declaration }
  let code = sqlite3_declare_vtab(connection, declaration)
  guard code == SQLITE_OK else { return code }
  let table = UnsafeMutablePointer<TableInstance>.allocate(capacity: 1)
  table.initialize(to: TableInstance(module: module))
  made.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
  return SQLITE_OK
}

private func disconnect(_ table: TablePointer?) -> Int32 {
  UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: TableInstance.self).deallocate()
  return SQLITE_OK
}

private func module(of table: TablePointer) -> TableModule {
  UnsafeMutableRawPointer(table).assumingMemoryBound(to: TableInstance.self)
    .pointee.module.takeUnretainedValue()
}

/// Plans a query of a virtual table (https://sqlite.org/vtab.html#the_xbestindex_method).
///
/// The plan requests the values with which the query compares the first column, and encodes each
/// of these comparisons in three bits of `idxNum`. The plan also states whether the rows already
/// come in the requested order.
private func choose(
  _ table: TablePointer?,
  _ plan: UnsafeMutablePointer<sqlite3_index_info>?
) -> Int32 {
  guard let table, let plan else { return SQLITE_ERROR }
  var taken: [NumberRange.Comparison] = []
  for index in 0..<Int(plan.pointee.nConstraint) where taken.count < 10 {
    let constraint = plan.pointee.aConstraint[index]
    guard constraint.usable != 0, constraint.iColumn == 0,
      let comparison = NumberRange.Comparison(code: constraint.op)
    else { continue }
    taken.append(comparison)
    plan.pointee.aConstraintUsage[index].argvIndex = Int32(taken.count)
  }
  plan.pointee.idxNum = taken.reversed().reduce(0) { $0 << 3 | $1.rawValue }
  let wanted = (0..<Int(plan.pointee.nOrderBy)).map { plan.pointee.aOrderBy[$0] }
  let isInOrder = wanted.enumerated().allSatisfy { $1.iColumn == $0 && $1.desc == 0 }
  let hasKey = wanted.count <= module(of: table).keyCount
  plan.pointee.orderByConsumed = isInOrder && hasKey ? 1 : 0
  let rows = taken.reduce(1e7) { $0 * ($1 == .equal ? 1e-6 : 0.1) }
  plan.pointee.estimatedRows = Int64(max(10, rows))
  plan.pointee.estimatedCost = max(10, rows)
  return SQLITE_OK
}

// MARK: The cursor

private func open(_ table: TablePointer?, _ made: UnsafeMutablePointer<CursorPointer?>?) -> Int32 {
  guard let table, let made else { return SQLITE_ERROR }
  let walk = UnsafeMutablePointer<TableWalk>.allocate(capacity: 1)
  walk.initialize(
    to: TableWalk(state: Unmanaged.passRetained(WalkState(module(of: table).rows())))
  )
  made.pointee = UnsafeMutableRawPointer(walk).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
  return SQLITE_OK
}

private func close(_ cursor: CursorPointer?) -> Int32 {
  guard let cursor else { return SQLITE_OK }
  let walk = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: TableWalk.self)
  walk.pointee.state.release()
  walk.deallocate()
  return SQLITE_OK
}

private func state(of cursor: CursorPointer) -> WalkState {
  UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: TableWalk.self)
    .pointee.state.takeUnretainedValue()
}

private func filter(
  _ cursor: CursorPointer?,
  _ plan: Int32,
  _ count: Int32,
  _ values: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  attempt(cursor) { state in
    var range = NumberRange()
    for index in 0..<Int(count) {
      guard let comparison = NumberRange.Comparison(rawValue: plan >> Int32(3 * index) & 7) else {
        continue
      }
      range.limit(comparison, to: values?[index])
    }
    state.isAtEnd = true
    guard let numbers = range.numbers else { return }
    try state.rows.start(in: numbers)
    state.isAtEnd = try !state.rows.next()
  }
}

private func next(_ cursor: CursorPointer?) -> Int32 {
  attempt(cursor) { $0.isAtEnd = try !$0.rows.next() }
}

private func isAtEnd(_ cursor: CursorPointer?) -> Int32 {
  guard let cursor else { return 1 }
  return state(of: cursor).isAtEnd ? 1 : 0
}

private func give(
  _ cursor: CursorPointer?,
  _ context: OpaquePointer?,
  _ column: Int32
) -> Int32 {
  guard let cursor, let context else { return SQLITE_ERROR }
  state(of: cursor).rows.give(column, to: ColumnAnswer(context))
  return SQLITE_OK
}

/// Runs a closure; if it throws, stores the error and passes its message to SQLite.
private func attempt(_ cursor: CursorPointer?, _ body: (WalkState) throws -> Void) -> Int32 {
  guard let cursor, let table = cursor.pointee.pVtab else { return SQLITE_ERROR }
  do {
    try body(state(of: cursor))
    return SQLITE_OK
  } catch {
    module(of: table).failure = error
    sqlite3_free(table.pointee.zErrMsg)
    table.pointee.zErrMsg = copy(String(describing: error))
    return (error as? SQLiteError)?.code ?? SQLITE_ERROR
  }
}

/// Returns a copy of a text in memory that SQLite allocated.
private func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
  let bytes = text.utf8CString
  guard let memory = sqlite3_malloc64(UInt64(bytes.count)) else { return nil }
  let characters = memory.bindMemory(to: CChar.self, capacity: bytes.count)
  for (index, byte) in bytes.enumerated() { characters[index] = byte }
  return characters
}

extension Connection {
  /// Runs a closure with a virtual table whose rows Swift code supplies.
  ///
  /// Each query of the table calls `rows` for its own row source. A query that compares the first
  /// column with `=`, `<`, `<=`, `>` or `>=` reads only the matching range. A query that sorts by the
  /// key columns needs no sort step, because the rows are in that order. Statements that read the
  /// table must not be used after the closure returns (https://sqlite.org/vtab.html).
  ///
  /// - Throws: The error of the row source if it threw, otherwise the error of the closure.
  package borrowing func withTable<Result>(
    _ table: TableDescription,
    rows: @escaping () -> any TableRows,
    _ body: () throws -> Result
  ) throws -> Result {
    let module = TableModule(table, rows)
    // SQLite releases the module when the table is removed, and also if this call fails.
    let code = sqlite3_create_module_v2(
      handle,
      table.name,
      tableCallbacks,
      Unmanaged.passRetained(module).toOpaque(),
      { module in if let module { Unmanaged<TableModule>.fromOpaque(module).release() } }
    )
    guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: table.name) }
    defer { sqlite3_create_module_v2(handle, table.name, nil, nil, nil) }
    // SQLite declares the table at its first use; a statement that may only read is not allowed to
    // do so.
    _ = try Statement(self, "SELECT 1 FROM \(table.name)")
    do {
      return try body()
    } catch {
      throw module.failure ?? error
    }
  }
}

/// The object that SQLite retains for a virtual table, and passes to the table's callbacks.
final class TableModule {
  let declaration: String
  let keyCount: Int
  let rows: () -> any TableRows
  /// The error that the table's rows threw, if any.
  var failure: (any Error)?

  init(_ table: TableDescription, _ rows: @escaping () -> any TableRows) {
    declaration = table.declaration
    keyCount = table.keyCount
    self.rows = rows
  }
}

/// The range of values in the first column that a query needs.
///
/// The range follows from those comparisons of the query that SQLite passes to the table, so it may be
/// larger than necessary. The table skips rows outside of the range. SQLite checks the rows inside the
/// range again.
struct NumberRange {
  /// A comparison of the first column with a value.
  enum Comparison: Int32 {
    case equal = 1
    case greater
    case greaterOrEqual
    case less
    case lessOrEqual

    /// Creates the comparison for SQLite's constraint code; `nil` for constraints of other kinds.
    init?(code: UInt8) {
      switch Int32(code) {
      case SQLITE_INDEX_CONSTRAINT_EQ: self = .equal
      case SQLITE_INDEX_CONSTRAINT_GT: self = .greater
      case SQLITE_INDEX_CONSTRAINT_GE: self = .greaterOrEqual
      case SQLITE_INDEX_CONSTRAINT_LT: self = .less
      case SQLITE_INDEX_CONSTRAINT_LE: self = .lessOrEqual
      default: return nil
      }
    }

    /// A Boolean value that indicates whether the comparison sets a lower bound.
    var isLower: Bool { self != .less && self != .lessOrEqual }
    /// A Boolean value that indicates whether the comparison sets an upper bound.
    var isUpper: Bool { self != .greater && self != .greaterOrEqual }
  }

  private var lower = Int64.min
  private var upper = Int64.max
  private var isEmpty = false

  /// The range of values of the first column that may match the query; `nil` if none can match.
  var numbers: ClosedRange<Int64>? { isEmpty || lower > upper ? nil : lower...upper }

  /// Narrows the range to values of the first column that may satisfy a comparison with `value`.
  mutating func limit(_ comparison: Comparison, to value: OpaquePointer?) {
    switch sqlite3_value_numeric_type(value) {
    case SQLITE_INTEGER: limit(comparison, to: sqlite3_value_int64(value))
    case SQLITE_FLOAT: limit(comparison, to: sqlite3_value_double(value))
    case SQLITE_NULL: isEmpty = true
    default: break
    }
  }

  private mutating func limit(_ comparison: Comparison, to value: Int64) {
    let isExclusive = comparison == .greater || comparison == .less
    if comparison.isLower {
      isEmpty = isEmpty || isExclusive && value == .max
      lower = max(lower, isExclusive ? value &+ 1 : value)
    }
    if comparison.isUpper {
      isEmpty = isEmpty || isExclusive && value == .min
      upper = min(upper, isExclusive ? value &- 1 : value)
    }
  }

  /// Limits the range by a double; if it is fractional, both neighboring integers remain included.
  private mutating func limit(_ comparison: Comparison, to value: Double) {
    if comparison.isLower { lower = max(lower, Int64(exactly: value.rounded(.down)) ?? .min) }
    if comparison.isUpper { upper = min(upper, Int64(exactly: value.rounded(.up)) ?? .max) }
  }
}
