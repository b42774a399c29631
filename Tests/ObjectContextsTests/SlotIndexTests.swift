import PropertyTesting
import PropertyTraits
import Testing

@testable import ObjectContexts

@Suite struct SlotIndexTests {
  /// Inserts and removes keys at random and compares with a dictionary after every step.
  private func compare(_ keys: Generator<Int64>) async throws {
    let steps = keys.paired(with: .bools())
      .array(count: 0...1_000, length: .mostlyLongest, element: "step")
    try await property(steps) { steps in
      var index = SlotIndex()
      var expected: [Int64: Int] = [:]
      for (step, (key, removes)) in steps.enumerated() {
        if removes, let slot = expected.removeValue(forKey: key) {
          #expect(index.remove(key) == slot)
          #expect(index[key] == nil)
        } else if expected[key] == nil {
          index.insert(key, step)
          expected[key] = step
        }
        #expect(index[key] == expected[key])
      }
      #expect(index.count == expected.count)
      #expect(index.keys.sorted() == expected.keys.sorted())
      for (key, slot) in expected { #expect(index[key] == slot) }
    }
  }

  @Test(.property(cases: 3, seed: 1))
  func `The index equals a dictionary for consecutive keys`() async throws {
    try await compare(.integers(in: 1...300, spread: .uniform))
  }

  @Test(.property(cases: 3, seed: 2))
  func `The index equals a dictionary for keys of any size`() async throws {
    try await compare(
      .element(of: [.min, .min + 1, -1, 0, 1, 1 << 32, 1 << 61, 1 << 62, .max - 1, .max])
    )
  }

  @Test(.property(cases: 3, seed: 3))
  func `The index equals a dictionary for keys with colliding hashes`() async throws {
    // Multiples of the inverse of the multiplier (modulo 2^64) have small products.
    let inverse = 0xF1DE_83E1_9937_733D as UInt64
    #expect(inverse &* 0x9E37_79B9_7F4A_7C15 == 1)
    let factors = Generator<UInt64>.integers(in: 0...63, spread: .uniform)
    try await compare(factors.map { Int64(bitPattern: $0 &* inverse) })
  }

  @Test func `Numbers add up, and an index of many keys shrinks with them`() throws {
    var index = SlotIndex()
    index.reserve(5_000)
    let room = try entryCount(of: index)
    for key in 1...5_000 as ClosedRange<Int64> {
      index.add(1, to: key)
      index.add(Int(key), to: key)
    }
    #expect(try entryCount(of: index) == room && index[5_000] == 5_001)
    index.add(-1, to: 5_000)
    for key in 1...5_000 as ClosedRange<Int64> where key % 1_000 != 0 {
      #expect(index.remove(key) == Int(key) + 1)
    }
    #expect(index.keys.sorted() == [1_000, 2_000, 3_000, 4_000, 5_000])
    #expect(index[1_000] == 1_001 && index[5_000] == 5_000 && index[1] == nil)
    #expect(try entryCount(of: index) <= 1024)
  }

  private func entryCount(of index: SlotIndex) throws -> Int {
    try #require(Mirror(reflecting: index).descendant("entries") as? any Collection).count
  }

  @Test func `The index is empty after all keys were removed`() {
    var index = SlotIndex()
    for key in 1...100 as ClosedRange<Int64> { index.insert(key, Int(key)) }
    index.removeAll()
    #expect(index.count == 0)
    #expect(index.keys.allSatisfy { _ in false })
    index.insert(7, 1)
    #expect(index[7] == 1 && index[8] == nil)
  }
}
