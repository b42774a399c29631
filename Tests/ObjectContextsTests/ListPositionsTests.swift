import PropertyTesting
import PropertyTraits
import Testing

@testable import ObjectContexts

@Suite struct `Positions in a list` {
  private func isAscending(_ values: [Double?]) -> Bool {
    let known = values.compactMap(\.self)
    return known.count == values.count && known.allSatisfy(\.isFinite)
      && zip(known, known.dropFirst()).allSatisfy { $0 < $1 }
  }

  @Test func `New positions are whole numbers at the ends, and the mean in between`() {
    var positions = ListPositions([])
    positions.insert(at: 0)
    positions.insert(at: 1)
    positions.insert(at: 0)
    positions.insert(at: 2)
    #expect(positions.values == [-1, 0, 0.5, 1])
    #expect(ListPositions.numbers(2, between: 0.5, and: nil) == [1, 2])
    #expect(ListPositions.numbers(2, between: nil, and: 0.5) == [-1, 0])
    #expect(ListPositions.numbers(3, between: 1, and: 2) == [1.25, 1.5, 1.75])
  }

  @Test(
    arguments: [
      (1, 1), (1, 1.0.nextUp), (.infinity, nil), (nil, -.infinity), (0, .infinity),
      (1e300, nil), (nil, -1e300), (-.greatestFiniteMagnitude, .greatestFiniteMagnitude),
    ] as [(Double?, Double?)]
  )
  func `Bounds without room have no number between them`(_ lower: Double?, _ upper: Double?) {
    #expect(ListPositions.numbers(1, between: lower, and: upper) == nil)
  }

  @Test func `A thousand inserts at one place change few positions at a time`() {
    var positions = ListPositions((0..<100).map { Double($0) })
    var changed = 0
    for _ in 0..<1000 {
      var old = positions.values
      positions.insert(at: 50)
      old.insert(positions.values[50], at: 50)
      changed += zip(old, positions.values).count { $0 != $1 }
    }
    #expect(isAscending(positions.values) && positions.values.count == 1100)
    #expect(changed < 1000)
  }

  @Test func `Positions that are missing are filled, whatever is around them`() {
    var positions = ListPositions([nil, 5, nil, nil, 5.0.nextUp, nil, .infinity, nil])
    positions.fill()
    #expect(isAscending(positions.values))
    var none = ListPositions([nil, nil])
    none.fill()
    #expect(none.values == [0, 1])
  }

  @Test(.property(cases: 200, seed: 1))
  func `The objects that keep their positions are as many as possible`() async throws {
    try await property { source in
      var left = Array(0..<source.int(in: 0...7, label: "count"))
      var order: [ReorderedIndex] = []
      while !left.isEmpty {
        let old = left.remove(at: source.int(in: 0...left.count - 1, label: "next"))
        order.append(ReorderedIndex(new: order.count, old: old))
      }
      let kept = order.longestAscending
      #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.new < $1.new && $0.old < $1.old })
      let most = (0..<1 << order.count).filter { chosen in
        let part = order.indices.filter { chosen >> $0 & 1 == 1 }.map { order[$0].old }
        return zip(part, part.dropFirst()).allSatisfy { $0 < $1 }
      }.map(\.nonzeroBitCount).max()
      #expect(kept.count == most)
    }
  }
}
