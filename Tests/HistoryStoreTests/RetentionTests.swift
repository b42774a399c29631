import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

/// Limits beyond which a purge does not wait for an actor.
@Suite(.inEveryLayout) struct RetentionTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    var fixture = try StoreFixture()
    fixture.configuration.memberLocks = .none
    self.fixture = fixture
    store = try fixture.open()
    try store.add("a")
  }

  private static let day = 86_400.0

  private func write(_ count: Int, every seconds: Double = 1) throws {
    for _ in 0..<count {
      fixture.clock.now += seconds
      try store.add("a")
    }
  }

  private func states() throws -> [MemberState] { try store.members().map(\.state) }

  @Test func `Without a limit no member is cut off`() throws {
    _ = try store.join("slow")
    try write(20, every: Self.day / 2)
    let result = try store.purge()
    #expect(result.lostMembers.isEmpty && result.purgedThrough == 1)
    #expect(try states() == [.active])
  }

  @Test func `A limit on transactions cuts a member off in the purge's own transaction`() throws {
    let slow = try store.join("slow")
    try write(2)
    let close = try store.join("close")
    try write(5)
    let limits = RetentionLimits(transactionCount: 5)
    let result = try store.purge(retaining: limits)
    #expect(result.lostMembers == ["slow"] && result.purgedThrough == 3 && result.watermark == 3)
    #expect(try states() == [.active, .lost])
    let lost = HistoryError.lost("slow")
    #expect(throws: lost) { try store.record(slow, through: slow.cursor) }
    #expect(throws: lost) { try store.fetch(HistoryRequest(after: slow.cursor), by: slow) }
    #expect(throws: lost) { try store.recordedCursor(of: slow) }
    #expect(try store.fetch(HistoryRequest(after: close.cursor), by: close).transactions.count == 5)
    let back = try store.resync(slow)
    #expect(back.cursor.number == 8)
    #expect(try store.purge(retaining: limits).lostMembers.isEmpty)
    #expect(try states() == [.active, .active])
  }

  @Test func `A failed purge cuts off no member`() throws {
    _ = try store.join("slow")
    try write(5)
    try fixture.execute(
      """
      CREATE TRIGGER refuse BEFORE UPDATE ON history_metadata WHEN OLD.name = 'purged'
      BEGIN SELECT raise(ABORT, 'no'); END
      """
    )
    #expect(throws: HistoryError.self) {
      try store.purge(retaining: RetentionLimits(transactionCount: 1))
    }
    #expect(try states() == [.active])
    #expect(try store.heldNumbers().count == 6)
  }

  @Test func `A member that is cut off gets an error even if its history still exists`() throws {
    let slow = try store.join("slow")
    for _ in 0..<5 { try store.add("a", by: PurgeTests.mirror) }
    let result = try store.purge(retaining: RetentionLimits(transactionCount: 2))
    #expect(result.lostMembers == ["slow"])
    #expect(try store.heldNumbers() == [2, 3, 4, 5, 6])
    #expect(throws: HistoryError.lost("slow")) {
      try store.fetch(HistoryRequest(after: slow.cursor), by: slow)
    }
  }

  @Test func `A consumer is never cut off, and a purge waits for it`() throws {
    let mirror = try store.join("mirror", kind: .consumer)
    _ = try store.join("slow")
    try write(9)
    let limits = RetentionLimits(age: .seconds(1), transactionCount: 1, byteCount: 1)
    let result = try store.purge(retaining: limits)
    #expect(result.lostMembers == ["slow"] && result.purgedThrough == 1)
    var taken: [Int64] = []
    try store.consume(mirror) { taken += $0.transactions.map(\.number.rawValue) }
    #expect(taken == Array(2...10))
    #expect(try store.purge(retaining: limits).purgedThrough == 9)
  }

  @Test func `A protected author's transactions survive when a member is cut off`() throws {
    _ = try store.join("slow")
    try store.add("m", by: PurgeTests.mirror)
    try write(4)
    try store.purge(retaining: RetentionLimits(transactionCount: 1))
    #expect(try store.heldNumbers() == [2, 6])
  }

  @Test(arguments: [0, 1, 3]) func `A limit on bytes cuts a member off`(bigAt: Int) throws {
    let members = try (0..<5).map { index in
      let member = try store.join(MemberID("m\(index)"))
      try store.add(Array(repeating: "a", count: index == bigAt ? 20_000 : 3))
      return member
    }
    let bytes = try store.members().map(\.lag.byteCount)
    #expect(bytes == bytes.sorted(by: >) && Set(bytes).count == members.count)
    for limit in [bytes[2], bytes[2] - 1, bytes[0], bytes[4] - 1] {
      let expected = zip(members, bytes).filter { $1 > limit }.map(\.0.member)
      let result = try store.purge(retaining: RetentionLimits(byteCount: limit))
      #expect(result.lostMembers == expected)
      try fixture.execute("UPDATE history_member SET state = 0")
    }
  }

  @Test func `Bytes are summed incrementally, and again when the slowest member advances`() throws {
    let slow = try store.join("slow")
    try write(3)
    let limit = try store.members()[0].lag.byteCount * 2
    let limits = RetentionLimits(byteCount: limit)
    #expect(try store.purge(retaining: limits).lostMembers.isEmpty)
    try write(2)
    try store.record(slow, through: try store.token(4))
    try write(1)
    #expect(try store.purge(retaining: limits).lostMembers.isEmpty)
    try write(2)
    #expect(try store.purge(retaining: limits).lostMembers.isEmpty)
    try write(2)
    #expect(try store.purge(retaining: limits).lostMembers == ["slow"])
  }

  @Test func `Age is counted from the newest transaction, not from the wall clock`() throws {
    _ = try store.join("slow")
    try write(3, every: 3600)
    fixture.clock.now += 1000 * Self.day
    let limits = RetentionLimits(age: .seconds(2 * 3600))
    #expect(try store.purge(retaining: limits).lostMembers.isEmpty)
    fixture.clock.now -= 1000 * Self.day
    try write(1, every: 1)
    #expect(try store.purge(retaining: limits).lostMembers == ["slow"])
  }

  @Test func `A clock jump of over a day is reported and cuts off no member`() throws {
    _ = try store.join("slow")
    try write(2, every: 3600)
    try write(1, every: 40 * Self.day)
    let limits = RetentionLimits(age: .seconds(7 * Self.day))
    let result = try store.purge(retaining: limits)
    #expect(result.lostMembers.isEmpty)
    #expect(
      result.timestampJumps == [TimestampJump(number: 4, difference: .seconds(40 * Self.day))]
    )
    // During a gap of exactly a day a process may have worked.
    try write(6, every: Self.day)
    #expect(try store.purge(retaining: limits).lostMembers.isEmpty)
    try write(1, every: Self.day)
    let later = try store.purge(retaining: limits)
    #expect(later.lostMembers == ["slow"])
    #expect(later.timestampJumps.map(\.number) == [4])
  }

  @Test func `A clock step back increases no member's age`() throws {
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = .wallClock
    let store = try fixture.open()
    _ = try store.join("slow")
    for seconds in [1e6, 1e6 + 5, 1e6 - 4e7, 1e6 - 4e7 + 5, 1e6 - 4e7 + 1] {
      fixture.clock.now = seconds
      try store.add("a")
    }
    let kept = try store.purge(retaining: RetentionLimits(age: .seconds(10)))
    #expect(kept.lostMembers.isEmpty)
    #expect(kept.timestampJumps == [TimestampJump(number: 3, difference: .seconds(-4e7 - 5))])
    #expect(try store.purge(retaining: RetentionLimits(age: .seconds(9.5))).lostMembers == ["slow"])
  }

  @Test(
    .property(cases: 6, seed: 1),
    arguments: [StoreConfiguration.Timestamps.monotone, .wallClock]
  )
  func `The age limit cuts off the same members as a sum over every gap`(
    timestamps: StoreConfiguration.Timestamps
  ) async throws {
    let gaps = Generator<Double>.element(
      of: [0, 1, 3600, 40_000, Self.day, Self.day + 1, 10 * Self.day, -3600]
    )
    try await property(
      gaps.array(count: 0...60, length: .mostlyLongest, element: "gap"),
      .ints(in: 0...4 * Int(Self.day) - 1, spread: .uniform)
    ) { gaps, seconds in
      var fixture = try StoreFixture()
      fixture.configuration.timestamps = timestamps
      let store = try fixture.open()
      for (place, gap) in gaps.enumerated() {
        fixture.clock.now += gap
        _ = try store.join(MemberID("m\(place)"))
        try store.add("a")
      }
      let times = try store.fetch(HistoryRequest(after: nil)).transactions.map(\.record.timestamp)
      let limit = Double(seconds) + 0.5
      let expected = Self.members(olderThan: limit, times)
      let result = try store.purge(retaining: RetentionLimits(age: .seconds(limit)))
      #expect(result.lostMembers == expected.sorted())
    }
  }

  /// Member m has not merged the transaction at index m: its age is the sum of the gaps from there,
  /// without those that are steps of the clock.
  private static func members(olderThan limit: Double, _ times: [Double]) -> [MemberID] {
    var ages = [0.0]
    for (later, earlier) in zip(times.reversed(), times.reversed().dropFirst()) {
      let gap = later - earlier
      ages.append(ages[ages.count - 1] + (gap > day || gap < 0 ? 0 : gap))
    }
    return ages.reversed().enumerated().filter { $1 > limit }.map { MemberID("m\($0.offset)") }
  }

  @Test func `The loosest limit applies, so that no member cuts another off early`()
    throws
  {
    func declare(_ limits: RetentionLimits?) -> MemberConfiguration {
      var declared = MemberConfiguration()
      declared.retention = limits
      return declared
    }
    _ = try store.join("slow", declaring: declare(RetentionLimits(transactionCount: 10)))
    _ = try store.join("silent")
    _ = try store.join("index", kind: .consumer, declaring: declare(RetentionLimits()))
    try write(8)
    let limits = RetentionLimits(transactionCount: 3)
    #expect(try store.purge(retaining: limits).lostMembers.isEmpty)
    try write(3)
    #expect(try store.purge(retaining: limits).lostMembers == ["silent", "slow"])
    let free = try store.join("free", declaring: declare(RetentionLimits()))
    try write(20)
    #expect(try store.purge(retaining: limits).lostMembers.isEmpty)
    try store.retire(free)
    _ = try store.join("slow", resyncingIfLost: true, declaring: declare(limits))
    try write(4)
    #expect(try store.purge(retaining: limits).lostMembers == ["slow"])
    #expect(try store.purge().lostMembers.isEmpty)
  }

  @Test func `The purging member is cut off like the others`() throws {
    let slow = try store.join("slow")
    try write(5)
    let result = try store.purge(by: slow, retaining: RetentionLimits(transactionCount: 1))
    #expect(result.lostMembers == ["slow"] && result.purgedThrough == 5)
    #expect(throws: HistoryError.lost("slow")) { try store.purge(by: slow) }
  }

  @Test func `A purge names the members it cuts off and waits for consumers only`() throws {
    for name in ["b", "a"] { _ = try store.join(MemberID(name)) }
    try write(3)
    _ = try store.join("late")
    try write(3)
    let fifth = try store.token(5)
    let kept = try store.purge(before: fifth)
    #expect(kept.purgedThrough == 1 && kept.isLimited && kept.lostMembers.isEmpty)
    let result = try store.purge(before: fifth, cuttingOff: true)
    #expect(result.purgedThrough == 4 && !result.isLimited && result.lostMembers == ["a", "b"])
    #expect(try store.heldNumbers() == [5, 6, 7])
    _ = try store.join("index", kind: .consumer)
    try write(2)
    let limited = try store.purge(before: .distantFuture, cuttingOff: true)
    #expect(limited.lostMembers == ["late"])
    #expect(limited.purgedThrough == 7 && limited.isLimited)
  }

  @Test func `A purge by context also names the members it cuts off`() throws {
    _ = try store.join("slow")
    try store.add("x", context: "import")
    try write(2)
    let filter = PurgeFilter(contextNames: ["import"])
    #expect(try store.purge(before: .distantFuture, filter: filter).transactionCount == 0)
    let result = try store.purge(before: .distantFuture, filter: filter, cuttingOff: true)
    #expect(result.lostMembers == ["slow"] && result.transactionCount == 1)
    #expect(try store.heldNumbers() == [1, 3, 4])
  }
}
