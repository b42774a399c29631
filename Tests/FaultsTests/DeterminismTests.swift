import CSQLite
import Faults
import PropertyTesting
import Testing

struct DeterminismTests {
  /// In a process of its own, because SQLite's random generator belongs to the whole process.
  @Test func `The same operations from the same seed give the same bytes`() async {
    await #expect(processExitsWith: .success) {
      let files = HeapFileSystem()
      var source = ChoiceSource(seed: 7)
      let plan = try source.draw(.plans(connectionCount: 2, stepCount: 500))
      func run(seed: UInt64) throws -> FileSystemImage {
        files.removeAll()
        files.reseed(seed, withSalts: true)
        let connections = try [Connection.store(on: files), Connection("app.store", on: files)]
        try connections[0].run("PRAGMA wal_autocheckpoint = 10")
        _ = plan.run(on: connections)
        return files.snapshot()
      }
      let first = try run(seed: 1)
      let second = try run(seed: 1)
      let third = try run(seed: 2)
      #expect(first == second)
      #expect(first.files["app.store-wal"] != third.files["app.store-wal"])
      #expect(first.files["app.store"] == third.files["app.store"])
    }
  }

  @Test func `SQLite's log salts repeat only on request`() async {
    await #expect(processExitsWith: .success) {
      func drawn() -> UInt64 {
        var bits: UInt64 = 0
        sqlite3_randomness(8, &bits)
        return bits
      }
      HeapFileSystem().reseed(1, withSalts: true)
      let first = drawn()
      HeapFileSystem().reseed(1)
      #expect(drawn() != first)
      HeapFileSystem().reseed(1, withSalts: true)
      #expect(drawn() == first)
    }
  }

  @Test func `Restarting randomness keeps SQLite's default file system`() async {
    await #expect(processExitsWith: .success) {
      let before = sqlite3_vfs_find(nil)
      HeapFileSystem().reseed(1, withSalts: true)
      #expect(sqlite3_vfs_find(nil) == before)
    }
  }

  @Test func `A file system that is the default stays it until the process ends`() async {
    await #expect(processExitsWith: .success) {
      let name = RealFileSystem(isDefault: true).name
      HeapFileSystem().reseed(1, withSalts: true)
      let system = try #require(sqlite3_vfs_find(nil))
      #expect(String(cString: system.pointee.zName) == name)
    }
  }
}
