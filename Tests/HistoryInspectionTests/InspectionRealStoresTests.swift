import Foundation
import HistoryStore
import SQLiteStorage
import StoreFixtures
import Testing

@testable import HistoryInspection

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
      #expect(
        try Int64(census.migrations)
          == sql.count(
            """
            FROM ATRANSACTION JOIN ATRANSACTIONSTRING s ON s.Z_PK = ZAUTHORTS
            WHERE s.ZNAME LIKE 'com.apple.coredata.schemamigrator%'
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
