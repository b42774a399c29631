import BenchmarkFloor
import SQLiteStorage

/// Raw SQLite in C on one file, closed when the last reference to it is released.
final class FloorDatabase {
  let floor: OpaquePointer

  /// Opens a file created by a store, with the settings of the store's own connections.
  init(path: String) throws(FloorError) {
    var opened: OpaquePointer?
    let code = floor_open(path, ConnectionOptions().pragmas, &opened)
    guard let opened else { throw FloorError(code: code, message: "out of memory") }
    guard code == 0 else {
      let error = FloorError(code: code, message: String(cString: floor_message(opened)))
      floor_close(opened)
      throw error
    }
    floor = opened
  }

  deinit { floor_close(floor) }

  // MARK: Rows

  /// Inserts rows of the sample entity `Slip`, with consecutive keys from `firstKey` on.
  func insert(
    _ items: UnsafeBufferPointer<FloorItem>,
    firstKey: Int64,
    version: Int64,
    by plan: WritePlan = .rowByRow
  ) throws(FloorError) {
    guard let start = items.baseAddress else { return }
    let count = Int64(items.count)
    try check(
      plan.many.map { floor_insert_many(floor, $0, start, count, firstKey, version) }
        ?? floor_insert(floor, start, count, firstKey, version)
    )
  }

  /// Sets quantity and price of the `Slip` objects of a kind, with one statement.
  @discardableResult
  func update(
    kind: Int64,
    version: Int64,
    quantity: Int64,
    price: Double
  ) throws(FloorError) -> Int64 {
    var changed: Int64 = 0
    try check(floor_update(floor, kind, version, quantity, price, &changed))
    return changed
  }

  /// Deletes the `Slip` objects of a kind, with one statement.
  @discardableResult
  func delete(kind: Int64) throws(FloorError) -> Int64 {
    var changed: Int64 = 0
    try check(floor_delete(floor, kind, &changed))
    return changed
  }

  /// Sets quantity and price of `Slip` objects by their keys.
  func updateSlips(
    firstKey: Int64,
    count: Int,
    version: Int64,
    quantity: Int64,
    price: Double,
    by plan: WritePlan = .rowByRow
  ) throws(FloorError) {
    let count = Int64(count)
    try check(
      plan.many.map { floor_update_many(floor, $0, firstKey, count, version, quantity, price) }
        ?? floor_update_slips(floor, firstKey, count, version, quantity, price)
    )
  }

  /// Deletes `Slip` objects by their keys.
  func deleteSlips(
    firstKey: Int64,
    count: Int,
    by plan: WritePlan = .rowByRow
  ) throws(FloorError) -> Int64 {
    var deleted: Int64 = 0
    try check(
      plan.many.map { floor_delete_many(floor, $0, firstKey, Int64(count), &deleted) }
        ?? floor_delete_slips(floor, firstKey, Int64(count), &deleted)
    )
    return deleted
  }

  /// Sets quantity and price of items by their keys, with one statement each.
  func updateItems(
    _ keys: UnsafeBufferPointer<Int64>,
    version: Int64,
    quantity: Int64,
    price: Double
  ) throws(FloorError) {
    guard let start = keys.baseAddress else { return }
    try check(
      floor_update_items(floor, start, Int64(keys.count), version, quantity, price)
    )
  }

  /// Reads the items with the given sorted keys into memory that has room for one row per key.
  ///
  /// - Returns: the number of items found.
  func rows(
    _ keys: [Int64],
    into rows: UnsafeMutableBufferPointer<FloorRow>
  ) throws(FloorError) -> Int {
    guard let room = rows.baseAddress, keys.count <= rows.count else { return 0 }
    var found: Int64 = 0
    let code = keys.withUnsafeBufferPointer { keys in
      keys.baseAddress.map { floor_rows(floor, $0, Int64(keys.count), room, &found) } ?? 0
    }
    try check(code)
    return Int(found)
  }

  // MARK: History

  /// Fetches a page of transactions, and passes it to a closure before freeing it.
  func fetch<Result>(
    after number: Int64,
    limit: Int,
    _ body: (borrowing FloorPage) -> Result
  ) throws(FloorError) -> Result {
    var page = FloorPage()
    defer { floor_page_free(&page) }
    try check(floor_fetch(floor, number, Int64(limit), &page))
    return body(page)
  }

  /// Deletes the transactions up to and including a number.
  func purge(through number: Int64) throws(FloorError) -> Int64 {
    var deleted: Int64 = 0
    try check(floor_purge(floor, number, &deleted))
    return deleted
  }

  // MARK: Members

  /// Sets a member's cursor.
  func record(
    _ member: String,
    cursor: Int64,
    mark: Int64,
    seen: Double
  ) throws(FloorError) {
    try check(floor_record(floor, member, cursor, mark, seen))
  }

  /// Gives a launch of a member the next epoch number, and returns it.
  ///
  /// A later launch has a higher epoch.
  func join(_ member: String, seen: Double) throws(FloorError) -> Int64 {
    var epoch: Int64 = 0
    try check(floor_join(floor, member, seen, &epoch))
    return epoch
  }

  /// Throws an error if a result code of the C code is not 0.
  func check(_ code: Int32) throws(FloorError) {
    guard code == 0 else {
      throw FloorError(code: code, message: String(cString: floor_message(floor)))
    }
  }
}

/// An SQLite error in the C code with which benchmarks compare the store.
struct FloorError: Error, Hashable, CustomStringConvertible {
  /// SQLite's extended result code.
  let code: Int32
  let message: String

  /// A message with the failure and a suggestion.
  var description: String {
    "The C code of the benchmarks failed with SQLite's code \(code) (\(message)). Check the free "
      + "space and the permissions of the folder that the benchmarks use."
  }
}

extension FloorDatabase {
  /// Fetches a page of one author's transactions, and passes it to a closure before freeing it.
  func fetch<Result>(
    author: String,
    after number: Int64,
    limit: Int,
    _ body: (borrowing FloorPage) -> Result
  ) throws(FloorError) -> Result {
    var page = FloorPage()
    defer { floor_page_free(&page) }
    try check(floor_fetch_author(floor, number, Int64(limit), author, &page))
    return body(page)
  }

  /// Fetches a page of an entity's transactions, and passes it to a closure before freeing it.
  func fetch<Result>(
    entity: Int32,
    after number: Int64,
    limit: Int,
    _ body: (borrowing FloorPage) -> Result
  ) throws(FloorError) -> Result {
    var page = FloorPage()
    defer { floor_page_free(&page) }
    try check(floor_fetch_entity(floor, number, Int64(limit), Int64(entity), &page))
    return body(page)
  }

  /// Returns the number of the newest transaction.
  func head() throws(FloorError) -> Int64 {
    var number: Int64 = 0
    try check(floor_head(floor, &number))
    return number
  }

  /// Reads all items, sorted by key, into memory that has room for all of them.
  ///
  /// - Returns: the number of items.
  func allRows(into rows: UnsafeMutableBufferPointer<FloorRow>) throws(FloorError) -> Int {
    guard let room = rows.baseAddress else { return 0 }
    var found: Int64 = 0
    try check(floor_all_rows(floor, room, Int64(rows.count), &found))
    return Int(found)
  }

  /// Reads the first items, sorted by quantity, that have at least a given quantity.
  ///
  /// The rows are written to `rows`, whose size is the maximum number of items.
  ///
  /// - Returns: the number of items found.
  func rows(
    from quantity: Int64,
    into rows: UnsafeMutableBufferPointer<FloorRow>
  ) throws(FloorError) -> Int {
    guard let room = rows.baseAddress else { return 0 }
    var found: Int64 = 0
    try check(floor_rows_from(floor, quantity, room, Int64(rows.count), &found))
    return Int(found)
  }

  /// Reads all items and compares them with known rows.
  ///
  /// - Returns: the number of rows written to `rows` because they are new or differ, and the number
  ///   of known rows that are gone.
  func compare(
    with known: [FloorRow],
    into rows: UnsafeMutableBufferPointer<FloorRow>
  ) throws(FloorError) -> (differing: Int, gone: Int) {
    guard let room = rows.baseAddress else { return (0, 0) }
    var (written, gone): (Int64, Int64) = (0, 0)
    let code = known.withUnsafeBufferPointer { known in
      known.baseAddress.map {
        floor_compare(floor, $0, Int64(known.count), room, Int64(rows.count), &written, &gone)
      } ?? 0
    }
    try check(code)
    return (Int(written), Int(gone))
  }

  /// Returns the least cursor of all members, read within a write transaction.
  func watermark() throws(FloorError) -> Int64 {
    var least: Int64 = 0
    try check(floor_watermark(floor, &least))
    return least
  }
}

extension PeerKind {
  /// The measured alternatives to this library for recording changes, with their names in results.
  static let all: [(kind: PeerKind, name: String)] = [
    (PEER_TRIGGERS, "SQL triggers"), session, (PEER_HISTORY_TABLE, "sqlite-history"),
  ]

  /// SQLite's session extension, the only alternative whose reads are also measured.
  static let session: (kind: PeerKind, name: String) = (PEER_SESSION, "session extension")
}

extension FloorDatabase {
  /// Makes a peer (an alternative to this library) record the writes to a table from now on.
  ///
  /// Attach at most one peer to a database.
  ///
  /// - Throws: ``FloorError`` if the peer's tables cannot be created.
  func attach(_ peer: PeerKind, to table: String) throws(FloorError) {
    try check(peer_attach(floor, peer, table))
  }

  /// Applies changes, in one transaction, to the table that was passed to ``attach(_:to:)``.
  func apply(_ changes: [FloorChange], version: Int64) throws(FloorError) {
    let code = changes.withUnsafeBufferPointer { changes in
      changes.baseAddress.map { peer_apply(floor, $0, Int64(changes.count), version) } ?? 0
    }
    try check(code)
  }

  /// Passes the changes that the attached peer recorded after a transaction to a closure.
  ///
  /// A peer is an alternative to this library, such as SQL triggers. The page of changes is freed
  /// when the closure returns.
  func fetchRecorded<Result>(
    after number: Int64,
    _ body: (borrowing FloorPage) -> Result
  ) throws(FloorError) -> Result {
    var page = FloorPage()
    defer { floor_page_free(&page) }
    try check(peer_fetch(floor, number, &page))
    return body(page)
  }

  /// The number of the newest transaction that the attached peer, such as SQL triggers, recorded.
  var lastRecorded: Int64 { peer_last(floor) }

  /// Deletes all changes that the attached peer, such as SQL triggers, has recorded.
  func clearRecorded() throws(FloorError) { try check(peer_clear(floor)) }
}

/// The ways in which plain SQLite inserts, updates or deletes many rows by their keys.
enum WritePlan: CaseIterable {
  /// Executes one statement (insert, update or delete) for each row.
  case rowByRow
  /// Writes all rows with one statement, whose parameters are the values of the rows.
  case values
  /// Writes all rows with one statement, which reads the values from a virtual table.
  case table

  /// The name in results of plain SQLite that writes rows in this way.
  var contender: String {
    switch self {
    case .rowByRow: MeasuredWork.floor
    case .values: "SQLite, VALUES"
    case .table: "SQLite, virtual table"
    }
  }

  /// The C constant for this way to write many rows with one statement; `nil` for ``rowByRow``.
  fileprivate var many: FloorPlan? {
    switch self {
    case .rowByRow: nil
    case .values: FLOOR_VALUES
    case .table: FLOOR_TABLE
    }
  }
}
