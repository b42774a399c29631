import Testing

@testable import Measuring

@Suite struct `Interleaved measurement` {
  private let hand = HandClock()

  @Test func `Blocks are ABBA or BAAB in an order determined by the seed`() throws {
    let orders = try orders(seed: 5, rounds: 40)
    #expect(try self.orders(seed: 5, rounds: 40) == orders)
    #expect(try self.orders(seed: 6, rounds: 40) != orders)
    #expect(Set(orders) == ["ABBA", "BAAB"])
    #expect(orders.count == 40)
  }

  @Test func `A block of two contenders runs each twice, mirrored`() throws {
    var ran = ""
    let a = contender("A") {
      ran += "A"
      hand.advance(by: 10)
    }
    let b = contender("B") {
      ran += "B"
      hand.advance(by: 10)
    }
    let measurement = InterleavedMeasurement(
      seed: 1,
      budget: RoundBudget(minimum: 20, maximum: 20, warmUp: 0),
      wall: hand.clock,
      cpu: hand.clock
    )
    let result = try measurement.measure([a, b])
    #expect(ran == Self.blocks(of: result).joined())
  }

  @Test func `A drift of the machine cancels out`() throws {
    // Each run is slower than the previous one by the same step; A and B cost the same.
    var cost: UInt64 = 100_000
    let contenders = ["A", "B", "C"].map { name in
      contender(name) {
        cost += 10
        hand.advance(by: cost)
      }
    }
    let result = try measurement(seed: 2, rounds: 30).measure(contenders)
    let ratio = try #require(try result.ratio(of: "B", to: "A", .wall))
    #expect(abs(ratio.interval.estimate - 1) < 1e-6)
    #expect(ratio.verdict() == .alike)
  }

  @Test func `A contender that costs a quarter more has a ratio of 1.25`() throws {
    let floor = contender("floor") { hand.advance(by: 1_000) }
    let ours = contender("ours") { hand.advance(by: 1_250) }
    let result = try measurement(seed: 3, rounds: 12).measure([floor, ours])
    let ratio = try #require(try result.ratio(of: "ours", to: "floor", .cpu))
    #expect(abs(ratio.interval.estimate - 1.25) < 1e-9)
    #expect(ratio.to == "floor")
    #expect(ratio.blocks == 12)
    #expect(ratio.resamples == 2_000)
    #expect(ratio.seed == 3)
  }

  @Test func `Preparation is not timed and operations share the time`() throws {
    let ours = Contender(
      "ours",
      operations: 10,
      prepare: { hand.advance(by: 1_000_000) },
      run: { hand.advance(by: 500) }
    )
    let result = try measurement(seed: 4, rounds: 3).measure([ours])
    #expect(try result.samples(of: "ours", .wall) == [50, 50, 50, 50, 50, 50])
  }

  @Test func `A time budget ends the rounds, but not before the minimum`() throws {
    let slow = contender("slow") { hand.advance(by: 1_000) }
    let short = RoundBudget(minimum: 5, maximum: 100, nanoseconds: 1)
    let enough = RoundBudget(minimum: 5, maximum: 100, nanoseconds: 20_000)
    #expect(try measurement(seed: 1, short).measure([slow]).rounds.count == 5)
    #expect(try measurement(seed: 1, enough).measure([slow]).rounds.count == 10)
    #expect(try measurement(seed: 1, rounds: 7).measure([slow]).rounds.count == 7)
  }

  @Test func `Misuse is reported by name`() throws {
    let idle = Contender("idle") { _ in }
    let endless = Contender("endless") { $0.start() }
    let fine = contender("fine") { hand.advance(by: 1) }
    #expect(throws: MeasuringError.nothingTimed(contender: "idle")) {
      try measurement(seed: 1, rounds: 1).measure([idle])
    }
    #expect(throws: MeasuringError.stillRunning(contender: "endless")) {
      try measurement(seed: 1, rounds: 1).measure([endless])
    }
    #expect(throws: MeasuringError.sameName("fine")) {
      try measurement(seed: 1, rounds: 1).measure([fine, fine])
    }
    let result = try measurement(seed: 1, rounds: 1).measure([fine])
    #expect(throws: MeasuringError.noSuchContender("peer", known: ["fine"])) {
      try result.ratio(of: "fine", to: "peer", .wall)
    }
  }

  @Test func `Work without processor time has no ratio`() throws {
    let still = HandClock()
    let measurement = InterleavedMeasurement(
      seed: 1,
      budget: .rounds(5),
      wall: hand.clock,
      cpu: still.clock
    )
    let contenders = ["A", "B"].map { contender($0) { hand.advance(by: 10) } }
    let result = try measurement.measure(contenders)
    #expect(try result.ratio(of: "A", to: "B", .cpu) == nil)
    #expect(try result.ratio(of: "A", to: "B", .wall)?.interval.estimate == 1)
  }

  @Test func `Rows carry both times, the ratio to the floor and the seed`() throws {
    let floor = contender("floor") { hand.advance(by: 100) }
    let ours = contender("ours") { hand.advance(by: 300) }
    let result = try measurement(seed: 11, rounds: 6).measure([floor, ours])
    let topic = RowTopic(
      subject: "fetch",
      operation: "newest 100",
      condition: "4 authors",
      historySize: 1_000
    )
    let rows = try result.rows(about: topic, floor: "floor")
    #expect(rows.map(\.contender) == ["floor", "floor", "ours", "ours"])
    #expect(rows.map(\.metric) == [.wall, .cpu, .wall, .cpu])
    #expect(rows[0].ratio == nil)
    #expect(abs((rows[2].ratio?.interval.estimate ?? 0) - 3) < 1e-9)
    #expect(rows[2].median?.estimate == 300)
    #expect(rows[2].summary?.count == 12)
    #expect(rows[2].seed == 11)
    #expect(rows[2].title == "fetch newest 100, 4 authors")
  }

  @Test func `The machine's clocks move forward`() {
    for clock in [NanosecondClock.wall, .threadCPU] {
      let start = clock.now()
      var sum: UInt64 = 0
      while clock.now() == start { sum &+= 1 }
      #expect(clock.now() > start)
    }
  }

  private func contender(_ name: String, work: @escaping () -> Void) -> Contender {
    Contender(name) { watch in watch.time(work) }
  }

  private func measurement(seed: UInt64, rounds: Int) -> InterleavedMeasurement {
    measurement(seed: seed, .rounds(rounds))
  }

  private func measurement(seed: UInt64, _ budget: RoundBudget) -> InterleavedMeasurement {
    InterleavedMeasurement(seed: seed, budget: budget, wall: hand.clock, cpu: hand.clock)
  }

  /// The order of each block of two contenders.
  private static func blocks(of result: InterleavedResult) -> [String] {
    result.rounds.map { $0.order == [0, 1] ? "ABBA" : "BAAB" }
  }

  private func orders(seed: UInt64, rounds: Int) throws -> [String] {
    let contenders = ["A", "B"].map { contender($0) { hand.advance(by: 10) } }
    return Self.blocks(of: try measurement(seed: seed, rounds: rounds).measure(contenders))
  }
}
