import Foundation
import HistoryInspection
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

/// The estimate of a purge equals its effect.
@Suite(.inEveryLayout) struct PurgeEstimateTests {
  private let fixture: StoreFixture
  private let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  private func estimate(_ bound: PurgeBound) throws -> PurgeEstimate {
    try #require(try StoreInspector().census(of: fixture.path, purging: bound).purge)
  }

  /// Writes some transactions of twenty changes each, a minute apart.
  private func write(_ count: Int) throws {
    for index in 1...count {
      fixture.clock.now += 60
      try store.add((0..<20).map { "\(index) \($0)" }, by: index % 2 == 0 ? "app" : nil)
    }
  }

  @Test func `The estimated counts and bytes are close to those of the purge`() throws {
    try write(400)
    let token = try store.token(301)
    let estimate = try estimate(.number(301))
    #expect((estimate.transactions, estimate.changes) == (300, 6000))
    #expect(estimate.kept.all == 0 && estimate.timestamp == nil)
    let connection = try fixture.connection()
    let before = try #require(try connection.integer("PRAGMA freelist_count"))
    #expect(try store.purge(before: token).transactionCount == 300)
    let after = try #require(try connection.integer("PRAGMA freelist_count"))
    let freed = Double((after - before) * 4096)
    #expect(abs(freed - Double(estimate.bytes ?? 0)) < 0.2 * freed + 8192, "\(freed) \(estimate)")
  }

  @Test func `Dates and ages are compared strictly`() throws {
    try write(10)
    let newest = fixture.clock.now
    for (bound, count) in [
      (PurgeBound.timestamp(newest - 300), 4), (.timestamp(newest - 299.5), 5),
      (.days(300.0 / 86400), 4), (.days(0), 9), (.days(1), 0),
    ] {
      let estimate = try estimate(bound)
      #expect(estimate.transactions == count, "\(bound)")
      #expect(estimate.changes == 20 * count)
    }
    #expect(try estimate(.days(1)).timestamp == newest - 86400)
  }

  @Test func `The estimate distinguishes the reasons to keep transactions`() throws {
    try write(4)
    try store.add("mirror", by: "NSCloudKitMirroringDelegate.import")
    _ = try store.join("app")
    try write(2)
    let all = try estimate(.number(.max))
    // Members have merged five, one of them protected; two are above.
    #expect((all.transactions, all.kept.all) == (4, 3))
    let purged = try store.purge()
    #expect(purged.transactionCount == all.transactions)
    #expect(try estimate(.number(.max)).transactions == 0)
  }

  @Test func `A history without transactions or timestamps has an empty estimate`() throws {
    #expect(try estimate(.days(1)) == PurgeEstimate(bound: .days(1)).withBytes(0))
    #expect(try estimate(.number(9)).transactions == 0)
  }

  @Test func `For a file by Core Data everything before the bound counts`() throws {
    let folder = try InspectionFolder()
    try CoreDataFixture.make(at: folder.file("a"))
    for (bound, transactions, changes) in [
      (PurgeBound.number(4), 3, 4), (.timestamp(1000.001), 1, 3), (.days(58.0 / 86400), 3, 4),
    ] {
      let census = try StoreInspector().census(of: folder.file("a"), purging: bound)
      let purge = try #require(census.purge)
      #expect((purge.transactions, purge.changes, purge.kept.all) == (transactions, changes, 0))
    }
    #expect(try StoreInspector().census(of: folder.file("a")).purge == nil)
  }

  @Test func `A Core Data file keeps the transactions of a CloudKit mirror`() throws {
    let folder = try InspectionFolder()
    try CoreDataFixture.make(
      at: folder.file("a"),
      CoreDataFixture.schema + CoreDataFixture.rows + """
        INSERT INTO ATRANSACTIONSTRING VALUES(3,16003,1,'NSCloudKitMirroringDelegate.import');
        UPDATE ATRANSACTION SET ZAUTHORTS = 3 WHERE Z_PK = 2;
        UPDATE ATRANSACTION SET ZAUTHOR = 'NSCloudKitMirroringDelegate.export' WHERE Z_PK = 4;
        """
    )
    let census = try StoreInspector().census(of: folder.file("a"), purging: .number(6))
    let purge = try #require(census.purge)
    #expect((purge.transactions, purge.kept.protected, purge.kept.all) == (3, 2, 2))
    #expect(
      purge.protectedAuthors.map(\.name.text).sorted() == [
        "NSCloudKitMirroringDelegate.export", "NSCloudKitMirroringDelegate.import",
      ]
    )
    #expect(purge.last?.number == 5)
    #expect(census.isMirrored && census.members == nil)
  }

  @Test func `Mirroring is found by its tables too`() throws {
    let folder = try InspectionFolder()
    let sql = CoreDataFixture.schema + CoreDataFixture.rows
    try CoreDataFixture.make(at: folder.file("a"), sql)
    try CoreDataFixture.make(at: folder.file("b"), sql + "CREATE TABLE ANSCKMETADATAENTRY(a);")
    #expect(try !StoreInspector().census(of: folder.file("a")).isMirrored)
    #expect(try StoreInspector().census(of: folder.file("b")).isMirrored)
  }

  @Test func `Deleted authors, entities and tombstones are counted`() throws {
    try store.add(["a", "b", "c"], by: "app")
    try store.batchDelete("Item", where: .compare("title", .equal, "a"), by: BatchAuthor("widget"))
    try store.add("d", by: nil)
    let purge = try estimate(.number(3))
    #expect(purge.authors.map(\.name) == [.known("app"), .known("widget")])
    #expect(purge.authors.map(\.changes) == [3, 1])
    #expect(purge.entities.map(\.name) == [.known("Item")])
    #expect(purge.entities.map(\.changes.inserts) == [3])
    #expect(purge.entities.map(\.changes.deletes) == [1])
    #expect(purge.tombstones == 1)
    #expect(purge.last?.number == 2)
    #expect(try estimate(.number(2)).tombstones == 0)
  }

  @Test func `Tombstones of a Core Data file are deletes with values`() throws {
    let folder = try InspectionFolder()
    try CoreDataFixture.make(
      at: folder.file("a"),
      CoreDataFixture.schema + CoreDataFixture.rows + "UPDATE ACHANGE SET ZTOMBSTONE0 = x'01';"
    )
    func tombstones(_ bound: Int64) throws -> Int? {
      try StoreInspector().census(of: folder.file("a"), purging: .number(bound)).purge?.tombstones
    }
    #expect(try tombstones(4) == 0)
    #expect(try tombstones(5) == 1)
  }

  @Test func `Members are listed with cursor, lag and the ones that hold history back`() throws {
    try store.add("a")
    let slow = try store.join("slow", author: "widget")
    fixture.clock.now += 60
    try store.add("b")
    fixture.clock.now += 60
    try store.add("c")
    let fast = try store.join("fast", kind: .consumer)
    let census = try StoreInspector().census(of: fixture.path)
    let members = try #require(census.members)
    #expect(members.map(\.name) == ["fast", "slow"])
    #expect(members.map(\.cursor) == [3, 1])
    #expect(members.map(\.lag) == [0, 2])
    #expect(members.map(\.holdsBack) == [false, true])
    #expect(members.map(\.author) == [nil, "widget"])
    #expect(members.map(\.seen) == [fixture.clock.now, fixture.clock.now - 120])
    #expect(abs((members[1].lagSeconds ?? 0) - 60) < 0.001 && members[0].lagSeconds == nil)
    // Retired members hold nothing back.
    try store.retire(slow)
    let after = try #require(try StoreInspector().census(of: fixture.path).members)
    #expect(after.map(\.holdsBack) == [false, false])
    withExtendedLifetime(fast) {}
  }

  @Test func `An author that only a member's store protects is kept`() throws {
    var configuration = fixture.configuration
    configuration.protectedAuthors = ["sync"]
    let other = try Store(
      path: fixture.path,
      model: StoreFixture.model(),
      configuration: configuration
    )
    try other.add("a", by: "sync")
    try other.add("b", by: "app")
    let registration = try other.join("app")
    #expect(try estimate(.number(2)).kept.protected == 1)
    #expect(try store.purge().transactionCount == 0)
    withExtendedLifetime(registration) {}
  }

  @Test func `Unknown and missing tables are named in the estimate`() throws {
    func tables() throws -> [[String]] {
      let census = try StoreInspector().census(of: fixture.path)
      return [census.unknownTables, census.missingTables]
    }
    try store.add("a")
    #expect(try tables() == [[], []])
    try fixture.execute("CREATE TABLE mine(a); DROP TABLE history_thinned; DROP TABLE Tag")
    #expect(try tables() == [["mine"], ["history_thinned", "Tag"]])
  }

  @Test func `In a Core Data file only tables with other names are unknown`() throws {
    let folder = try InspectionFolder()
    try CoreDataFixture.make(
      at: folder.file("a"),
      CoreDataFixture.schema + "CREATE TABLE ZNOTE(a); CREATE TABLE ACHANGES(a);"
    )
    let census = try StoreInspector().census(of: folder.file("a"))
    #expect(census.unknownTables == ["ACHANGES"])
    #expect(census.missingTables == ["Z_METADATA"])
  }

  @Test func `A burst is a run of transactions within a second`() throws {
    for gap in [5, 0.5, 1, 1.01, 9, 0.1, 70] {
      fixture.clock.now += gap
      try store.add("a")
    }
    let bursts = try StoreInspector().census(of: fixture.path).bursts
    #expect((bursts.sizes.count, bursts.transactions, bursts.sizes.greatest) == (2, 5, 3))
  }
}

extension PurgeEstimate {
  fileprivate func withBytes(_ bytes: Int64) -> PurgeEstimate {
    var estimate = self
    estimate.bytes = bytes
    return estimate
  }
}
