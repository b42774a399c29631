import Testing

@testable import PropertyTesting

@Suite struct ChoiceTests {
  @Test func `Values nearer to the simplest one are simpler, and above it before below it`() {
    let values: [Int64] = [0, 1, -1, 2, -2, 3, 4, 5]
    let ranks = values.map { Choice($0, in: -2...5).rank }
    #expect(ranks == Array(0..<8))
  }

  @Test(arguments: [(-3...5, 0), (2...9, 2), (-9 ... -2, -2), (0...10, 7), (-7...0, -4)])
  func `Every rank below the number of values maps to a value`(
    range: ClosedRange<Int64>,
    simplest: Int64
  ) {
    for value in range {
      let choice = Choice(value, in: range, simplest: simplest)
      #expect(choice.simplified.with(rank: choice.rank) == choice)
    }
    #expect(Choice(0, in: range, simplest: simplest).with(rank: UInt64(range.count)) == nil)
  }

  @Test func `The ends of the widest range have the highest ranks`() {
    let range = Int64.min...Int64.max
    #expect(Choice(.min, in: range).rank == .max)
    #expect(Choice(.max, in: range).rank == UInt64.max - 2)
    #expect(Choice(0, in: range).with(rank: .max)?.value == .min)
    #expect(Choice(.max, in: range, simplest: .min).rank == .max)
  }

  @Test func `A replayed offset moves with the range and is clamped to it`() {
    let choice = Choice(100, in: 100...110, simplest: 100)
    #expect(choice.value(atOffset: 4) == 104)
    #expect(choice.value(atOffset: 40) == 110)
    #expect(choice.value(atOffset: -1) == 100)
  }

  @Test func `A choice that wraps around enters the range at its other end`() {
    let choice = Choice(100, in: -128...127)
    #expect(choice.movedRound(by: 27)?.value == 127)
    #expect(choice.movedRound(by: 28)?.value == -128)
    #expect(choice.movedRound(by: -228)?.value == -128)
    #expect(choice.movedRound(by: -229)?.value == 127)
    #expect(choice.movedRound(by: 256) == nil)
  }
}
