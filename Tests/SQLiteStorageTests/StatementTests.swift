import SQLiteStorage
import TestSupport
import Testing

@Suite struct StatementTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: ["", "a", "naïve 🐟", "before\u{0}after", String(repeating: "x", count: 9999)])
  func `Text is read back as it was bound, copied or borrowed`(text: String) throws {
    let connection = try Connection(path: folder.path("a"))
    let echo = try Statement(connection, "SELECT ?1, ?2")
    echo.bind(text, at: 1)
    var copy = text
    let answers = try copy.withUTF8 { bytes in
      echo.bind(borrowedText: UnsafeRawBufferPointer(bytes), at: 2)
      guard try echo.step() else { return [String?]() }
      #expect(echo.storage(0) == .text)
      #expect(echo.storage(1) == .text)
      return [echo.text(0), echo.text(1)]
    }
    #expect(answers == [text, text])
  }

  @Test(arguments: [[], [0], [1, 2, 3], Array(repeating: 0xff, count: 5000)] as [[UInt8]])
  func `Bytes are read back as they were bound, and empty ones are not null`(bytes: [UInt8]) throws
  {
    let connection = try Connection(path: folder.path("a"))
    let echo = try Statement(connection, "SELECT ?1, ?2")
    try bytes.withUnsafeBytes { buffer in
      echo.bind(copying: buffer, at: 1)
      echo.bind(borrowed: buffer, at: 2)
      let isThere = try echo.step()
      #expect(isThere)
      #expect(echo.storage(0) == .blob)
      #expect(Array(echo.bytes(0)) == bytes)
      #expect(echo.storage(1) == .blob)
      #expect(Array(echo.bytes(1)) == bytes)
    }
  }

  @Test func `Numbers and null are read back as they were bound`() throws {
    let connection = try Connection(path: folder.path("a"))
    let echo = try Statement(connection, "SELECT ?1, ?2, ?3, ?4")
    echo.bind(Int64.min, at: 1)
    echo.bind(-Double.infinity, at: 2)
    echo.bindNull(at: 3)
    echo.bind(nil as String?, at: 4)
    #expect(try echo.step() == true)
    #expect(echo.int(0) == .min)
    #expect(echo.storage(0) == .integer)
    #expect(echo.real(1) == -.infinity)
    #expect(echo.storage(1) == .real)
    #expect(echo.isNull(2) == true)
    #expect(echo.isNull(3) == true)
    #expect(echo.text(3) == nil)
    #expect(echo.columnCount == 4)
    #expect(echo.name(0) == "?1")
  }

  @Test func `Bound values are kept until they are bound again`() throws {
    let connection = try Connection(path: folder.path("a"))
    try connection.execute("CREATE TABLE t(a, b)")
    let insert = try Statement(connection, "INSERT INTO t VALUES(?1, ?2)")
    insert.bind(1 as Int64, at: 1)
    insert.bind("kept", at: 2)
    try insert.run()
    insert.bind(2 as Int64, at: 1)
    try insert.run()
    #expect(try connection.integer("SELECT count(*) FROM t WHERE b = 'kept'") == 2)
    #expect(connection.lastInsertedKey == 2)
    #expect(connection.changes == 1)
  }

  @Test func `A failed step resets the statement for reuse`() throws {
    let connection = try Connection(path: folder.path("a"))
    try connection.execute("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1)")
    let insert = try Statement(connection, "INSERT INTO t VALUES(?1)")
    insert.bind(1 as Int64, at: 1)
    #expect(throws: SQLiteError.self) { _ = try insert.step() }
    insert.bind(2 as Int64, at: 1)
    try insert.run()
    #expect(try connection.integer("SELECT count(*) FROM t") == 2)
  }

  @Test func `Work is counted in steps of SQLite's virtual machine`() throws {
    let connection = try Connection(path: folder.path("a"))
    try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2), (3)")
    let scan = try Statement(connection, "SELECT sum(a) FROM t")
    try scan.run()
    let steps = scan.takeSteps()
    #expect(steps > 0)
    try connection.execute("INSERT INTO t SELECT a FROM t")
    try scan.run()
    #expect(scan.takeSteps() > steps)
    #expect(scan.takeSteps() == 0)
  }
}
