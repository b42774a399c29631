import CSQLite
import Faults
import Foundation
import TestSupport
import Testing

@Suite struct `Power-offs` {
  private let files = HeapFileSystem()

  private func bytes() -> [UInt8] { files.image(of: "f")?.bytes ?? [] }

  private func sync(_ file: RawFile) { #expect(file.sync() == SQLITE_OK) }

  @Test func `A power-off loses unsynced writes and keeps synced ones`() throws {
    let file = try RawFile("f", on: files)
    files.watchPower()
    #expect(file.write([1, 2, 3], at: 0) == SQLITE_OK)
    sync(file)
    #expect(file.write([9], at: 1) == SQLITE_OK)
    #expect(file.truncate(2) == SQLITE_OK)
    #expect(bytes() == [1, 9])
    files.turnOff(PowerLoss())
    #expect(bytes() == [1, 2, 3])
  }

  @Test func `A differential image keeps the writes that a power-off would lose`() throws {
    let file = try RawFile("f", on: files)
    #expect(file.write([1, 2, 3], at: 0) == SQLITE_OK)
    let base = files.snapshot()
    files.watchPower()
    #expect(file.write([7], at: 0) == SQLITE_OK)
    sync(file)
    #expect(file.write([8, 9], at: 2) == SQLITE_OK)
    let image = files.snapshot(sharing: base)
    sync(file)
    files.restore(image)
    #expect(bytes() == [7, 2, 8, 9])
    files.turnOff(PowerLoss())
    #expect(bytes() == [7, 2, 3])
    files.restore(image)
    #expect(!files.isOff)
    let again = try RawFile("f", on: files)
    sync(again)
    files.turnOff(PowerLoss())
    #expect(bytes() == [7, 2, 8, 9])
  }

  @Test func `The durable state's number changes only with the state`() throws {
    let file = try RawFile("f", on: files)
    let base = files.snapshot()
    #expect(files.powerState == nil)
    files.watchPower()
    let start = try #require(files.powerState)
    #expect(start.isWhole)
    #expect(file.write([1], at: 0) == SQLITE_OK)
    let written = try #require(files.powerState)
    #expect(!written.isWhole && written.durable == start.durable)
    let image = files.snapshot(sharing: base)
    sync(file)
    let synced = try #require(files.powerState)
    #expect(synced.isWhole && synced.durable != start.durable)
    files.restore(image)
    #expect(files.powerState == written)
    sync(file)
    #expect(files.powerState?.durable != synced.durable)
    sync(file)
    let last = files.powerState
    sync(file)
    #expect(files.powerState == last)
    files.restore(base)
    #expect(files.powerState == nil)
  }

  @Test func `Content from before power was watched is durable`() throws {
    let file = try RawFile("f", on: files)
    #expect(file.write([1, 2], at: 0) == SQLITE_OK)
    files.watchPower()
    files.turnOff(PowerLoss())
    #expect(bytes() == [1, 2])
  }

  @Test func `After a power-off, open handles stay invalid and no file opens until power returns`()
    throws
  {
    let file = try RawFile("f", on: files)
    files.watchPower()
    #expect(file.write([1], at: 0) == SQLITE_OK)
    sync(file)
    files.turnOff(PowerLoss())
    #expect(files.isOff)
    #expect(throws: Connection.Failure.self) { try RawFile("f", on: files) }
    files.turnOn()
    #expect(file.write([2], at: 0) == SQLITE_IOERR | 3 << 8)
    #expect(file.read(1, at: 0).code == SQLITE_IOERR | 1 << 8)
    #expect(file.sync() == SQLITE_IOERR | 4 << 8)
    #expect(file.lock(SQLITE_LOCK_SHARED) == SQLITE_IOERR | 15 << 8)
    let again = try RawFile("f", on: files)
    #expect(again.read(1, at: 0).bytes == [1])
  }

  @Test func `Each 512-byte sector of a torn file is entirely old or entirely new`() throws {
    var kept: Set<[UInt8]> = []
    for seed in 0..<64 as Range<UInt64> {
      let files = HeapFileSystem()
      let file = try RawFile("f", on: files)
      #expect(file.write([UInt8](repeating: 1, count: 1536), at: 0) == SQLITE_OK)
      files.watchPower()
      #expect(file.write([UInt8](repeating: 2, count: 1000), at: 100) == SQLITE_OK)
      files.turnOff(PowerLoss(seed: seed))
      let bytes = try #require(files.image(of: "f")).bytes
      let sectors = [bytes[100..<512], bytes[512..<1024], bytes[1024..<1100]]
      for sector in sectors { #expect(Set(sector).count == 1) }
      #expect(Set(bytes[..<100] + bytes[1100...]) == [1])
      kept.insert(sectors.compactMap(\.first))
    }
    #expect(kept.count == 8)
  }

  @Test func `The same seed tears files in the same way`() throws {
    func torn() throws -> [UInt8]? {
      let files = HeapFileSystem()
      let file = try RawFile("f", on: files)
      files.watchPower()
      #expect(file.write([UInt8](repeating: 7, count: 9_000), at: 0) == SQLITE_OK)
      files.turnOff(PowerLoss(seed: 5))
      return files.image(of: "f")?.bytes
    }
    #expect(try torn() == torn())
  }

  @Test func `A delayed sync takes place with the next sync`() throws {
    let file = try RawFile("f", on: files)
    files.watchPower()
    files.arm([FileFault(.delay, file: .main, call: .sync, k: 1, from: true)])
    #expect(file.write([1], at: 0) == SQLITE_OK)
    sync(file)
    #expect(file.write([2], at: 0) == SQLITE_OK)
    sync(file)
    #expect(files.disarm().map(\.failedCalls) == [2])
    files.turnOff(PowerLoss())
    #expect(bytes() == [1])
  }

  @Test func `The power goes off at the call that the fault names`() throws {
    let connection = try Connection.store(on: files)
    try connection.run("PRAGMA synchronous = FULL; INSERT INTO item VALUES (1, 1)")
    files.watchPower()
    try connection.run("INSERT INTO item VALUES (2, 2)")
    files.arm([FileFault(.powerOff, file: .wal, call: .sync, k: 1)])
    #expect(connection.code("INSERT INTO item VALUES (3, 3)") == SQLITE_IOERR | 4 << 8)
    #expect(files.disarm().map(\.failedCalls) == [1])
    #expect(connection.code("SELECT * FROM item") != SQLITE_OK)
    files.turnOn()
    #expect(try Connection("app.store", on: files).items == ["1|1", "2|2"])
  }

  /// Every call of a save and a checkpoint, with lost and torn writes, on the heap and on a real
  /// disk.
  @Test(arguments: ["NORMAL", "FULL"], [false, true])
  func `SQLite stays durable whichever call the power-off hits`(
    _ synchronous: String,
    _ isReal: Bool
  ) throws {
    let folder = try TemporaryFolder()
    for seed in 0..<(isReal ? 2 : 4) as Range<UInt64> {
      for k in 1... {
        let files: any FaultySystem = isReal ? RealFileSystem() : HeapFileSystem(seed: seed)
        let path = folder.path("\(seed)-\(k)")
        let (lasts, count) = try fire(files, path, synchronous, k, seed)
        guard lasts else { break }
        #expect(count >= (synchronous == "FULL" ? 8 : 0), "call \(k), seed \(seed)")
      }
    }
  }

  @Test func `A connection from before a power-off on a real disk must be closed`() async throws {
    // The folder is this process's: the child ends without removing anything.
    let folder = try TemporaryFolder()
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [path = folder.path("app.store") as String] in
      let files = RealFileSystem()
      let before = try Connection.store(path, on: files)
      files.turnOff(PowerLoss())
      files.turnOn()
      _ = try Connection(path, on: files)
      withExtendedLifetime(before) {}
    }
    let said = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(said.contains("is opened while connections from before a power-off are open"))
  }

  @Test func `A file on a real disk that cannot be read does not count as empty`() async throws {
    // The folder is this process's: the child ends without removing anything.
    let folder = try TemporaryFolder()
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [path = folder.path("app.store") as String] in
      let files = RealFileSystem()
      let connection = try Connection.store(path, on: files)
      files.watchPower(.honest)
      unlink(path + "-wal")
      _ = connection.code("INSERT INTO item VALUES (1, 1)")
    }
    let said = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(said.contains("app.store-wal is open and cannot be read"))
  }

  /// Turns the power off at a call while a store saves and checkpoints.
  ///
  /// - Returns: Whether the fault fired, and the number of rows left.
  private func fire(
    _ files: any FaultySystem,
    _ path: String,
    _ synchronous: String,
    _ k: Int,
    _ seed: UInt64
  ) throws -> (Bool, Int) {
    var acknowledged = 0
    do {
      let connection = try Connection.store(path, on: files)
      try connection.run("PRAGMA wal_checkpoint; PRAGMA synchronous = \(synchronous)")
      files.watchPower(.honest)
      for id in 1...8 { try connection.run("INSERT INTO item VALUES (\(id), \(id))") }
      let loss = PowerLoss(seed: seed == 0 ? nil : seed)
      files.arm([FileFault(.powerOff, k: k, loss: loss)])
      for id in 9...12 where connection.code("INSERT INTO item VALUES (\(id), 0)") == SQLITE_OK {
        acknowledged = id
        if id == 10 { _ = connection.code("PRAGMA wal_checkpoint") }
      }
    }
    guard files.disarm().contains(where: { $0.failedCalls > 0 }) else { return (false, 0) }
    files.turnOn()
    let after = try Connection(path, on: files)
    #expect(try after.run("PRAGMA integrity_check") == ["ok"])
    let items = try after.run("SELECT id FROM item ORDER BY id")
    let expected: [String] = (1...12).map { "\($0)" }
    #expect(items == Array(expected.prefix(items.count)))
    if synchronous == "FULL" { #expect(items.count >= acknowledged) }
    return (true, items.count)
  }
}
