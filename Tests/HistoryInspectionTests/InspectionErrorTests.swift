import Foundation
import HistoryStore
import SQLiteStorage
import StoreFixtures
import Testing

@testable import HistoryInspection

@Suite struct InspectionErrorTests {
  private let folder: InspectionFolder

  init() throws { folder = try InspectionFolder() }

  private func error(of name: String) throws -> InspectionError {
    let inspector = StoreInspector(temporaryFolder: folder.path)
    return try #require(throws: InspectionError.self) {
      try inspector.census(of: folder.file(name))
    }
  }

  @Test func `An inspection of a missing file fails`() throws {
    #expect(try error(of: "absent") == .notFound(path: folder.file("absent")))
    _ = try folder.write(Data("x".utf8), to: "file")
    #expect(try error(of: "file/inside") == .notFound(path: folder.file("file/inside")))
  }

  @Test func `An inspection of a folder fails`() throws {
    #expect(try error(of: ".") == .notAFile(path: folder.file(".")))
  }

  @Test func `An inspection of a circular link fails`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("circle"),
      withDestinationPath: "circle"
    )
    guard case .unreadable(folder.file("circle"), _) = try error(of: "circle") else {
      Issue.record("another error")
      return
    }
  }

  @Test func `An inspection of an empty file fails`() throws {
    let path = try folder.write(Data(), to: "empty")
    #expect(try error(of: "empty") == .empty(path: path))
  }

  @Test(arguments: [3, 15, 16, 100, 511, 512, 513, 10_000])
  func `An inspection of a file that is not a database fails`(size: Int) throws {
    let path = try folder.write(Data(repeating: 0x23, count: size), to: "README.md")
    #expect(try error(of: "README.md") == .notADatabase(path: path))
  }

  @Test func `An inspection of another application's database names its tables`() throws {
    try Connection(path: folder.file("other")).execute(
      "CREATE TABLE songs(x); CREATE TABLE albums(y)"
    )
    #expect(
      try error(of: "other")
        == .foreignFile(path: folder.file("other"), tables: ["songs", "albums"])
    )
  }

  @Test(arguments: ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"])
  func `An inspection of a partial Core Data schema names the missing tables`(table: String) throws
  {
    try CoreDataFixture.make(
      at: folder.file("part"),
      CoreDataFixture.schema + "DROP TABLE \(table)"
    )
    #expect(
      try error(of: "part") == .missingTables(path: folder.file("part"), tables: [table])
    )
  }

  @Test func `An inspection of a different table names its missing columns`() throws {
    try CoreDataFixture.make(
      at: folder.file("columns"),
      """
      CREATE TABLE ATRANSACTION(id, ZTIMESTAMP); CREATE TABLE ATRANSACTIONSTRING(Z_PK, ZVALUE);
      CREATE TABLE ACHANGE(x);
      """
    )
    #expect(
      try error(of: "columns")
        == .missingColumns(
          path: folder.file("columns"),
          table: "ATRANSACTION",
          columns: ["Z_PK"]
        )
    )
  }

  @Test func `An inspection of a store of a newer version fails`() throws {
    try Connection(path: folder.file("newer")).execute(
      "PRAGMA application_id=\(Schema.applicationID); PRAGMA user_version=999; CREATE TABLE t(x)"
    )
    #expect(
      try error(of: "newer")
        == .newerFormat(path: folder.file("newer"), found: 999, known: Schema.formatVersion)
    )
  }

  @Test func `An inspection of a packed store without a table fails`() throws {
    try Connection(path: folder.file("ours")).execute(
      "PRAGMA application_id=\(Schema.applicationID); CREATE TABLE history_chunk(x)"
    )
    guard case .missingTables(_, let tables) = try error(of: "ours") else {
      Issue.record("another error")
      return
    }
    #expect(tables.first == "history_transaction")
    #expect(!tables.contains("history_chunk"))
  }

  @Test func `Truncated and damaged files give an error or a census, never a crash`() throws {
    try CoreDataFixture.make(at: folder.file("whole"))
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("whole")))
    let inspector = StoreInspector(temporaryFolder: folder.path)
    var failures = 0
    for offset in stride(from: 100, to: whole.count, by: 389) {
      var damaged = whole
      damaged[offset] ^= 0xff
      for bytes in [damaged, whole.prefix(offset)] {
        let path = try folder.write(bytes, to: "damaged")
        do {
          _ = try inspector.census(of: path)
        } catch {
          failures += 1
          #expect(error.description.hasPrefix(path))
        }
      }
    }
    #expect(failures > 100)
  }

  static let sentences: [(InspectionError, String)] = [
    (.notFound(path: "a.db"), "There is no file a.db. Check the path."),
    (
      .notAFile(path: "/tmp"),
      "/tmp is not a file. Pass the path of the store's file, which often ends in .sqlite."
    ),
    (
      .unreadable(path: "a.db", reason: "Permission denied"),
      "a.db cannot be read: Permission denied. Check the permissions, or inspect a copy."
    ),
    (.empty(path: "a.db"), "a.db is empty. Pass the store's main file, not its -wal file."),
    (
      .notADatabase(path: "README.md"),
      "README.md is not an SQLite database, or it is encrypted. Pass a store of this library, or the "
        + "file of a Core Data store."
    ),
    (
      .foreignFile(path: "a.db", tables: ["a", "b", "c", "d\u{1b}[2J", "e", "f"]),
      "a.db is an SQLite database without a history: it contains \"a\", \"b\", \"c\", \"d\\u{1B}[2J\" "
        + "and 2 more. Pass a store of this library, or a Core Data store with persistent history "
        + "tracking on."
    ),
    (
      .foreignFile(path: "a.db", tables: []),
      "a.db is an SQLite database without a history: it contains no table. Pass a store of this "
        + "library, or a Core Data store with persistent history tracking on."
    ),
    (
      .missingTables(path: "a.db", tables: ["ACHANGE"]),
      "a.db contains only part of a history: without \"ACHANGE\" it cannot be read. Inspect a "
        + "complete copy."
    ),
    (
      .missingColumns(path: "a.db", table: "ACHANGE", columns: ["ZENTITY"]),
      "a.db: the table ACHANGE is not Core Data's: it has no column \"ZENTITY\". Inspect a file that "
        + "Core Data wrote."
    ),
    (
      .newerFormat(path: "a.db", found: 9, known: 1),
      "a.db has file format 9; this version reads up to format 1. Update history-lab."
    ),
    (
      .damaged(path: "a.db", reason: "malformed"),
      "a.db is damaged: malformed. Restore it from a copy."
    ),
    (
      .changing(path: "a.db"),
      "a.db was written during every attempt to read it. Try again when no app writes to it."
    ),
    (
      .cannotCopy(path: "a.db", folder: "/tmp", reason: "No space left on device"),
      "a.db must be copied before it is read, and the copy cannot be made in /tmp: No space left on "
        + "device. Set TMPDIR to a folder with more free space."
    ),
    (
      .sqlite(path: "a.db", SQLiteError(code: 7, message: "out of memory", sql: "SELECT 1")),
      "a.db could not be read. SQLite reports \"out of memory\" (code 7) at: SELECT 1."
    ),
  ]

  @Test(arguments: sentences)
  func `Each error is a sentence with the problem and a suggestion`(
    error: InspectionError,
    sentence: String
  ) {
    #expect(error.description == sentence)
  }
}
