import TestSupport
import Testing

@testable import ObjectContexts

@Suite struct SlotIndexTests {
  /// Inserts and removes keys at random and compares with a dictionary after every step.
  private func compare(_ seed: UInt64, key: (inout SeededRandom) -> Int64) {
    var random = SeededRandom(seed: seed)
    var index = SlotIndex()
    var expected: [Int64: Int] = [:]
    for step in 0..<2000 {
      let key = key(&random)
      if let slot = expected[key], Bool.random(using: &random) {
        #expect(index.remove(key) == slot)
        expected[key] = nil
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

  @Test func `The index equals a dictionary for consecutive keys`() {
    compare(1) { Int64.random(in: 1...300, using: &$0) }
  }

  @Test func `The index equals a dictionary for keys of any size`() {
    let keys: [Int64] = [.min, .min + 1, -1, 0, 1, 1 << 32, 1 << 61, 1 << 62, .max - 1, .max]
    compare(2) { keys[Int.random(in: keys.indices, using: &$0)] }
  }

  @Test func `The index equals a dictionary for keys with colliding hashes`() {
    // Multiples of the inverse of the multiplier (modulo 2^64) have small products.
    let inverse = 0xF1DE_83E1_9937_733D as UInt64
    #expect(inverse &* 0x9E37_79B9_7F4A_7C15 == 1)
    compare(3) { Int64(bitPattern: UInt64.random(in: 0..<64, using: &$0) &* inverse) }
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
