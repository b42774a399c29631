import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

/// Purges that wait for a time or a size; the file has the state for all processes.
@Suite(.inEveryLayout) struct PurgeTriggerTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  private func write(_ count: Int) throws {
    for _ in 0..<count { try store.add("a") }
  }

  @Test func `A purge at intervals is due at once, then once per interval over all processes`()
    throws
  {
    try write(3)
    let hourly = PurgeTrigger.atIntervals(of: .seconds(3600))
    let first = try store.purge(when: hourly)
    #expect(first.isDue && first.transactionCount == 2)
    try write(3)
    fixture.clock.now += 3599
    let early = try fixture.open().purge(when: hourly)
    #expect(!early.isDue && early.transactionCount == 0 && !early.isLimited)
    #expect(early.purgedThrough == 2 && early.watermark == 6)
    fixture.clock.now += 1
    #expect(try fixture.open().purge(when: hourly).transactionCount == 3)
    #expect(try !store.purge(when: hourly).isDue)
    // A purge at a time far in the future does not stop later purges for years.
    fixture.clock.now -= 50_000
    #expect(try store.purge(when: hourly).isDue)
    #expect(try !store.purge(when: hourly).isDue)
  }

  @Test func `Only a purge that deletes transactions restarts the interval`()
    throws
  {
    let hourly = PurgeTrigger.atIntervals(of: .seconds(3600))
    try store.purge()
    #expect(try store.purge(when: hourly).isDue)
    fixture.clock.now += 4000
    try write(3)
    try store.purge()
    #expect(try !store.purge(when: hourly).isDue)
  }

  @Test func `A purge that is not due still records the cursor`() throws {
    let app = try store.join("app")
    let never = PurgeTrigger.whenLargerThan(share: 1)
    try write(3)
    let token = try store.currentToken()
    #expect(try !store.purge(by: app, recording: token, when: never).isDue)
    #expect(try store.recordedCursor(of: app) == token)
    #expect(try store.heldNumbers() == [1, 2, 3])
    try write(1)
    let all = try store.purge(by: app, recording: try store.currentToken())
    #expect(all.watermark == 4 && all.purgedThrough == 3)
  }

  @Test func `A position from another history is neither recorded nor purged`() throws {
    let app = try store.join("app")
    try write(3)
    let foreign = try StoreFixture().open().currentToken()
    #expect(throws: HistoryError.otherStore(token: foreign, store: store.id)) {
      try store.purge(by: app, recording: foreign)
    }
    #expect(try store.recordedCursor(of: app).number == 0)
    #expect(try store.heldNumbers() == [1, 2, 3])
  }

  @Test func `A store with a large share of history is purged, one with a small share is not`()
    throws
  {
    try store.add(Array(repeating: String(repeating: "x", count: 200), count: 2000))
    let half = PurgeTrigger.whenLargerThan(share: 0.5)
    #expect(try !store.purge(when: half).isDue)
    try write(1000)
    let share = try store.historySize().share
    #expect(share > 0.1 && share < 0.5)
    #expect(try !store.purge(when: half).isDue)
    let result = try store.purge(when: .whenLargerThan(share: share * 0.8))
    #expect(result.isDue && result.transactionCount == 1000)
    #expect(try store.historySize().share < 0.1)
    #expect(try !store.purge(when: .whenLargerThan(share: share * 0.8)).isDue)
  }

  @Test func `The size counts pages and is estimated closely between measurements`() throws {
    for round in 0..<40 {
      for index in 0..<30 { try store.add(Array(repeating: "t", count: index % 4 + 1)) }
      if round % 8 == 7 { try store.purge(before: try store.currentToken()) }
      let size = try store.historySize()
      let pages = Double(try pageBytes())
      #expect(abs(Double(size.historyBytes) - pages) < 0.25 * pages + 16_384, "round \(round)")
      #expect(Int64(size.storeBytes) == (try usedBytes()))
    }
  }

  @Test func `The measured size is kept in the file`() throws {
    try write(200)
    #expect(try measurement() == nil)
    _ = try store.historySize()
    let first = try #require(try measurement())
    try write(20)
    _ = try fixture.open().historySize()
    #expect(try measurement() == first)
    try write(100)
    _ = try fixture.open().historySize()
    #expect(try measurement() != first)
  }

  /// The number of the newest transaction at the last measurement of history's size.
  private func measurement() throws -> Int64? {
    try fixture.connection().integer(
      "SELECT value FROM history_metadata WHERE name = 'sizedHead'"
    )
  }

  private func pageBytes() throws -> Int64 {
    let tables =
      fixture.layout == .packed
      ? "'history_transaction','history_chunk','history_string'"
      : "'ATRANSACTION','ACHANGE','ATRANSACTIONSTRING'"
    let sql = """
      SELECT sum(pgsize) FROM dbstat
      WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name IN (\(tables)))
      """
    return try fixture.connection().integer(sql) ?? 0
  }

  private func usedBytes() throws -> Int64 {
    let connection = try fixture.connection()
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    return (pages - (try connection.integer("PRAGMA freelist_count") ?? 0)) * 4096
  }
}
