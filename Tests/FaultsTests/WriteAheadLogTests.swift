import CSQLite
import Faults
import Testing

struct WriteAheadLogTests {
  let files = HeapFileSystem()

  @Test func `A store takes WAL mode and keeps its log and index on the heap`() throws {
    let connection = try Connection("app.store", on: files)
    #expect(try connection.run("PRAGMA journal_mode = WAL") == ["wal"])
    try connection.run("CREATE TABLE item (id INTEGER PRIMARY KEY, n)")
    let image = files.snapshot()
    #expect(Set(image.files.keys) == ["app.store", "app.store-wal"])
    #expect(image.files["app.store-wal"]?.bytes.isEmpty == false)
    #expect(image.sharedMemory["app.store"]?.bytes.count == 32 << 10)
  }

  @Test func `The last connection to close keeps the database`() throws {
    do { _ = try Connection.store(on: files).run("INSERT INTO item VALUES (1, 1)") }
    #expect(Set(files.snapshot().files.keys) == ["app.store"])
    #expect(try Connection("app.store", on: files).items == ["1|1"])
  }

  @Test func `Two connections see each other's commits`() throws {
    let one = try Connection.store(on: files)
    let other = try Connection("app.store", on: files)
    try one.run("INSERT INTO item VALUES (1, 10)")
    #expect(try other.items == ["1|10"])
    try other.run("UPDATE item SET n = 11")
    #expect(try one.items == ["1|11"])
  }

  @Test func `A reader keeps its snapshot while a writer commits`() throws {
    let writer = try Connection.store(on: files)
    let reader = try Connection("app.store", on: files)
    try reader.run("BEGIN; SELECT * FROM item")
    try writer.run("INSERT INTO item VALUES (1, 1)")
    #expect(try reader.items == [])
    #expect(try writer.items == ["1|1"])
    try reader.run("COMMIT")
    #expect(try reader.items == ["1|1"])
  }

  @Test func `A second writer gets a busy error`() throws {
    let one = try Connection.store(on: files)
    let other = try Connection("app.store", on: files)
    try one.run("BEGIN IMMEDIATE")
    #expect(other.code("BEGIN IMMEDIATE") == SQLITE_BUSY)
    try one.run("COMMIT")
    #expect(other.code("BEGIN IMMEDIATE") == SQLITE_OK)
  }

  @Test
  func `A busy timeout of an hour takes no real time`() throws {
    let one = try Connection.store(on: files)
    let other = try Connection("app.store", on: files)
    try other.run("PRAGMA busy_timeout = 3600000")
    try one.run("BEGIN IMMEDIATE")
    #expect(other.code("BEGIN IMMEDIATE") == SQLITE_BUSY)
  }

  @Test func `A reader that writes after another's commit has a stale snapshot`() throws {
    let one = try Connection.store(on: files)
    let other = try Connection("app.store", on: files)
    try one.run("BEGIN; SELECT * FROM item")
    try other.run("INSERT INTO item VALUES (1, 1)")
    let busySnapshot = SQLITE_BUSY | 2 << 8
    #expect(one.code("INSERT INTO item VALUES (2, 2)") == busySnapshot)
  }

  @Test func `A checkpoint stops at a pinned reader and resumes when the reader ends`() throws {
    let writer = try Connection.store(on: files)
    let reader = try Connection("app.store", on: files)
    try writer.run("PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO item VALUES (1, 1)")
    try reader.run("BEGIN; SELECT * FROM item")
    try writer.run("INSERT INTO item VALUES (2, 2)")
    #expect(try writer.run("PRAGMA wal_checkpoint(PASSIVE)") == ["0|2|1"])
    #expect(try writer.run("PRAGMA wal_checkpoint(TRUNCATE)") == ["1|2|1"])
    try reader.run("COMMIT")
    #expect(try writer.run("PRAGMA wal_checkpoint(TRUNCATE)") == ["0|0|0"])
    #expect(files.image(of: "app.store-wal")?.bytes.isEmpty == true)
    #expect(try reader.items == ["1|1", "2|2"])
  }

  @Test func `A log longer than one index region is read and recovered`() throws {
    let writer = try Connection.store(on: files)
    try writer.run("PRAGMA wal_autocheckpoint = 0")
    for number in 1...3 {
      try writer.run(
        """
        WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000)
        INSERT INTO item SELECT \(number) * 10000 + i, zeroblob(3500) FROM c
        """
      )
    }
    let crashed = files.snapshot()
    #expect((crashed.sharedMemory["app.store"]?.bytes.count ?? 0) >= 64 << 10)
    for isOpen in [false, true] {
      let recovered = HeapFileSystem()
      let open = isOpen ? try Connection.store(on: recovered) : nil
      recovered.restore(crashed)
      let reader = try open ?? Connection("app.store", on: recovered)
      #expect(try reader.run("SELECT count(*) FROM item") == ["6000"])
      #expect(try reader.run("PRAGMA integrity_check") == ["ok"])
    }
  }
}
