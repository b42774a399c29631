import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct TimestampTests {
  private func timestamps(_ readings: [Double]) throws -> [Double] {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    for reading in readings {
      fixture.clock.now = reading
      try store.add("a")
    }
    return try store.fetch(HistoryRequest(after: nil)).transactions.map(\.record.timestamp)
  }

  @Test func `A rising clock is used unchanged`() throws {
    #expect(try timestamps([1, 2, 2.5]) == [1, 2, 2.5])
  }

  @Test func `A stopped or reversed clock is raised by a microsecond`() throws {
    #expect(try timestamps([10, 10, 3, 11]) == [10, 10 + 1e-6, 10 + 1e-6 + 1e-6, 11])
  }

  @Test(arguments: [0x1p33, 0x1p40, 1e15, 1e300])
  func `Where a double cannot resolve a microsecond the next double is used`(start: Double) throws {
    let found = try timestamps(Array(repeating: start, count: 4))
    #expect(found[0] == start)
    for (earlier, later) in zip(found, found.dropFirst()) {
      #expect(earlier < later)
      #expect(later <= max(earlier + 1e-6, earlier.nextUp))
    }
  }

  @Test(arguments: [0.0, -5])
  func `The first timestamp is not raised, however early the clock is`(start: Double) throws {
    #expect(try timestamps([start, start]) == [start, start + 1e-6])
  }

  @Test func `Another connection continues after the last timestamp`() throws {
    let fixture = try StoreFixture()
    try fixture.open().add("a")
    fixture.clock.now -= 100
    let store = try fixture.open()
    try store.add("b")
    let found = try store.fetch(HistoryRequest(after: nil)).transactions.map(\.record.timestamp)
    #expect(found == [1000, 1000.000001])
  }
}
