import SQLiteStorage
import TestSupport
import Testing

@Suite struct CheckpointTests {
  private static let frameBytes = 4096 + 24

  @Test func `While a reader pins the log, a checkpoint is attempted once every so many frames`() {
    var policy = CheckpointPolicy(every: 1000)
    let tries = (1...5000).filter { policy.isDue(frames: Int32($0)) }
    #expect(tries == [1000, 2000, 3000, 4000, 5000])
  }

  @Test func `A restarted log is due again at the first limit`() {
    var policy = CheckpointPolicy(every: 1000)
    let pinned = (1...3500).filter { policy.isDue(frames: Int32($0)) }
    #expect(pinned == [1000, 2000, 3000])
    let after = (1...2500).filter { policy.isDue(frames: Int32($0)) }
    #expect(after == [1000, 2000])
  }

  @Test func `A write larger than the limit triggers one checkpoint`() {
    var policy = CheckpointPolicy(every: 1000)
    let tries = [7000, 7001, 7999, 8000].filter { policy.isDue(frames: $0) }
    #expect(tries == [7000, 8000])
  }

  @Test func `The log stays bounded without pinned readers`() throws {
    let folder = try TemporaryFolder()
    let connection = try writer(folder)
    for _ in 1...400 { try connection.execute("INSERT INTO t VALUES(1)") }
    #expect(try folder.byteCount("a-wal") < 30 * Self.frameBytes)
  }

  @Test func `The log stops growing once the pinning reader ends`() throws {
    let folder = try TemporaryFolder()
    let connection = try writer(folder)
    try pinned(folder) {
      for _ in 1...100 { try connection.execute("INSERT INTO t VALUES(1)") }
    }
    let pinnedBytes = try folder.byteCount("a-wal")
    #expect(pinnedBytes >= 100 * Self.frameBytes)
    for _ in 1...400 { try connection.execute("INSERT INTO t VALUES(1)") }
    #expect(try folder.byteCount("a-wal") <= pinnedBytes + 40 * Self.frameBytes)
  }

  @Test func `A log remains if checkpoints on close are disabled`() throws {
    let folder = try TemporaryFolder()
    try {
      let connection = try writer(folder)
      try connection.execute("INSERT INTO t VALUES(1)")
      connection.setCheckpointsOnClose(false)
    }()
    #expect(try folder.byteCount("a-wal") > 0)
    let again = try Connection(path: folder.path("a"))
    #expect(try again.integer("SELECT count(*) FROM t") == 1)
  }

  private func writer(_ folder: TemporaryFolder) throws -> Connection {
    var options = ConnectionOptions()
    options.checkpointFrames = 20
    let connection = try Connection(path: folder.path("a"), options)
    try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a)")
    return connection
  }

  private func pinned(_ folder: TemporaryFolder, _ body: () throws -> Void) throws {
    let reader = try Connection(path: folder.path("a"))
    let transactions = try TransactionStatements(reader)
    try transactions.read(reader) {
      _ = try reader.integer("SELECT count(*) FROM t")
      try body()
    }
  }
}
