import TestSupport
import Testing

@testable import ObjectContexts

@Suite struct KeyOrderTests {
  @Test(arguments: [0, 1, 2, 100, 128, 1000])
  func `Changes are sorted by key, and stay in order within one object`(count: Int) {
    let ranges: [ClosedRange<Int64>] = [5...5, 1...200, -3000...3000, .min ... .max]
    for (seed, range) in ranges.enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      let changes = (0..<count).map { place in
        MergedChange(
          key: .random(in: range, using: &random),
          effect: MergedChange.Effect(rawValue: UInt8(place % 3)) ?? .update
        )
      }
      var sorted = changes
      sorted.sortByKey()
      // Swift's sort is stable (SE-0372).
      let expected = changes.sorted { $0.key < $1.key }
      #expect(sorted.map(\.key) == expected.map(\.key))
      #expect(sorted.map(\.effect) == expected.map(\.effect))
    }
  }
}
