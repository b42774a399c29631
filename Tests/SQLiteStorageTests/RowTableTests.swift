import SQLiteStorage
import TestSupport
import Testing

@Suite struct RowTableTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let kinds: [RowBlock.Kind] = [.integer, .real, .text, .blob]

  /// Appends a row with an integer, a double, text and bytes; `nil` leaves null.
  private func append(
    _ key: Int64,
    _ integer: Int64?,
    _ real: Double?,
    _ text: String?,
    _ bytes: [UInt8]?,
    to rows: UnsafeMutablePointer<RowBlock>
  ) {
    var columns: UInt64 = 0
    if let integer {
      rows.pointee.set(integer, at: 0)
      columns |= 1
    }
    if let real {
      rows.pointee.set(real, at: 1)
      columns |= 2
    }
    if var text {
      text.withUTF8 { rows.pointee.set(UnsafeRawBufferPointer($0), at: 2) }
      columns |= 4
    }
    if let bytes {
      bytes.withUnsafeBytes { rows.pointee.set($0, at: 3) }
      columns |= 8
    }
    rows.pointee.endRow(key: key, columns: columns)
  }

  private func fill(_ rows: UnsafeMutablePointer<RowBlock>) {
    append(7, -1, 0.5, "é", [1, 0, 2], to: rows)
    append(9, nil, nil, nil, nil, to: rows)
    append(12, .max, -3, "", [], to: rows)
  }

  /// Returns every value of a query with its type, row by row.
  private func quoted(_ query: borrowing Statement) throws -> [String] {
    var rows: [String] = []
    while try query.step() {
      rows.append((0..<query.columnCount).map { query.text($0) ?? "-" }.joined(separator: " "))
    }
    query.reset()
    return rows
  }

  @Test func `A table has the rows with their types, and null where no value was set`() throws {
    let connection = try Connection(path: folder.path("a"))
    let table = RowTable(Self.kinds)
    try table.show(as: "shown", connection)
    let query = try Statement(
      connection,
      "SELECT key, quote(c0), quote(c1), quote(c2), quote(c3) FROM shown"
    )
    #expect(try quoted(query).isEmpty)
    fill(table.block)
    let rows = ["7 -1 0.5 'é' X'010002'", "9 NULL NULL NULL NULL", "12 \(Int64.max) -3.0 '' X''"]
    #expect(try quoted(query) == rows)
    table.block.pointee.removeAll()
    #expect(try quoted(query).isEmpty)
    append(1, 1, nil, "again", nil, to: table.block)
    #expect(try quoted(query) == ["1 1 NULL 'again' NULL"])
  }

  @Test func `A function returns the values of the rows with rising keys`() throws {
    let connection = try Connection(path: folder.path("a"))
    let table = RowTable(Self.kinds)
    try table.showValues(as: "shown", connection)
    fill(table.block)
    let query = try Statement(
      connection,
      """
      SELECT column1, quote(shown(column1, 0)), quote(shown(column1, 1)), quote(shown(column1, 2)),
        quote(shown(column1, 3)) FROM (VALUES(1), (7), (8), (9), (12), (13))
      """
    )
    let none = "NULL NULL NULL NULL"
    let rows = [
      "1 \(none)", "7 -1 0.5 'é' X'010002'", "8 \(none)", "9 \(none)",
      "12 \(Int64.max) -3.0 '' X''", "13 \(none)",
    ]
    table.block.pointee.read(from: 0)
    #expect(try quoted(query) == rows)
    table.block.pointee.read(from: 2)
    #expect(try quoted(query).filter { !$0.hasSuffix(none) } == ["12 \(Int64.max) -3.0 '' X''"])
  }

  @Test func `Values are bound by the position of their columns`() throws {
    let connection = try Connection(path: folder.path("a"))
    let table = RowTable(Self.kinds)
    fill(table.block)
    let query = try Statement(connection, "SELECT quote(?2), quote(?3), quote(?4), quote(?5)")
    let bound = try (0..<3).flatMap { row in
      table.block.pointee.bind(row, 0b1111, to: query, at: 2)
      return try quoted(query)
    }
    let last = "\(Int64.max) -3.0 '' X''"
    #expect(bound == ["-1 0.5 'é' X'010002'", "NULL NULL NULL NULL", last])
    table.block.pointee.bind(0, 0b0101, to: query, at: 2)
    #expect(try quoted(query) == ["-1 -3.0 'é' X''"])
  }

  @Test func `A block has a limit on rows and on bytes, and reports where keys stop rising`() {
    let table = RowTable(Self.kinds)
    var count = 0
    while !isFull(table) {
      append(Int64(count % 100), 1, nil, nil, nil, to: table.block)
      count += 1
    }
    #expect(count == 256)
    let ends = [0, 1, 100, 250].map { table.block.pointee.risingEnd(from: $0) }
    #expect(ends == [100, 100, 200, 256])
    table.block.pointee.removeAll()
    #expect(!isFull(table))
    let long = String(repeating: "x", count: 100_000)
    for key in 0..<3 { append(Int64(key), nil, nil, long, nil, to: table.block) }
    #expect(isFull(table))
  }

  private func isFull(_ table: RowTable) -> Bool { table.block.pointee.isFull }
}
