import Foundation
import HistoryStore
import SQLiteStorage
import StoreFixtures
import Testing

@testable import HistoryInspection

@Suite struct InspectionQuietTests {
  private let folder: InspectionFolder
  private let temporary: InspectionFolder
  private let path: String

  init() throws {
    folder = try InspectionFolder()
    temporary = try InspectionFolder()
    path = folder.file("store ?#%41 \u{fc}.sqlite")
  }

  private var inspector: StoreInspector { StoreInspector(temporaryFolder: temporary.path) }

  /// Runs a closure, and checks that it changes no byte of both folders.
  private func undisturbed<Answer>(_ body: () throws -> Answer) throws -> Answer {
    let before = try folder.contents()
    let answer = try body()
    #expect(try folder.contents() == before)
    #expect(try temporary.contents().isEmpty)
    return answer
  }

  @Test func `An inspection writes no file`() throws {
    try CoreDataFixture.make(at: path)
    let census = try undisturbed { try inspector.census(of: path) }
    #expect(census.transactions == 5)
  }

  @Test func `A file in WAL mode without a log is not modified`() throws {
    try CoreDataFixture.make(
      at: path,
      "PRAGMA journal_mode=WAL;" + CoreDataFixture.schema + CoreDataFixture.rows
    )
    #expect(try Array(folder.contents().keys) == ["store ?#%41 \u{fc}.sqlite"])
    let census = try undisturbed { try inspector.census(of: path) }
    #expect(census.transactions == 5)
  }

  @Test func `Transactions in a live log are counted, and the log is not modified`() throws {
    try CoreDataFixture.make(at: path, "PRAGMA journal_mode=WAL;" + CoreDataFixture.schema)
    let writer = try Connection(path: path)
    try writer.execute(CoreDataFixture.rows)
    let census = try undisturbed { try inspector.census(of: path) }
    #expect(census.transactions == 5)
    #expect(census.storage.logBytes > 0)
    // Without its log the file itself is still empty.
    var options = ConnectionOptions()
    options.access = .immutable
    let bare = try Connection(path: path, options)
    #expect(try bare.integer("SELECT count(*) FROM ATRANSACTION") == 0)
    #expect(try writer.integer("SELECT count(*) FROM ATRANSACTION") == 5)
  }

  @Test func `A file whose content is all in its log is counted`() throws {
    let writer = try Connection(path: path)
    try writer.execute("PRAGMA journal_mode=WAL")
    try writer.execute(CoreDataFixture.schema + CoreDataFixture.rows)
    let census = try undisturbed { try inspector.census(of: path) }
    #expect(census.transactions == 5)
  }

  @Test func `An interrupted write is rolled back in the copy only`() throws {
    try CoreDataFixture.make(at: path)
    let writer = try Connection(path: path)
    // With such a small cache the unfinished write spills into the file, next to a rollback
    // journal.
    try writer.execute(
      """
      PRAGMA journal_mode=DELETE; PRAGMA cache_size=1; BEGIN IMMEDIATE;
      INSERT INTO ATRANSACTION(ZTIMESTAMP, ZAUTHOR) WITH RECURSIVE n(i) AS
        (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, 'unfinished' FROM n;
      """
    )
    #expect(try folder.contents().keys.contains { $0.hasSuffix("-journal") })
    let cut = try InspectionFolder()
    for (name, bytes) in try folder.contents() { _ = try cut.write(bytes, to: name) }
    writer.rollBack()
    let name = try #require(path.split(separator: "/").last)
    let before = try cut.contents()
    let census = try inspector.census(of: cut.file(String(name)))
    #expect(census.transactions == 5)
    #expect(try cut.contents() == before)
  }

  @Test func `A link is followed to the file and its log`() throws {
    try CoreDataFixture.make(at: path, "PRAGMA journal_mode=WAL;" + CoreDataFixture.schema)
    let writer = try Connection(path: path)
    try writer.execute(CoreDataFixture.rows)
    let links = try InspectionFolder()
    try FileManager.default.createSymbolicLink(
      atPath: links.file("link"),
      withDestinationPath: path
    )
    #expect(try inspector.census(of: links.file("link")).transactions == 5)
    #expect(try writer.integer("SELECT count(*) FROM ATRANSACTION") == 5)
  }

  @Test func `A file that is written during the inspection is read again`() throws {
    try CoreDataFixture.make(at: path)
    let file = try QuietFile(path, copyingTo: temporary.path)
    var rounds = 0
    let count = try file.read { connection, _ in
      rounds += 1
      let count = try connection.integer("SELECT count(*) FROM ATRANSACTION")
      if rounds == 1 {
        try Connection(path: path).execute("DELETE FROM ATRANSACTION; VACUUM")
      }
      return count
    }
    #expect(rounds == 2)
    #expect(count == 0)
  }

  @Test func `The inspection of a file that is constantly written fails`() throws {
    try CoreDataFixture.make(at: path)
    let file = try QuietFile(path, copyingTo: temporary.path)
    var rounds = 0
    #expect(throws: InspectionError.changing(path: path)) {
      try file.read { _, _ in
        rounds += 1
        try Connection(path: path).execute("CREATE TABLE t\(rounds)(x)")
      }
    }
    #expect(rounds == QuietFile.attemptsMax)
  }

  @Test func `The error for a folder that accepts no copy contains its path`() throws {
    try CoreDataFixture.make(at: path, "PRAGMA journal_mode=WAL;" + CoreDataFixture.schema)
    let writer = try Connection(path: path)
    try writer.execute(CoreDataFixture.rows)
    let inspector = StoreInspector(temporaryFolder: temporary.file("absent"))
    let error = try #require(throws: InspectionError.self) { try inspector.census(of: path) }
    #expect(
      error
        == .cannotCopy(
          path: path,
          folder: temporary.file("absent"),
          reason: "No such file or directory"
        )
    )
    #expect(try writer.integer("SELECT count(*) FROM ATRANSACTION") == 5)
  }
}
