import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@testable import HistoryStore

/// Core Data's files have an index of the timestamps: a date request starts at the first later
/// transaction, even where the clock stepped back.
@Suite struct `The index of timestamps` {
  private let fixture: StoreFixture
  private let store: Store

  init() throws {
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = .wallClock
    fixture.configuration.layout = .coreData
    self.fixture = fixture
    store = try fixture.open()
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `The index finds the same transactions as a scan`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var times: [Double] = []
    for _ in 0..<30 {
      fixture.clock.now = Double(random.next() % 20)
      times.append(fixture.clock.now)
      try store.add("a")
    }
    try store.purge(before: store.token(Int64(1 + random.next() % 10)))
    let held = try store.numbers()
    for moment in -1...20 {
      let later = held.filter { times[Int($0) - 1] > Double(moment) }
      #expect(try store.numbers(afterSeconds: Double(moment)) == later, "after \(moment)")
    }
  }

  @Test func `A lookup by date uses only the index, and only for later times`() throws {
    let sql = StoreStatement.firstNumberLater.sql(.coreData)
    let plan = try Statement(try fixture.connection(), "EXPLAIN QUERY PLAN \(sql)")
    #expect(try plan.step())
    let index = "Z_TRANSACTION_TransactionTimestampIndex"
    #expect(
      plan.text(3) == "SEARCH ATRANSACTION USING COVERING INDEX \(index) (ZTIMESTAMP>?)"
    )
  }
}
