import SQLiteStorage
import TestSupport
import Testing

@Suite struct KeyTableTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func connection() throws -> Connection {
    let connection = try Connection(path: folder.path("a"))
    try connection.execute(
      """
      CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT);
      INSERT INTO t VALUES(1, 'a'), (2, 'b'), (3, NULL), (9, 'd');
      """
    )
    return connection
  }

  @Test func `A join with the key table visits the existing rows in key order`()
    throws
  {
    let connection = try connection()
    let keys = try KeyTable("wanted", connection)
    var seen: [String] = []
    try connection.setCollector("take") { row in
      let text = row.storage(1) == .null ? "-" : String(decoding: row.bytes(1), as: UTF8.self)
      seen.append("\(row.int(0))\(text)")
    }
    let join = try Statement(connection, "SELECT take(k, v) FROM wanted CROSS JOIN t WHERE k = key")
    try keys.show([9, 1, 5, 3]) { try join.run() }
    #expect(seen == ["9d", "1a", "3-"])
    seen = []
    try keys.show([]) { try join.run() }
    #expect(seen.isEmpty)
  }

  @Test func `Two scans of the same keys do not move each other`() throws {
    let connection = try connection()
    let keys = try KeyTable("wanted", connection)
    let pairs = try keys.show([4, 5, 6]) {
      try connection.integer("SELECT count(*) FROM wanted a, wanted b WHERE a.key < b.key")
    }
    #expect(pairs == 3)
  }

  @Test func `A key table is empty before and after its closure, even if the closure throws`()
    throws
  {
    struct Stopped: Error {}
    let connection = try connection()
    let keys = try KeyTable("wanted", connection)
    #expect(try connection.integer("SELECT count(*) FROM wanted") == 0)
    #expect(throws: Stopped.self) { try keys.show([1, 2]) { throw Stopped() } }
    #expect(try connection.integer("SELECT count(*) FROM wanted") == 0)
  }
}
