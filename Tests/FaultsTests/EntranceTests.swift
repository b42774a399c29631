import CSQLite
import Faults
import Testing

struct EntranceTests {
  /// Two connections to one store, each through an entrance of its own.
  private struct Pair {
    let files = HeapFileSystem()
    let one: HeapEntrance
    let two: HeapEntrance
    var first: Connection?
    var second: Connection?

    init() throws {
      _ = try Connection.store(on: files)
      one = files.makeEntrance()
      two = files.makeEntrance()
      first = try Connection("app.store", vfs: one.name)
      second = try Connection("app.store", vfs: two.name)
    }
  }

  @Test func `Two entrances lead to the same files`() throws {
    let pair = try Pair()
    try pair.first?.run("INSERT INTO item VALUES (1, 1)")
    #expect(try pair.second?.items == ["1|1"])
    #expect(pair.one.name != pair.two.name)
  }

  @Test func `An entrance tells the locks of its own handles`() throws {
    var pair = try Pair()
    try pair.first?.run("BEGIN IMMEDIATE; INSERT INTO item VALUES (1, 1)")
    #expect(
      pair.one.locks == ["SHARED on app.store", "a lock of the write-ahead log on app.store"]
    )
    #expect(pair.two.locks == [])
    #expect(try pair.second?.items == [])
    #expect(pair.two.locks == ["SHARED on app.store"])
    try pair.first?.run("COMMIT")
    #expect(pair.one.locks == ["SHARED on app.store"])
    pair.first = nil
    #expect(pair.one.locks == [])
    #expect(pair.two.locks == ["SHARED on app.store"])
  }

  @Test func `The number of an entrance is used again once nobody has it or an open file of it`()
    throws
  {
    let files = HeapFileSystem()
    _ = try Connection.store(on: files)
    var entrance: HeapEntrance? = files.makeEntrance()
    let name = try #require(entrance?.name)
    var connection: Connection? = try Connection("app.store", vfs: name)
    #expect(try connection?.items == [])
    entrance = nil
    #expect(files.makeEntrance().name != name)
    connection = nil
    #expect(connection == nil && files.makeEntrance().name == name)
  }
}
