import SQLiteStorage
import TestSupport
import Testing

/// The numbers from 1 to 1000; the last digit is the number of places.
private final class NumberRows: TableRows {
  /// The number of rows that all scans have read.
  final class Work {
    var ranges: [ClosedRange<Int64>] = []
    var rowCount = 0
  }
  struct Unlucky: Error, CustomStringConvertible {
    var description: String { "there is no 13" }
  }

  private let work: Work
  private let breaksAt: Int64
  private var number: Int64 = 0
  private var last: Int64 = 0
  private var place: Int64 = 0

  init(_ work: Work, breaksAt: Int64 = 0) {
    self.work = work
    self.breaksAt = breaksAt
  }

  func start(in numbers: ClosedRange<Int64>) throws {
    work.ranges.append(numbers)
    (number, last) = (max(numbers.lowerBound, 1) - 1, min(numbers.upperBound, 1000))
    place = 10
  }

  func next() throws -> Bool {
    place += 1
    while number < 1 || place >= number % 10 {
      guard number < last else { return false }
      (number, place) = (number + 1, 0)
    }
    if number == breaksAt { throw Unlucky() }
    work.rowCount += 1
    return true
  }

  func give(_ column: Int32, to answer: ColumnAnswer) {
    switch column {
    case 0: answer.set(number)
    case 1: answer.set(place)
    case 2: answer.set(Double(number) / 2)
    case 3: answer.set("n\(number) ü")
    case 4: answer.set(String?.none)
    default: break
    }
  }
}

@Suite final class TableTests {
  private static let table = TableDescription(
    name: "numbers",
    columns: ["number INTEGER", "place INTEGER", "half REAL", "name TEXT", "none TEXT", "no"],
    keyCount: 2
  )
  private let folder: TemporaryFolder
  private let connection: Connection
  private let work = NumberRows.Work()

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.path("a"))
  }

  private func answer(_ sql: String, breaksAt: Int64 = 0) throws -> [String] {
    try connection.withTable(Self.table) { [work] in
      NumberRows(work, breaksAt: breaksAt)
    } _: {
      let query = try Statement(connection, sql)
      var rows: [String] = []
      while try query.step() {
        rows.append((0..<query.columnCount).map { query.text($0) ?? "-" }.joined(separator: " "))
      }
      return rows
    }
  }

  @Test func `Every column has its value`() throws {
    #expect(
      try answer("SELECT * FROM numbers WHERE number BETWEEN 10 AND 12")
        == ["11 0 5.5 n11 ü - -", "12 0 6.0 n12 ü - -", "12 1 6.0 n12 ü - -"]
    )
    let sum = (1...1000).reduce(0) { $0 + $1 * ($1 % 10) }
    #expect(try answer("SELECT count(*), sum(number) FROM numbers") == ["4500 \(sum)"])
  }

  @Test(arguments: [
    ("number > 990", 991...Int64.max), ("number >= 990", 990...Int64.max),
    ("number < 4", Int64.min...3), ("4 >= number", Int64.min...4), ("number = 7", 7...7),
    ("number > 5 AND number < 9 AND number > 6", 7...8), ("number > 5.5", 5...Int64.max),
    ("number <= 5.5", Int64.min...6), ("number > '8'", 9...Int64.max),
    ("number > 1e300", Int64.min...Int64.max), ("number > 'x'", Int64.min...Int64.max),
    ("number + 0 > 990", Int64.min...Int64.max), ("place = 3", Int64.min...Int64.max),
  ])
  func `Only rows that match a comparison with the first column are read`(
    condition: String,
    range: ClosedRange<Int64>
  ) throws {
    let found = try answer("SELECT number FROM numbers WHERE \(condition)")
    #expect(work.ranges == [range])
    let other = try answer(
      """
      SELECT number FROM (WITH RECURSIVE n(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < 1000),
        p(place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM p WHERE place < 8)
      SELECT CAST(number AS INTEGER) AS number, place FROM n, p WHERE place < n.number % 10)
      WHERE \(condition) ORDER BY number, place
      """
    )
    #expect(found == other)
  }

  @Test(arguments: [
    "number > NULL", "number > 9223372036854775807", "number < -9223372036854775808",
    "number > 5 AND number < 6", "number = 5 AND number = 6", "number = 5.5 AND number = 8",
  ])
  func `No row is read where none can match`(condition: String) throws {
    #expect(try answer("SELECT * FROM numbers WHERE \(condition)") == [])
    #expect(work.rowCount == 0)
  }

  @Test func `A query that ends early reads no more, and a query in order does not sort`() throws {
    #expect(try answer("SELECT number FROM numbers ORDER BY number, place LIMIT 2") == ["1", "2"])
    #expect(work.rowCount == 2)
    let plan = try answer("EXPLAIN QUERY PLAN SELECT * FROM numbers ORDER BY number, place")
    #expect(!plan.contains { $0.contains("TEMP B-TREE") })
    for order in ["number DESC", "place", "number, place, name", "number, name"] {
      let sorted = try answer("EXPLAIN QUERY PLAN SELECT * FROM numbers ORDER BY \(order)")
      #expect(sorted.contains { $0.contains("TEMP B-TREE") }, "\(order)")
    }
    let last = try answer("SELECT number, place FROM numbers ORDER BY number DESC, place LIMIT 1")
    #expect(last == ["999 0"])
  }

  @Test func `A row that matches two conditions is returned once`() throws {
    let sql = "SELECT number, place FROM numbers WHERE number = 3 OR number = 2 OR number < 3"
    #expect(try Set(answer(sql)) == ["1 0", "2 0", "2 1", "3 0", "3 1", "3 2"])
    #expect(try answer(sql).count == 6)
  }

  @Test func `A table joins with itself and with others, by its number`() throws {
    try connection.execute("CREATE TABLE t(n INTEGER PRIMARY KEY); INSERT INTO t VALUES(5), (998)")
    let sql = "SELECT count(*) FROM t JOIN numbers ON number = n"
    #expect(try answer(sql) == ["13"])
    #expect(work.rowCount == 13)
    let twice = """
      SELECT count(*) FROM numbers a JOIN numbers b ON b.number = a.number WHERE a.number < 5
      """
    #expect(try answer(twice) == ["30"])
  }

  @Test func `An error of the rows is rethrown, and the table can be read again`() throws {
    #expect(throws: NumberRows.Unlucky.self) {
      try answer("SELECT * FROM numbers", breaksAt: 13)
    }
    #expect(try answer("SELECT count(*) FROM numbers WHERE number < 13", breaksAt: 13) == ["48"])
    let error = try #require(throws: SQLiteError.self) { try answer("SELECT nme FROM numbers") }
    #expect(error.message == "no such column: nme")
  }

  @Test func `SQLite receives the message of the rows' error`() throws {
    try connection.withTable(Self.table) { [work] in
      NumberRows(work, breaksAt: 2)
    } _: {
      let query = try Statement(connection, "SELECT * FROM numbers")
      let isThere = try query.step()
      #expect(isThere)
      let error = try #require(throws: SQLiteError.self) { try query.step() }
      #expect(error.message == "there is no 13")
    }
  }

  @Test func `The table exists only within the closure and is read-only`() throws {
    #expect(try answer("SELECT count(*) FROM numbers WHERE number = 5") == ["5"])
    let gone = try #require(throws: SQLiteError.self) {
      try connection.integer("SELECT count(*) FROM numbers")
    }
    #expect(gone.message == "no such table: numbers")
    #expect(throws: SQLiteError.self) { try answer("DELETE FROM numbers") }
    #expect(throws: SQLiteError.self) { try answer("CREATE VIRTUAL TABLE n USING numbers") }
  }
}
