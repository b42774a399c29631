import CSQLite
import Faults
import Testing

struct HeapVFSTests {
  /// Two connections to one store, each through a VFS of its own.
  private struct Pair {
    let files = HeapFileSystem()
    let one: HeapVFS
    let two: HeapVFS
    var first: Connection?
    var second: Connection?

    init() throws {
      _ = try Connection.store(on: files)
      one = files.makeVFS()
      two = files.makeVFS()
      first = try Connection("app.store", vfs: one.name)
      second = try Connection("app.store", vfs: two.name)
    }
  }

  @Test func `Two VFS lead to the same files`() throws {
    let pair = try Pair()
    try pair.first?.run("INSERT INTO item VALUES (1, 1)")
    #expect(try pair.second?.items == ["1|1"])
    #expect(pair.one.name != pair.two.name)
  }

  @Test func `A VFS lists the locks of its own handles`() throws {
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

  @Test func `The number of a VFS is reused once the VFS and its open files are gone`()
    throws
  {
    let files = HeapFileSystem()
    _ = try Connection.store(on: files)
    var vfs: HeapVFS? = files.makeVFS()
    let name = try #require(vfs?.name)
    var connection: Connection? = try Connection("app.store", vfs: name)
    #expect(try connection?.items == [])
    vfs = nil
    #expect(files.makeVFS().name != name)
    connection = nil
    #expect(connection == nil && files.makeVFS().name == name)
  }
}
