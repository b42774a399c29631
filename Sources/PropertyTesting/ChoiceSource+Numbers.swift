/// The distribution of random values over a range.
public enum Spread: Hashable, Sendable {
  /// All values are equally likely.
  case uniform
  /// All magnitudes of the distance from the simplest value are equally likely.
  ///
  /// The bounds of the range also occur occasionally.
  case nearSimplest
}

extension ChoiceSource {
  /// Draws an integer that shrinks toward `simplest`, or toward the bound nearest to it.
  ///
  /// The default of `simplest` is 0. A label makes the choice a separate span, so that shrinking
  /// lowers all choices with that label together.
  public mutating func integer(
    in range: ClosedRange<Int64>,
    simplest: Int64 = 0,
    spread: Spread = .uniform,
    label: String? = nil
  ) -> Int64 {
    let (lowest, highest) = (range.lowerBound, range.upperBound)
    let target = min(max(simplest, lowest), highest)
    if let label { openSpan(label) }
    defer { if label != nil { closeSpan() } }
    let reused = numberToReuse(label, range)
    let number = take(lowest, highest, simplest: target) { random in
      if let reused { return reused }
      switch spread {
      case .uniform:
        let width = UInt64(bitPattern: highest &- lowest)
        return lowest &+ Int64(bitPattern: random.next(through: width))
      case .nearSimplest:
        return Self.near(target, lowest, highest, &random)
      }
    }
    noteNumber(number, label)
    return number
  }

  /// Draws an integer with uniform distribution.
  public mutating func int(in range: ClosedRange<Int>, label: String? = nil) -> Int {
    Int(integer(in: Int64(range.lowerBound)...Int64(range.upperBound), label: label))
  }

  /// Draws an index of a collection of `count` elements, at least one; shrinks toward the first.
  public mutating func index(below count: Int, label: String? = nil) -> Int {
    guard count > 0 else { fatalError("index(below: \(count)): there is no index to draw") }
    if let label { openSpan(label) }
    defer { if label != nil { closeSpan() } }
    return Int(
      take(0, Int64(count - 1), simplest: 0, kind: .name) { random in
        Int64(random.next(through: UInt64(count - 1)))
      }
    )
  }

  /// Draws an index, and lets a closure replace an index that is currently impossible.
  ///
  /// The recorded choice is the index returned by the closure: it stays the same if shrinking makes
  /// others possible.
  public mutating func index(
    below count: Int,
    label: String? = nil,
    settlingFor settled: (Int) -> Int
  ) -> Int {
    if let label { openSpan(label) }
    defer { if label != nil { closeSpan() } }
    let drawn = index(below: count)
    let index = settled(drawn)
    guard (0..<count).contains(index) else {
      fatalError("index(below: \(count)): \(index) cannot be settled for")
    }
    if index != drawn { amendLast(Int64(index)) }
    return index
  }

  /// Draws a Boolean value that is `true` with a probability; shrinks toward `false`.
  public mutating func bool(probability: Double = 0.5, label: String? = nil) -> Bool {
    if let label { openSpan(label) }
    defer { if label != nil { closeSpan() } }
    let isPossible = probability > 0
    let isCertain = probability >= 1
    return take(isCertain ? 1 : 0, isPossible ? 1 : 0, simplest: isCertain ? 1 : 0, kind: .name) {
      random in
      random.nextFraction() < probability ? 1 : 0
    } == 1
  }

  /// Draws a value near the simplest one: first a magnitude, then a distance of that magnitude.
  private static func near(
    _ simplest: Int64,
    _ lowest: Int64,
    _ highest: Int64,
    _ random: inout SeededGenerator
  ) -> Int64 {
    let below = UInt64(bitPattern: simplest &- lowest)
    let above = UInt64(bitPattern: highest &- simplest)
    let dice = random.next()
    if dice % 64 == 0 { return dice & 64 == 0 ? lowest : highest }
    let isAbove = below == 0 || (above > 0 && dice & 128 == 0)
    let space = isAbove ? above : below
    let bits = random.next(through: UInt64(64 - space.leadingZeroBitCount))
    let magnitude: UInt64 = bits == 0 ? 0 : .max >> (64 - bits)
    let distance = Int64(bitPattern: random.next(through: min(magnitude, space)))
    return isAbove ? simplest &+ distance : simplest &- distance
  }
}

extension SeededGenerator {
  /// Returns a number in 0 ..< 1.
  mutating func nextFraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
