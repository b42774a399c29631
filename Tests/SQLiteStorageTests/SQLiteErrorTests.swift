import SQLiteStorage
import TestSupport
import Testing

@Suite struct SQLiteErrorTests {
  @Test(
    arguments: [
      (5, .busy), (261, .busy), (517, .busy), (6, .busy), (15, .busy), (13, .full), (10, .io),
      (778, .io), (11, .corrupt), (26, .notADatabase), (8, .readOnly), (1032, .readOnly),
      (3, .readOnly), (14, .cannotOpen), (19, .constraint), (2067, .constraint), (7, .noMemory),
      (1, .other), (21, .other),
    ] as [(Int32, SQLiteError.Cause)]
  )
  func `Every result code has its cause, extended ones too`(
    code: Int32,
    cause: SQLiteError.Cause
  ) {
    #expect(SQLiteError(code: code, message: "", sql: "").cause == cause)
  }

  @Test func `A failed statement names its SQL and code but none of its values`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.path("a"))
    try connection.execute("CREATE TABLE t(a TEXT UNIQUE)")
    let insert = try Statement(connection, "INSERT INTO t VALUES(?1)")
    insert.bind("secret", at: 1)
    try insert.run()
    let error = try #require(throws: SQLiteError.self) { try insert.run() }
    #expect(error.cause == .constraint)
    #expect(error.code == 2067)
    #expect(error.sql == "INSERT INTO t VALUES(?1)")
    #expect(
      error.description
        == "SQLite reports \"UNIQUE constraint failed: t.a\" (code 2067) at: INSERT INTO t VALUES(?1)."
    )
    #expect(!error.description.contains("secret"))
  }

  @Test(
    arguments: [
      (5, "try again"), (13, "Free some space"), (10, "check it and try again"),
      (11, "restore it from a copy"), (26, "not an SQLite database"), (8, "permissions"),
      (14, "folder exists"),
    ] as [(Int32, String)]
  )
  func `Messages include a suggestion`(code: Int32, advice: String) {
    let error = SQLiteError(code: code, message: "words", sql: "SELECT 1")
    #expect(error.description.hasPrefix("SQLite reports \"words\" (code \(code)) at: SELECT 1. "))
    #expect(error.description.contains(advice))
  }

  @Test func `SQL with an error is refused with its text`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.path("a"))
    let error = try #require(throws: SQLiteError.self) {
      _ = try Statement(connection, "SELECT a FROM nowhere")
    }
    #expect(error.cause == .other)
    #expect(error.message == "no such table: nowhere")
    #expect(error.sql == "SELECT a FROM nowhere")
  }

  @Test func `SQL without a statement in it is refused`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.path("a"))
    let error = try #require(throws: SQLiteError.self) { _ = try Statement(connection, " -- ") }
    #expect(error.code == 21)
    #expect(error.message == "the text contains no SQL statement")
  }
}
