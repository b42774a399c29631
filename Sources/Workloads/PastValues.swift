package import HistoryTypes
import Traces

/// The values that plans copy from an object in a store file: one text and one number.
///
/// The values of a deleted object come from its tombstone in history, those of other objects from
/// their rows.
package struct PastValues: Sendable, Hashable {
  /// The first text among the object's attributes that is not empty; `nil` if there is none.
  package var text: String?
  /// The first whole number among the object's attributes; `nil` if there is none.
  package var number: Int64?

  /// Creates values from the attributes of an object; `nil` if they contain no text and no number.
  package init?(_ values: some Sequence<Value>) {
    for value in values {
      switch value {
      case .string(let found) where text == nil && !found.isEmpty: text = found
      case .int(let found) where number == nil: number = found
      default: break
      }
    }
    if text == nil, number == nil { return nil }
  }

  /// Returns generated values, with `title` replaced by ``text``, and `count` by ``number``.
  ///
  /// If ``text`` or ``number`` is `nil`, the generated value remains.
  func replacing(_ values: Values) -> Values {
    var replaced = values
    if let text { replaced["title"] = .string(text) }
    if let number { replaced["count"] = .int(number) }
    return replaced
  }

  /// Returns hashes in place of the values; equal values have equal hashes.
  package func hashed(by key: SipKey) -> PastValues {
    var hashed = self
    hashed.text = text.map { "h" + String(key.hash($0.utf8), radix: 16) }
    // The hash is shortened to 53 bits, which a JSON number represents exactly.
    hashed.number = number.map { Int64(key.hash(Array("\($0)".utf8)) >> 11) }
    return hashed
  }
}

/// The way in which plans use a store file's values; the raw value is its word on the command line.
package enum PastValueChoice: String, CaseIterable, Sendable {
  /// Plans use generated values, such as "t1" and 1, instead of the values in the store file.
  case none
  /// Plans use hashes of the values in the store file.
  case hashed
  /// Plans use the values in the store file unchanged.
  case kept
}

/// A key for the hash function SipHash-2-4; without the key, a hash does not reveal its value.
///
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
package struct SipKey: Sendable, Hashable {
  private let first: UInt64
  private let second: UInt64

  /// Creates a hash key of 128 bits from two halves.
  package init(_ first: UInt64, _ second: UInt64) { (self.first, self.second) = (first, second) }

  /// Creates the key for hashes of a store's values, which depends only on the store's identifier.
  ///
  /// So equal values in one store have the same hash in every run.
  package init(_ store: StoreID) {
    let digits = store.description.filter(\.isHexDigit)
    self.init(
      UInt64(digits.prefix(16), radix: 16) ?? 0,
      UInt64(digits.suffix(16), radix: 16) ?? 0
    )
  }

  /// Returns the hash of bytes.
  ///
  /// - Complexity: linear in the bytes.
  package func hash(_ bytes: some Collection<UInt8>) -> UInt64 {
    var state = State(first, second)
    var word: UInt64 = 0
    var count: UInt64 = 0
    for byte in bytes {
      word |= UInt64(byte) << (8 * (count % 8))
      count += 1
      guard count % 8 == 0 else { continue }
      state.add(word)
      word = 0
    }
    state.add(word | count << 56)
    return state.finished()
  }

  /// The four words of a hash in progress.
  private struct State {
    private var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64)

    init(_ first: UInt64, _ second: UInt64) {
      (a, b) = (first ^ 0x736f_6d65_7073_6575, second ^ 0x646f_7261_6e64_6f6d)
      (c, d) = (first ^ 0x6c79_6765_6e65_7261, second ^ 0x7465_6462_7974_6573)
    }

    mutating func add(_ word: UInt64) {
      d ^= word
      for _ in 0..<2 { mix() }
      a ^= word
    }

    mutating func finished() -> UInt64 {
      c ^= 0xff
      for _ in 0..<4 { mix() }
      return a ^ b ^ c ^ d
    }

    private mutating func mix() {
      a &+= b
      c &+= d
      b = Self.rotated(b, 13) ^ a
      d = Self.rotated(d, 16) ^ c
      a = Self.rotated(a, 32)
      c &+= b
      a &+= d
      b = Self.rotated(b, 17) ^ c
      d = Self.rotated(d, 21) ^ a
      c = Self.rotated(c, 32)
    }

    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
      word << count | word >> (64 - count)
    }
  }
}
