import CSQLite
import Faults
import Testing

struct FileTests {
  let files = HeapFileSystem()

  @Test func `A missing store opens only with the create flag`() {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    let code = sqlite3_open_v2("app.store", &handle, SQLITE_OPEN_READWRITE, files.name)
    #expect(code == SQLITE_CANTOPEN)
    #expect(files.usage.files == 0)
  }

  @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST"])
  func `A rollback journal undoes the writes`(mode: String) throws {
    let connection = try Connection("app.store", on: files)
    try connection.run(
      """
      PRAGMA journal_mode = \(mode); CREATE TABLE item (id INTEGER PRIMARY KEY, n);
      INSERT INTO item VALUES (1, zeroblob(100000)); PRAGMA cache_size = 5
      """
    )
    try connection.run("BEGIN; UPDATE item SET n = randomblob(100000)")
    #expect((files.image(of: "app.store-journal")?.bytes.count ?? 0) > 90_000)
    try connection.run("ROLLBACK")
    #expect(try connection.run("SELECT n = zeroblob(100000) FROM item") == ["1"])
    #expect((files.image(of: "app.store-journal") == nil) == (mode == "DELETE"))
  }

  @Test func `A journal that a crash left is rolled back at the next open`() throws {
    let crashed = try {
      let connection = try Connection("app.store", on: files)
      try connection.run(
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY, n); PRAGMA cache_size = 5;
        INSERT INTO item VALUES (1, zeroblob(100000));
        BEGIN; UPDATE item SET n = randomblob(100000)
        """
      )
      return files.snapshot()
    }()
    files.restore(crashed)
    let connection = try Connection("app.store", on: files)
    #expect(try connection.run("SELECT n = zeroblob(100000) FROM item") == ["1"])
    #expect(files.image(of: "app.store-journal") == nil)
  }

  @Test func `Temporary files need no path`() throws {
    let connection = try Connection("app.store", on: files)
    try connection.run(
      """
      PRAGMA temp_store = FILE; PRAGMA cache_size = 5; PRAGMA temp.cache_size = 5;
      CREATE TEMP TABLE scratch (n);
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 500)
      INSERT INTO scratch SELECT randomblob(1000) FROM c
      """
    )
    #expect(files.usage.detachedFiles > 0)
    #expect(files.counters.bytesWritten(.temporary) > 100_000)
    try connection.run("DROP TABLE scratch; VACUUM")
    #expect(Set(files.snapshot().files.keys).isSubset(of: ["app.store"]))
  }

  @Test func `A removed store stays readable through open connections`() throws {
    let connection = try Connection.store(on: files)
    try connection.run("INSERT INTO item VALUES (1, 1)")
    files.removeAll()
    #expect(files.usage.files == 0)
    #expect(try connection.run("PRAGMA shrink_memory; SELECT n FROM item") == ["1"])
    let fresh = try Connection.store(on: files)
    #expect(try fresh.items == [])
  }

  @Test func `A removed store in rollback mode is no longer written`() throws {
    let connection = try Connection("app.store", on: files)
    try connection.run("CREATE TABLE item (id INTEGER PRIMARY KEY, n)")
    files.removeAll()
    let moved = SQLITE_READONLY | 4 << 8
    #expect(connection.code("INSERT INTO item VALUES (1, 1)") == moved)
  }

  @Test func `SQLite returns the time of the injected clock`() throws {
    let files = HeapFileSystem(clock: { 86_400.25 })
    let connection = try Connection("app.store", on: files)
    let time = try connection.run("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')")
    #expect(time == ["2001-01-02 00:00:00.250"])
  }

  @Test func `Long paths up to the limit are distinct`() throws {
    let long = String(repeating: "a", count: 1000)
    _ = try Connection.store(long, on: files)
    #expect(files.image(of: long) != nil)
    #expect(throws: Connection.Failure.self) {
      try Connection(String(repeating: "a", count: 1100), on: files)
    }
  }
}
