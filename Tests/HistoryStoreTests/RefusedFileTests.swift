import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

/// A refused file is named, and neither the file nor its folder changes.
@Suite(.inEveryLayout) struct RefusedFileTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
  }

  @Test func `A database of another application is refused`() throws {
    try fixture.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    try expectRefused(.foreignFile(path: fixture.path))
  }

  @Test func `A database with another application's log is refused`() throws {
    try fixture.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    try expectRefused(.foreignFile(path: fixture.path))
  }

  @Test func `A database with a pending log is refused`() throws {
    try {
      let connection = try fixture.connection()
      try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)")
      connection.setCheckpointsOnClose(false)
    }()
    #expect(try fixture.folder.byteCount("store-wal") > 0)
    try expectRefused(.foreignFile(path: fixture.path), except: "store-shm")
    #expect(try fixture.connection().integer("SELECT count(*) FROM t") == 1)
  }

  @Test func `A database without tables that another application marked is refused`() throws {
    try fixture.execute("PRAGMA application_id=7")
    try expectRefused(.foreignFile(path: fixture.path))
  }

  @Test func `A store of a newer format is refused`() throws {
    _ = try fixture.open()
    try fixture.execute("PRAGMA user_version=5")
    try expectRefused(.newerFormat(path: fixture.path, found: 5, known: 4))
  }

  @Test func `A store of another model is refused`() throws {
    _ = try fixture.open()
    let other = try Model([Entity("Item", [Attribute("title", .int)])])
    let conflict = ModelConflict(
      .sameVersion,
      fileVersion: 1,
      programVersion: 1,
      differences: other.differences(from: try StoreFixture.model())
    )
    let error = HistoryError.otherModel(path: fixture.path, conflict)
    try expectUntouched(error) {
      _ = try Store(path: fixture.path, model: other, configuration: fixture.configuration)
    }
    #expect(error.message.contains("Item.title was changed from string to int; "))
    #expect(error.message.contains("the entity Tag was removed"))
  }

  @Test func `A file that is not a database is refused`() throws {
    // A file of one byte is not tested: SQLite's unix VFS treats it as empty.
    for text in ["xy", "SQLite format 3", String(repeating: "no database ", count: 500)] {
      try write(Data(text.utf8))
      try expectRefused(cause: .notADatabase)
    }
  }

  @Test func `A store with an overwritten header is refused`() throws {
    try fixture.open().add("a")
    var bytes = try #require(try fixture.folder.contents()["store"])
    bytes[16] = 7
    try write(bytes)
    try expectRefused(cause: .notADatabase)
  }

  @Test func `A store with an overwritten schema is refused`() throws {
    try fixture.open().add("a")
    var bytes = try #require(try fixture.folder.contents()["store"])
    for index in 100..<4096 { bytes[index] = 0xA5 }
    try write(bytes)
    try expectRefused(cause: .corrupt)
  }

  @Test func `A truncated store is refused`() throws {
    try fixture.open().add("a")
    let bytes = try #require(try fixture.folder.contents()["store"])
    try write(bytes.prefix(4096))
    try expectRefused(cause: .corrupt)
  }

  @Test(arguments: [
    "DROP TABLE history_metadata", "DELETE FROM history_metadata WHERE name = 'store'",
    "UPDATE history_metadata SET value = 'x' WHERE name = 'store'",
    "UPDATE history_metadata SET value = 'x' WHERE name = 'timestamps'",
  ])
  func `A store without a readable header is refused`(damage: String) throws {
    _ = try fixture.open()
    try fixture.execute(damage)
    try expectRefused(.damaged(path: fixture.path, what: "its header cannot be read"))
  }

  @Test func `A store without a readable model is refused if opened without one`() throws {
    _ = try fixture.open()
    try fixture.execute("UPDATE history_metadata SET value = 'It\"em' WHERE name = 'model'")
    try expectUntouched(.damaged(path: fixture.path, what: "its model cannot be read")) {
      _ = try Store(path: fixture.path, configuration: fixture.configuration)
    }
  }

  private func write(_ bytes: Data) throws {
    try bytes.write(to: fixture.folder.url.appendingPathComponent("store"))
  }

  private func expectRefused(_ expected: HistoryError, except name: String? = nil) throws {
    try expectUntouched(expected, except: name) { _ = try fixture.open() }
  }

  private func expectRefused(cause: SQLiteError.Cause) throws {
    let before = try fixture.folder.contents()
    let error = try #require(throws: HistoryError.self) { try fixture.open() }
    guard case .sqlite(let refusal) = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect(refusal.cause == cause)
    #expect(try fixture.folder.contents() == before)
  }

  private func expectUntouched(
    _ expected: HistoryError,
    except name: String? = nil,
    _ body: () throws -> Void
  ) throws {
    var before = try fixture.folder.contents()
    #expect(throws: expected, performing: body)
    var after = try fixture.folder.contents()
    if let name {
      before[name] = nil
      after[name] = nil
    }
    #expect(after.mapValues(\.count) == before.mapValues(\.count))
    #expect(after == before)
  }
}
