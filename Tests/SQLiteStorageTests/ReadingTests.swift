import SQLiteStorage
import TestSupport
import Testing

/// A statement from outside can only read.
@Suite final class ReadingTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.path("a"))
    try connection.execute(
      "CREATE TABLE t(a UNIQUE, secret); INSERT INTO t VALUES(1, 'x'), (2, 'y')"
    )
  }

  private func count(_ sql: String) throws -> Int {
    let query = try Statement(connection, reading: sql) { _, _ in false }
    var count = 0
    while try query.step() { count += 1 }
    return count
  }

  @Test(arguments: [
    ("SELECT * FROM t", 2), ("SELECT upper(secret), count(*) FROM t", 1), ("VALUES(1), (2);", 2),
    (
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n",
      9
    ),
    ("SELECT name FROM sqlite_master; -- all", 2), ("SELECT name FROM pragma_table_info('t')", 2),
  ])
  func `Queries return rows`(sql: String, rows: Int) throws {
    #expect(try count(sql) == rows)
  }

  @Test(arguments: [
    "DELETE FROM t", "INSERT INTO t VALUES(3, 'z')", "UPDATE t SET a = 0", "DROP TABLE t",
    "CREATE TEMP TABLE u(a)", "ATTACH ':memory:' AS b", "VACUUM INTO ':memory:'",
    "PRAGMA writable_schema=ON", "UPDATE sqlite_master SET sql = ''", "PRAGMA user_version=7",
    "PRAGMA journal_mode=DELETE", "BEGIN IMMEDIATE", "REINDEX", "ANALYZE",
    "SELECT 1; DELETE FROM t", "SELECT 1; SELECT 2", "SELECT 1; nonsense",
  ])
  func `Statements other than queries are refused without effect`(sql: String) throws {
    let error = try #require(throws: SQLiteError.self) { try count(sql) }
    #expect(
      error.message.hasPrefix("a query ") || error.message.contains("sqlite_master"),
      "\(error)"
    )
    #expect(try connection.integer("SELECT count(*) + sum(a) FROM t") == 5)
    #expect(try folder.names() == ["a"])
    // A refusal applies to one statement, not to the next.
    try connection.execute("UPDATE t SET a = a")
  }

  @Test func `A hidden column is null wherever it is named`() throws {
    let query = try Statement(connection, reading: "SELECT secret, a FROM t WHERE secret IS NULL") {
      $0 == "t" && $1 == "secret"
    }
    let isThere = try query.step()
    let (isNull, number) = (query.isNull(0), query.int(1))
    #expect(isThere && isNull && number == 1)
  }

  @Test func `Empty SQL and values without a parameter are reported`() throws {
    for sql in ["", "  -- nothing", ";"] {
      let error = try #require(throws: SQLiteError.self) { try count(sql) }
      #expect(error.message == "the text contains no SQL statement")
    }
    let query = try Statement(connection, reading: "SELECT ?, ?") { _, _ in false }
    try query.checkPlaces(2)
    let error = try #require(throws: SQLiteError.self) { try query.checkPlaces(1) }
    #expect(error.message == "the number of values is 1, but the query has 2 placeholders (`?`)")
  }
}
