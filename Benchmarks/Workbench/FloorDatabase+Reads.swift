import BenchmarkFloor

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

  /// Reads all items, sorted by their keys, into memory that has room for them.
  ///
  /// - Returns: the number of items.
  func allRows(into rows: UnsafeMutableBufferPointer<FloorRow>) throws(FloorError) -> Int {
    guard let room = rows.baseAddress else { return 0 }
    var found: Int64 = 0
    try check(floor_all_rows(floor, room, Int64(rows.count), &found))
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
