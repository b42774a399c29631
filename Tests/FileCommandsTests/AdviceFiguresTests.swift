import Foundation
import HistoryInspection
import HistoryLab
import HistoryStore
import LabFixtures
import Measuring
import SQLiteStorage
import Testing

@testable import Commands
@testable import FileCommands

/// Compares the figures of advice with plain SQL over a file that the tests make, and over a copy of
/// a file of Core Data if the checkout has some.
@Suite struct `Figures of advice` {
  /// Runs a closure for the tests' own file and for copies of those in a folder `shared/stores` above.
  private func withFiles(_ body: (String) throws -> Void) async throws {
    try await withFolder { folder in
      let mirror = "NSCloudKitMirroringDelegate.import"
      let mirrored = (0..<10).map { StatedTransaction(mirror, 40 + Double($0) / 10, 2) }
      let path = "\(folder)/own.sqlite"
      try AdviceFile.make(AdviceFile.fortyDays + mirrored, at: path)
      try body(path)
      for (index, stored) in Self.realFiles().enumerated() {
        // A copy: the code under test must never reach a file outside the test.
        let copy = "\(folder)/real\(index).sqlite"
        try Data(contentsOf: URL(fileURLWithPath: stored)).write(to: URL(fileURLWithPath: copy))
        try body(copy)
      }
    }
  }

  private static func realFiles() -> [String] {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let stores = folder.path + "/shared/stores"
      guard FileManager.default.fileExists(atPath: stores) else { continue }
      let names = FileManager.default.enumerator(atPath: stores)?.compactMap { $0 as? String } ?? []
      return names.filter { $0.hasSuffix(".sqlite") }.sorted().map { stores + "/" + $0 }
    }
    return []
  }

  @Test func `The deletions of each purge agree with SQL`() async throws {
    try await withFiles { path in
      let outline = try StoreInspector().outline(of: path)
      let advice = Advice(outline, given: [], Advice.Settings(keptCount: 20))
      let sql = try AdviceSQL(path)
      for days in PurgePlan.ages {
        let forecast = try #require(advice.forecast(.olderThan(days: days)))
        let condition = """
          ZTIMESTAMP < (SELECT ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1) - \(days * 86400)
          """
        #expect(try forecast.transactions == sql.transactions(condition))
        #expect(try forecast.changes == sql.changes(condition))
        #expect(try forecast.last?.number == sql.greatest(condition))
      }
      let newest = try #require(advice.forecast(.newest(20)))
      let condition = """
        t.Z_PK NOT IN (SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 20)
        """
      #expect(try newest.transactions == sql.transactions(condition))
      #expect(try newest.changes == sql.changes(condition))
      #expect(advice.forecast(.merged) == nil)
    }
  }

  @Test func `The unmerged and lost transactions of consumers agree with SQL`() async throws {
    try await withFiles { path in
      let outline = try StoreInspector().outline(of: path)
      let middle = outline.count / 2
      // Between two timestamps, so that it does not matter how SQL reads the last digit.
      let date = (outline.timestamps[middle / 2] + outline.timestamps[middle / 2 + 1]) / 2
      let consumers = [
        Consumer("by number", at: .number(outline.numbers[middle])),
        Consumer("by date", at: .date(date)),
      ]
      let advice = Advice(outline, given: consumers)
      let sql = try AdviceSQL(path)
      let conditions = [
        "t.Z_PK > \(outline.numbers[middle])", "ZTIMESTAMP > \(date)",
      ]
      for (consumer, unmerged) in zip(consumers, conditions) {
        let status = try #require(advice.consumers.first { $0.consumer == consumer })
        #expect(try status.lagTransactions == sql.all(unmerged))
        for days in PurgePlan.ages {
          let forecast = try #require(advice.forecast(.olderThan(days: days)))
          let condition = """
            ZTIMESTAMP < (SELECT ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1)
            - \(days * 86400) AND \(unmerged)
            """
          let loss = forecast.losses.first { $0.consumer == consumer.name }
          #expect(try loss?.transactions ?? 0 == sql.transactions(condition))
          #expect(try loss?.changes ?? 0 == sql.changes(condition))
        }
      }
      let merged = try #require(advice.forecast(.merged))
      let both = conditions.map { "NOT (\($0))" }.joined(separator: " AND ")
      #expect(try merged.transactions == sql.transactions(both))
      #expect(!merged.loses)
    }
  }

  @Test func `Bytes, days and authors sum up to the whole history`() async throws {
    try await withFiles { path in
      let outline = try StoreInspector().outline(of: path)
      let cost = HistoryCost(PastHistory(outline))
      let sql = try AdviceSQL(path)
      #expect(try cost.writers.reduce(0) { $0 + $1.transactions } == sql.all("1"))
      #expect(try cost.writers.reduce(0) { $0 + $1.changes } == sql.allChanges())
      #expect(cost.days.reduce(0) { $0 + $1.transactions } == outline.count)
      let bytes = try #require(cost.bytes)
      let sum = cost.writers.reduce(0) { $0 + $1.bytes }
      // The table of strings belongs to no transaction.
      #expect(sum <= Double(bytes) * 1.001 && sum >= Double(bytes) / 3)
    }
  }

  @Test func `Growth is the mean of whole days with an interval around it`() throws {
    let outline = HistoryOutline.stated((0..<11).map { StatedTransaction("app", Double($0), 10) })
    let cost = HistoryCost(PastHistory(outline))
    // Eleven transactions of 1,000 bytes at intervals of a day: ten whole days, one each.
    #expect(cost.days.map(\.transactions) == Array(repeating: 1, count: 11))
    #expect(cost.growth?.estimate == 1000 && cost.growth?.lower == 1000)
    #expect(cost.doublingDays?.estimate == 11 && cost.doublingDays?.upper == 11)
    let uneven = (0..<11).map { StatedTransaction("app", Double($0), $0 % 2 == 0 ? 5 : 15) }
    let growth = try #require(HistoryCost(PastHistory(.stated(uneven))).growth)
    #expect(growth.lower < growth.estimate && growth.estimate < growth.upper)
    #expect(growth.lower > 500 && growth.upper < 1500)
    let short = HistoryOutline.stated((0..<3).map { StatedTransaction("app", Double($0)) })
    #expect(HistoryCost(PastHistory(short)).growth == nil)
  }

  @Test func `Conditions are counted with the lab's names`() throws {
    let outline = HistoryOutline.stated([
      StatedTransaction("app", 0), StatedTransaction("app", 0), StatedTransaction(nil, 3),
      StatedTransaction("app", 2.5), StatedTransaction("NSCloudKitMirroringDelegate.export", 2.6),
    ])
    let conditions = HistoryCondition.all(in: PastHistory(outline))
    #expect(
      conditions.map(\.name) == [
        "ties", "clock-back", "pause", "lost-notification", "absent-author", "mirror-lag",
      ]
    )
    #expect(conditions.map(\.count) == [1, 1, 1, 1, 1, 1])
    let known = Catalogue.conditions.map(\.name)
    #expect(conditions.allSatisfy { known.contains($0.name) })
    let later = HistoryCondition.all(in: PastHistory(.stated([StatedTransaction("a", 1)], from: 6)))
    #expect(later.map(\.name) == ["retention"] && later.map(\.count) == [5])
  }

  @Test func `A position before purged history is cut off`() {
    let outline = HistoryOutline.stated(
      [StatedTransaction("app", 10), StatedTransaction("app", 11)],
      from: 6
    )
    let history = PastHistory(outline)
    #expect(history.wasPurged && history.goneCount == 5)
    #expect(history.isGone(after: .number(4)) && !history.isGone(after: .number(5)))
    #expect(history.isGone(after: .date(9 * 86400)) && !history.isGone(after: .date(10 * 86400)))
    #expect(!PastHistory(.stated([StatedTransaction("app", 1)])).wasPurged)
    // The mirror's old transactions, which no purge deletes, do not hide the gap after them.
    var mirrored = HistoryOutline.stated([
      StatedTransaction("NSCloudKitMirroringDelegate.import", 1)
    ])
    mirrored.authors.append(OutlineAuthor(name: .known("app")))
    mirrored.append(9, timestamp: 9 * 86400, author: 1, changes: 1, bytes: 1)
    #expect(PastHistory(mirrored).goneCount == 7)
    #expect(PastHistory(mirrored).isGone(after: .number(1)))
    #expect(!PastHistory(mirrored).isGone(after: .number(8)))
  }
}

/// Answers of SQL that shares no code with the analysis.
private struct AdviceSQL: ~Copyable {
  private let connection: Connection

  /// Every transaction that no mirror wrote.
  private static let deletable = """
    FROM ATRANSACTION t LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS
    WHERE coalesce(s.ZNAME, '') NOT LIKE 'NSCloudKitMirroringDelegate.%' AND
    """

  init(_ path: String) throws {
    var options = ConnectionOptions()
    options.access = .immutable
    connection = try Connection(path: path, options)
  }

  func all(_ condition: String) throws -> Int {
    try Int(connection.integer("SELECT count(*) FROM ATRANSACTION t WHERE \(condition)") ?? 0)
  }

  func allChanges() throws -> Int {
    try Int(connection.integer("SELECT count(*) FROM ACHANGE") ?? 0)
  }

  func transactions(_ condition: String) throws -> Int {
    try Int(connection.integer("SELECT count(*) \(Self.deletable) \(condition)") ?? 0)
  }

  func changes(_ condition: String) throws -> Int {
    try Int(
      connection.integer(
        """
        SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID IN
          (SELECT t.Z_PK \(Self.deletable) \(condition))
        """
      ) ?? 0
    )
  }

  func greatest(_ condition: String) throws -> Int64? {
    let query = try Statement(connection, "SELECT max(t.Z_PK) \(Self.deletable) \(condition)")
    return try query.step() && !query.isNull(0) ? query.int(0) : nil
  }
}
