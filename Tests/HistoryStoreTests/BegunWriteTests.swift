import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

/// Writes that read the clock when they start and take the lock when they commit.
@Suite(.inEveryLayout) struct BegunWriteTests {
  private func store(
    _ timestamps: StoreConfiguration.Timestamps
  ) throws -> (store: Store, clock: TestClock) {
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = timestamps
    return (try fixture.open(), fixture.clock)
  }

  /// A save and a batch request started at 10 and committed at 20, after a write at 15.
  private func times(_ timestamps: StoreConfiguration.Timestamps) throws -> [Double] {
    let (store, clock) = try store(timestamps)
    clock.now = 10
    let begun = clock.date
    let id = try store.makeObjectID("Item")
    clock.now = 15
    try store.add("between")
    clock.now = 20
    let edit = ObjectEdit(.insert, id, values: Array(repeating: .null, count: 8))
    _ = try store.save(
      SaveRequest(
        edits: [edit],
        author: "app",
        contextName: nil,
        writer: WriterID(rawValue: 1),
        policy: .error,
        begunAt: begun
      )
    )
    var author = BatchAuthor("app")
    author.begunAt = begun
    try store.batchInsert(into: "Item", [["title": "b"]], by: author)
    try store.add("after")
    let transactions = try store.fetch(HistoryRequest(after: nil)).transactions
    #expect(transactions.map(\.number) == [1, 2, 3, 4])
    return transactions.map(\.record.timestamp)
  }

  @Test func `With a raw clock the timestamp is the start time, even below the previous one`()
    throws
  {
    #expect(try times(.wallClock) == [15, 10, 10, 20])
  }

  @Test func `With monotone timestamps the start time is raised above the previous one`() throws {
    #expect(try times(.monotone) == [15, 15 + 1e-6, 15 + 1e-6 + 1e-6, 20])
  }
}
