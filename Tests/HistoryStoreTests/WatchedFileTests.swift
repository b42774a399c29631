import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

/// Watches whose files are removed or replaced by other processes.
@Suite(.blocksItsThread) struct WatchedFileTests {
  private let fixture: StoreFixture
  private let store: Store
  private let writer: Store
  private let reported = ReportedTokens()
  private let watch: ChangeWatch

  init() throws {
    fixture = try StoreFixture.withoutPoll()
    store = try fixture.open()
    writer = try fixture.open()
    watch = try store.watch(reported.note)
    try writer.add("first")
    reported.wait(for: 1)
  }

  private var signalPath: String { fixture.path + "-signal" }

  @Test func `The signal file is private to the user and contains the last number`() throws {
    try writer.add("second")
    let attributes = try FileManager.default.attributesOfItem(atPath: signalPath)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: signalPath)) == Data([2, 0, 0, 0, 0, 0, 0, 0])
    )
  }

  @Test func `Records, purges and empty writes do not change the signal file`() throws {
    let member = try store.join("reader")
    try writer.add("second")
    try store.record(member, through: writer.currentToken())
    try store.purge(by: member)
    try writer.add([])
    #expect(try Data(contentsOf: URL(fileURLWithPath: signalPath)).first == 2)
  }

  @Test func `A removed signal file is created again, and signals continue`() throws {
    for _ in 1...3 {
      try FileManager.default.removeItem(atPath: signalPath)
      try commitUntilNotified()
    }
    #expect(FileManager.default.fileExists(atPath: signalPath))
  }

  @Test func `A replaced signal file is watched`() throws {
    let other = fixture.folder.path("other")
    for _ in 1...3 {
      try Data("something".utf8).write(to: URL(fileURLWithPath: other))
      #expect(rename(other, signalPath) == 0)
      try commitUntilNotified()
    }
  }

  /// Commits until a position after the current one was reported: a writer checks ten times a
  /// second whether its signal file is still the watched one.
  private func commitUntilNotified() throws {
    let first = try writer.currentToken().number
    let deadline = Date(timeIntervalSinceNow: 20)
    while (reported.numbers.last ?? 0) <= first + 1 {
      try #require(Date() < deadline, "nothing above \(first) was reported")
      try writer.add("more")
    }
  }

  @Test func `A replaced store is reported with a position of the new one`() throws {
    let path = fixture.folder.path("new")
    let id = try {
      let new = try Store(path: path, model: StoreFixture.model())
      try new.add("new")
      return new.id
    }()
    try removeLog()
    #expect(rename(path, fixture.path) == 0)
    reported.wait("the new store", { $0.store == id })
    #expect(id != store.id)
  }

  @Test func `A removed store is watched again once a store has its name`() throws {
    try removeLog()
    try FileManager.default.removeItem(atPath: fixture.path)
    let path = fixture.folder.path("new")
    let id = try Store(path: path, model: StoreFixture.model()).id
    #expect(rename(path, fixture.path) == 0)
    try FileManager.default.removeItem(atPath: signalPath)
    reported.wait("the new store", { $0.store == id })
  }

  /// Removes the old store's log, which SQLite would read as the new one's.
  private func removeLog() throws {
    for end in ["-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: fixture.path + end)
    }
  }
}
