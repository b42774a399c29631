import HistoryTypes
import PropertyTesting
import PropertyTraits
import SQLiteStorage
import StoreFixtures
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

  @Test(.property(cases: 8, seed: 1))
  func `The index finds the same transactions as a scan`() async throws {
    let times = Generator<Int>.ints(in: 0...19, spread: .uniform)
      .array(count: 1...34, length: .mostlyLongest, element: "time")
    try await property(times, .ints(in: 0...9, spread: .uniform)) { times, purged in
      let index = try Self()
      for time in times {
        index.fixture.clock.now = Double(time)
        try index.store.add("a")
      }
      try index.store.purge(before: index.store.token(Int64(1 + min(purged, times.count - 1))))
      let held = try index.store.numbers()
      for moment in -1...20 {
        let later = held.filter { times[Int($0) - 1] > moment }
        let found = try index.store.numbers(afterSeconds: Double(moment))
        #expect(found == later, "after \(moment)")
      }
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
