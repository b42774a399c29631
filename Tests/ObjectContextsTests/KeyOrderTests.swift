import PropertyTesting
import PropertyTraits
import Testing

@testable import ObjectContexts

@Suite struct KeyOrderTests {
  @Test(
    .property(cases: 2, seed: 1),
    arguments: [0, 1, 2, 100, 128, 1000],
    [5...5, 1...200, -3000...3000, .min ... .max] as [ClosedRange<Int64>]
  )
  func `Changes are sorted by key, and stay in order within one object`(
    count: Int,
    range: ClosedRange<Int64>
  ) async throws {
    let keys = Generator<Int64>.integers(in: range, spread: .uniform)
    try await property(
      keys.array(count: 0...count, length: .mostlyLongest, element: "key")
    ) { keys in
      let changes = keys.enumerated().map { place, key in
        MergedChange(
          key: key,
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
