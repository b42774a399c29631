import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@Suite struct LogSizeTests {
  private static let frameBytes = 4096 + 24

  @Test func `The reported log size is the file's`() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    for index in 1...300 { try store.add("\(index)") }
    let size = try store.logSize()
    #expect(try size.bytes == fixture.folder.byteCount("store-wal"))
    #expect(size.frames >= 300)
    #expect(size.bytes == 32 + size.frames * Self.frameBytes)
  }

  @Test func `A newly opened store has an empty log`() throws {
    let fixture = try StoreFixture()
    try fixture.open().add("a")
    let size = try fixture.open().logSize()
    #expect(size.bytes == 0)
    #expect(size.frames == 0)
  }

  @Test func `The log stays bounded without pinned readers`() throws {
    let store = try StoreFixture().open()
    for index in 1...2000 { try store.add("\(index)") }
    // One transaction may exceed the thousand frames.
    #expect(try store.logSize().frames < 1100)
  }

  @Test func `The log grows while a reader pins it and stops when the reader ends`() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    try store.add("first")
    let reader = try fixture.connection()
    try reader.execute("BEGIN; SELECT count(*) FROM history_transaction")
    for index in 1...1500 { try store.add("\(index)") }
    let pinned = try store.logSize()
    #expect(pinned.frames > 3000)
    try reader.execute("COMMIT")
    for index in 1...2500 { try store.add("\(index)") }
    #expect(try store.logSize().frames < pinned.frames + 1100)
  }
}
