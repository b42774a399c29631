import CSQLite
import Faults
import Testing

struct UsageTests {
  @Test func `A thousand opened and closed stores leave as much memory as one`() throws {
    let files = HeapFileSystem()
    let template = try HeapFileSystem.template()
    var after: [HeapUsage] = []
    for number in 1...1000 {
      files.install(template, at: "app.store")
      do {
        let connections = try (0..<2).map { _ in try Connection("app.store", on: files) }
        try connections[number % 2].run("INSERT INTO item VALUES (1, \(number))")
      }
      files.removeAll()
      after.append(files.usage)
    }
    #expect(after.first == after.last)
    #expect(after.last?.openHandles == 0)
    #expect(after.last?.files == 0)
    #expect(after.last?.detachedFiles == 0)
    #expect(after.last?.spareFiles == 2)
  }

  @Test func `A huge file's buffer is released`() throws {
    let files = HeapFileSystem()
    files.install(FileImage(bytes: [UInt8](repeating: 1, count: 20 << 20)), at: "huge")
    #expect(files.usage.allocatedBytes >= 20 << 20)
    files.removeAll()
    #expect(files.usage.allocatedBytes == 0)
  }

  @Test func `A file system lives as long as its open connections`() throws {
    weak var released: HeapFileSystem?
    let connection = try {
      let files = HeapFileSystem()
      released = files
      return try Connection.store(on: files)
    }()
    try connection.run("INSERT INTO item VALUES (1, 1)")
    #expect(try connection.items == ["1|1"])
    #expect(released != nil)
    _ = consume connection
    #expect(released == nil)
  }

  @Test func `Calls are counted by kind of file`() throws {
    let files = HeapFileSystem()
    let connection = try Connection.store(on: files)
    try connection.run("PRAGMA synchronous = FULL; INSERT INTO item VALUES (1, 1)")
    let before = files.counters
    try connection.run("INSERT INTO item VALUES (2, 2)")
    let commit = files.counters - before
    #expect(commit[.wal, .write] == 2)
    #expect(commit.bytesWritten == 24 + 4096)
    #expect(commit.bytesWritten(.wal) == commit.bytesWritten)
    #expect(commit[.wal, .sync] == 1)
    #expect(commit.syncs == 1)
    #expect(commit.writes == 2)
    #expect(commit.reads == 0)
    #expect(commit[.shm, .lock] == 3)
    #expect(commit[.shm, .unlock] == 3)
    #expect(commit[.main, .write] == 0)
  }

  @Test func `Several threads may use one file system at the same time`() async throws {
    let files = HeapFileSystem()
    _ = try Connection.store(on: files)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          let connection = try Connection("app.store", on: files)
          var number = 0
          while number < 50 {
            let code = connection.code("INSERT INTO item VALUES (\(task * 50 + number), 0)")
            if code == SQLITE_OK { number += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    let reader = try Connection("app.store", on: files)
    #expect(try reader.run("SELECT count(*) FROM item") == ["200"])
    #expect(try reader.run("PRAGMA integrity_check") == ["ok"])
  }
}
