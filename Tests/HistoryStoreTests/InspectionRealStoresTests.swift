import Foundation
import SQLiteStorage
import Testing

@testable import HistoryStore

/// Compares censuses with plain SQL, over files written by Core Data if the checkout has some, and
/// over the tests' own file everywhere.
@Suite struct InspectionRealStoresTests {
  @Test(arguments: StoreAtHand.all)
  func `A census agrees with SQL`(store: StoreAtHand) throws {
    try store.withPath { path in
      let census = try StoreInspector().census(of: path)
      let sql = try PlainCounts(path)
      #expect(try Int64(census.transactions) == sql.count("FROM ATRANSACTION"))
      #expect(try Int64(census.changes) == sql.count("FROM ACHANGE"))
      #expect(try Int64(census.strings) == sql.count("FROM ATRANSACTIONSTRING"))
      let types = census.types
      #expect(
        try [types.inserts, types.updates, types.deletes].map(Int64.init)
          == (0...2).map { try sql.count("FROM ACHANGE WHERE ZCHANGETYPE = \($0)") }
      )
      #expect(try Dictionary(byText: census.authors, \.transactions) == sql.transactionsByAuthor())
      #expect(try Dictionary(byText: census.authors, \.changes) == sql.changesByAuthor())
      #expect(
        try Dictionary(byText: census.entities, \.changes.all) == sql.changesByEntity()
      )
      #expect(
        try Int64(census.transactionsWithoutChanges)
          == sql.count(
            """
            FROM ATRANSACTION t WHERE NOT EXISTS
              (SELECT 1 FROM ACHANGE c WHERE c.ZTRANSACTIONID = t.Z_PK)
            """
          )
      )
      #expect(try census.changesPerTransaction.greatest == sql.mostChanges())
      #expect(try census.span == sql.span())
      #expect(try Int64(census.ties) == sql.gaps("= 0"))
      #expect(try Int64(census.stepsBack) == sql.gaps("< 0"))
      #expect(
        try Int64(census.gapBands.counts.prefix(4).reduce(0, +)) == sql.gaps("BETWEEN 0 AND 1")
      )
      #expect(census.storage.historyBytes ?? 0 <= census.storage.fileBytes)
      #expect(census.oddities == CensusOddities())
    }
  }

  @Test(arguments: StoreAtHand.all)
  func `A census agrees with the table of counts next to the files`(
    store: StoreAtHand
  ) throws {
    let expected = try store.expectedCounts()
    try store.withPath { path in
      let census = try StoreInspector().census(of: path)
      #expect([census.transactions, census.changes, census.strings] == expected)
    }
  }
}

/// A file to compare: the tests' own or a real one.
enum StoreAtHand: Sendable, CustomTestStringConvertible {
  case own
  case real(folder: String, name: String)

  /// The tests' own file, and every real one in a folder `shared/stores` above the package.
  static var all: [StoreAtHand] {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let stores = folder.path + "/shared/stores"
      if FileManager.default.fileExists(atPath: stores) { return [.own] + real(in: stores) }
    }
    return [.own]
  }

  private static func real(in folder: String) -> [StoreAtHand] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".sqlite") }.sorted().map { .real(folder: folder, name: $0) }
  }

  var testDescription: String {
    switch self {
    case .own: "own"
    case .real(_, let name): name
    }
  }

  /// Runs a closure with the path of the file, or of a copy of a real one.
  func withPath(_ body: (String) throws -> Void) throws {
    switch self {
    case .own:
      let folder = try InspectionFolder()
      try CoreDataFixture.make(at: folder.file("own.sqlite"))
      try body(folder.file("own.sqlite"))
    case .real(let stores, let name):
      // A copy: the code under test may have bugs and must never reach a file outside the test.
      let folder = try InspectionFolder()
      let bytes = try Data(contentsOf: URL(fileURLWithPath: stores + "/" + name))
      try body(try folder.write(bytes, to: name))
    }
  }

  /// Returns the counts of transactions, changes and strings from the table `| file | ... |` in the
  /// folder's README.
  func expectedCounts() throws -> [Int] {
    guard case .real(let folder, let name) = self else { return [5, 6, 3] }
    let readme = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
    let wanted = name.dropLast(".sqlite".count)
    for line in readme.split(separator: "\n") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.first == String(wanted) { return cells.dropFirst().compactMap { Int($0) } }
    }
    return []
  }
}

/// Counts by SQL that shares no code with the census.
private struct PlainCounts: ~Copyable {
  private let connection: Connection

  private static let authorName = "coalesce(s.ZNAME, t.ZAUTHOR, '(none)')"
  private static let authors = """
    FROM ATRANSACTION t LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS
    """

  init(_ path: String) throws {
    var options = ConnectionOptions()
    options.access = .immutable
    connection = try Connection(path: path, options)
  }

  func count(_ rest: String) throws -> Int64 {
    try connection.integer("SELECT count(*) \(rest)") ?? 0
  }

  func transactionsByAuthor() throws -> [String: Int] {
    try table("SELECT \(Self.authorName), count(*) \(Self.authors) GROUP BY 1")
  }

  func changesByAuthor() throws -> [String: Int] {
    try table(
      """
      SELECT \(Self.authorName), count(c.Z_PK) \(Self.authors)
      LEFT JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK GROUP BY 1
      """
    )
  }

  func changesByEntity() throws -> [String: Int] {
    try table(
      """
      SELECT coalesce(k.Z_NAME, '#' || c.ZENTITY), count(*) FROM ACHANGE c
      LEFT JOIN Z_PRIMARYKEY k ON k.Z_ENT = c.ZENTITY GROUP BY c.ZENTITY
      """
    )
  }

  func mostChanges() throws -> Int64? {
    try connection.integer(
      "SELECT max(n) FROM (SELECT count(*) AS n FROM ACHANGE GROUP BY ZTRANSACTIONID)"
    )
  }

  func span() throws -> ClosedRange<Double>? {
    let query = try Statement(
      connection,
      "SELECT min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION"
    )
    guard try query.step(), !query.isNull(0) else { return nil }
    return query.real(0)...query.real(1)
  }

  func gaps(_ condition: String) throws -> Int64 {
    try connection.integer(
      """
      SELECT count(*) FROM
        (SELECT ZTIMESTAMP - lag(ZTIMESTAMP) OVER (ORDER BY Z_PK) AS gap FROM ATRANSACTION)
      WHERE gap \(condition)
      """
    ) ?? 0
  }

  private func table(_ sql: String) throws -> [String: Int] {
    let query = try Statement(connection, sql)
    var table: [String: Int] = [:]
    while try query.step() { table[query.text(0) ?? "", default: 0] += Int(query.int(1)) }
    return table
  }
}

extension [String: Int] {
  fileprivate init(byText authors: [AuthorCount], _ count: (AuthorCount) -> Int) {
    self.init(authors.map { ($0.name.text, count($0)) }, uniquingKeysWith: +)
  }

  fileprivate init(byText entities: [EntityCount], _ count: (EntityCount) -> Int) {
    self.init(entities.map { ($0.name.text, count($0)) }, uniquingKeysWith: +)
  }
}
