import SQLiteStorage
import TestSupport
import Testing

@Suite struct FunctionTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `A function gets its arguments, each in its storage class`() throws {
    let connection = try Connection(path: folder.path("a"))
    var seen: [String] = []
    try connection.setFunction("look") { row in
      for column in Int32(0)..<5 {
        switch row.storage(column) {
        case .null: seen.append("null")
        case .integer: seen.append("integer \(row.int(column))")
        case .real: seen.append("real \(row.real(column))")
        case .text: seen.append("text \(String(decoding: row.bytes(column), as: UTF8.self))")
        case .blob: seen.append("blob \(Array(row.bytes(column)))")
        }
      }
      return 42
    }
    let answer = try connection.integer("SELECT look(NULL, -7, 2.5, 'naïve', x'00ff')")
    #expect(answer == 42)
    #expect(seen == ["null", "integer -7", "real 2.5", "text naïve", "blob [0, 255]"])
  }

  @Test func `A function is called once for each row that a statement changes`() throws {
    let connection = try Connection(path: folder.path("a"))
    try connection.execute(
      """
      CREATE TABLE t(k INTEGER PRIMARY KEY, v INTEGER, kind INTEGER);
      INSERT INTO t VALUES(1, 0, 1), (2, 0, 2), (3, 0, 1), (9, 0, 1);
      """
    )
    var keys: [Int64] = []
    try connection.setFunction("note") { row in
      keys.append(row.int(0))
      return 100 + row.int(0)
    }
    try connection.execute("UPDATE t SET v = note(k) WHERE kind = 1")
    #expect(keys == [1, 3, 9])
    #expect(try connection.integer("SELECT sum(v) FROM t") == 313)
    keys = []
    try connection.execute("DELETE FROM t WHERE CASE WHEN kind = 1 THEN note(k) END")
    #expect(keys == [1, 3, 9])
    #expect(try connection.integer("SELECT sum(k) FROM t") == 2)
    keys = []
    try connection.execute("DELETE FROM t WHERE k = 2 AND note(k)")
    #expect(keys == [2])
  }

  @Test func `The schema of a file cannot call a function`() throws {
    let connection = try Connection(path: folder.path("a"))
    try connection.setFunction("note") { _ in 1 }
    try connection.execute("CREATE VIEW v AS SELECT note(1)")
    let error = try #require(throws: SQLiteError.self) { try connection.execute("SELECT * FROM v") }
    #expect(error.message.contains("unsafe use of note"))
  }

  @Test func `A connection releases the objects that its functions retain`() throws {
    final class Held {}
    weak var held: Held?
    do {
      let object = Held()
      held = object
      let connection = try Connection(path: folder.path("a"))
      try connection.setFunction("hold") { [object] _ in
        withExtendedLifetime(object) { 1 }
      }
      #expect(try connection.integer("SELECT hold(0)") == 1)
    }
    #expect(held == nil)
  }
}
