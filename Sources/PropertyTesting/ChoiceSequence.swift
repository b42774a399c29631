/// All decisions of a generator in one case: its choices in order, and the spans that they form.
///
/// Two sequences are equal if the offsets of their choices are equal; ranges and spans follow from
/// the property that replays them. The order is *simpler first* (shortlex): a sequence with fewer
/// choices is simpler; of two with equally many, the one whose first different choice has the lower
/// rank.
public struct ChoiceSequence: Sendable {
  /// The choices, in the order in which they were made.
  public internal(set) var choices: [Choice]
  /// The spans, each before the spans inside it.
  public internal(set) var spans: [ChoiceSpan]

  /// Creates a sequence; each span must be given before the spans inside it.
  public init(choices: [Choice] = [], spans: [ChoiceSpan] = []) {
    self.choices = choices
    self.spans = spans
  }

  /// The number of choices.
  public var count: Int { choices.count }
}

extension ChoiceSequence: Hashable {
  /// Returns whether two sequences have equal offsets, choice by choice.
  public static func == (left: ChoiceSequence, right: ChoiceSequence) -> Bool {
    left.count == right.count
      && zip(left.choices, right.choices).allSatisfy { $0.offset == $1.offset }
  }

  /// Feeds the offsets to a hasher.
  public func hash(into hasher: inout Hasher) {
    for choice in choices { hasher.combine(choice.offset) }
  }

  /// A hash of offsets and spans, to distinguish sequences that replay differently.
  ///
  /// - Complexity: O(choices + spans).
  var fingerprint: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for choice in choices { hash = Self.mix(hash, UInt64(bitPattern: choice.offset)) }
    for span in spans {
      hash = Self.mix(hash, UInt64(span.start) << 32 | UInt64(span.end))
      for byte in span.label.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return hash
  }

  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low &+ 0x1234_5678_9ABC_DEF1
  }
}

extension ChoiceSequence: Comparable {
  /// Returns whether the left sequence is simpler than the right one.
  ///
  /// - Complexity: O(choices).
  public static func < (left: ChoiceSequence, right: ChoiceSequence) -> Bool {
    guard left.count == right.count else { return left.count < right.count }
    for index in left.choices.indices where left.choices[index] != right.choices[index] {
      let ranks = (left.choices[index].rank, right.choices[index].rank)
      if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
    }
    return false
  }
}
