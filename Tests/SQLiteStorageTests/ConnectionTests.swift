import Foundation
import SQLiteStorage
import TestSupport
import Testing

@Suite struct ConnectionTests {
  @Test func `Every pragma is set as specified, whatever the build's defaults are`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.path("a"))
    try connection.execute("PRAGMA journal_mode=WAL")
    let expected = [
      "synchronous": 1, "cache_size": -65536, "secure_delete": 0, "temp_store": 2,
      "journal_size_limit": 67_108_864, "wal_autocheckpoint": 0,
      "trusted_schema": 0,
    ]
    for (name, value) in expected {
      #expect(try connection.integer("PRAGMA \(name)") == Int64(value), "\(name)")
    }
    #expect(connection.busyTimeoutMs == 5000)
  }

  @Test func `Connection options are passed on to SQLite`() throws {
    let folder = try TemporaryFolder()
    var options = ConnectionOptions()
    options.synchronous = .full
    options.cacheSizeKiB = 100
    options.busyTimeoutMs = 7
    let connection = try Connection(path: folder.path("a"), options)
    #expect(try connection.integer("PRAGMA synchronous") == 2)
    #expect(try connection.integer("PRAGMA cache_size") == -100)
    #expect(connection.busyTimeoutMs == 7)
  }

  @Test func `A second writer that does not wait gets a busy error at once`() throws {
    let folder = try TemporaryFolder()
    var options = ConnectionOptions()
    options.busyTimeoutMs = 0
    let first = try Connection(path: folder.path("a"), options)
    try first.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a)")
    let second = try Connection(path: folder.path("a"), options)
    let transactions = try TransactionStatements(second)
    try first.execute("BEGIN IMMEDIATE")
    let error = try #require(throws: SQLiteError.self) { try transactions.write(second) {} }
    #expect(error.cause == .busy)
    #expect(try transactions.read(second) { try second.integer("SELECT count(*) FROM t") } == 0)
    try first.execute("COMMIT")
    try transactions.write(second) { try second.execute("INSERT INTO t VALUES(1)") }
    #expect(try first.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func `A write whose closure throws leaves no rows and no open transaction`() throws {
    struct Stop: Error {}
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.path("a"))
    try connection.execute("CREATE TABLE t(a)")
    let transactions = try TransactionStatements(connection)
    #expect(throws: Stop.self) {
      try transactions.write(connection) {
        try connection.execute("INSERT INTO t VALUES(1)")
        #expect(connection.isInTransaction == true)
        throw Stop()
      }
    }
    #expect(connection.isInTransaction == false)
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
  }

  @Test func `A nested write is refused, and the outer one continues`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.path("a"))
    try connection.execute("CREATE TABLE t(a)")
    let transactions = try TransactionStatements(connection)
    try transactions.write(connection) {
      #expect(throws: SQLiteError.self) { try transactions.write(connection) {} }
      try connection.execute("INSERT INTO t VALUES(1)")
    }
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func `A read transaction sees one snapshot`() throws {
    let folder = try TemporaryFolder()
    let writer = try Connection(path: folder.path("a"))
    try writer.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a)")
    let reader = try Connection(path: folder.path("a"))
    let transactions = try TransactionStatements(reader)
    try transactions.read(reader) {
      #expect(try reader.integer("SELECT count(*) FROM t") == 0)
      try writer.execute("INSERT INTO t VALUES(1)")
      #expect(try reader.integer("SELECT count(*) FROM t") == 0)
    }
    #expect(try reader.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func `Leaving the scope closes the connection and its log`() throws {
    let folder = try TemporaryFolder()
    try {
      let connection = try Connection(path: folder.path("a"))
      try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a)")
      let statement = try Statement(connection, "SELECT * FROM t")
      #expect(try statement.step() == false)
      #expect(try folder.names() == ["a", "a-shm", "a-wal"])
    }()
    #expect(try folder.names() == ["a"])
  }

  @Test func `A statement may be finalized after its connection`() throws {
    let folder = try TemporaryFolder()
    try {
      let statement = try statementOfClosedConnection(folder.path("a"))
      #expect(try statement.step() == true)
      #expect(statement.int(0) == 7)
    }()
    #expect(try folder.names() == ["a"])
  }

  private func statementOfClosedConnection(_ path: String) throws -> Statement {
    let connection = try Connection(path: path)
    try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(7)")
    return try Statement(connection, "SELECT a FROM t")
  }

  @Test func `Errors of opening have different causes`() throws {
    let folder = try TemporaryFolder()
    try Data("no database, but longer than a header of one hundred bytes".utf8)
      .write(to: folder.url.appendingPathComponent("text"))
    #expect(try cause { _ = try Connection(path: folder.path("text")) } == .notADatabase)
    #expect(try cause { _ = try Connection(path: folder.path("no/a")) } == .cannotOpen)
    #expect(try cause { _ = try Connection(path: folder.url.path) } == .cannotOpen)
    var options = ConnectionOptions()
    options.access = .readWrite
    #expect(try cause { _ = try Connection(path: folder.path("none"), options) } == .cannotOpen)
    options.vfs = "no-such-vfs"
    #expect(try cause { _ = try Connection(path: folder.path("none"), options) } == .other)
    #expect(try folder.names() == ["text"])
  }

  @Test func `A read-only connection cannot write`() throws {
    let folder = try TemporaryFolder()
    let writer = try Connection(path: folder.path("a"))
    try writer.execute("CREATE TABLE t(a)")
    var options = ConnectionOptions()
    options.access = .readOnly
    let reader = try Connection(path: folder.path("a"), options)
    #expect(try cause { try reader.execute("INSERT INTO t VALUES(1)") } == .readOnly)
  }

  @Test func `A query without a row, or with null, returns nil`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.path("a"))
    #expect(try connection.integer("SELECT 1 WHERE 0") == nil)
    #expect(try connection.integer("SELECT null") == nil)
    #expect(try connection.text("SELECT null") == nil)
    #expect(try connection.text("SELECT 'a'") == "a")
  }

  private func cause(_ body: () throws -> Void) throws -> SQLiteError.Cause? {
    do {
      try body()
      return nil
    } catch let error as SQLiteError {
      return error.cause
    }
  }
}
