/// The distribution of random values over a range.
public enum Spread: Hashable, Sendable {
  /// All values are equally likely.
  case uniform
  /// Values near the simplest value are more likely than distant ones.
  ///
  /// A random number of bits is drawn first, and then a distance from the simplest value that fits
  /// in these bits. The bounds of the range also occur occasionally.
  case nearSimplest
}

extension ChoiceSource {
  /// Draws an integer that shrinks toward `simplest`, or toward the bound nearest to it.
  ///
  /// A label makes the choice a separate span, so that shrinking lowers all choices with that label
  /// together.
  ///
  /// - Parameters:
  ///   - range: The possible integers.
  ///   - simplest: The integer toward which the choice shrinks. The default is 0.
  ///   - spread: The distribution. The default is ``Spread/uniform``.
  ///   - label: The label of the choice. The default `nil` gives it none.
  /// - Returns: An integer of the range.
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

  /// Draws an index of a collection of `count` elements; shrinks toward the first.
  ///
  /// `count` must be at least 1.
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
  /// The source records the index that the closure returns, so that a replay uses the same index even if
  /// shrinking has made other indices possible.
  ///
  /// - Parameters:
  ///   - count: The number of elements of the collection, at least one.
  ///   - label: The label of the choice. The default `nil` gives it none.
  ///   - adjusted: A closure that returns the drawn index or another one below `count`.
  /// - Returns: The index that the closure returned.
  public mutating func index(
    below count: Int,
    label: String? = nil,
    adjustedBy adjusted: (Int) -> Int
  ) -> Int {
    if let label { openSpan(label) }
    defer { if label != nil { closeSpan() } }
    let drawn = index(below: count)
    let index = adjusted(drawn)
    guard (0..<count).contains(index) else {
      fatalError("index(below: \(count)): the adjusted index \(index) is out of range")
    }
    if index != drawn { amendLast(Int64(index)) }
    return index
  }

  /// Draws a Boolean value that is `true` with a probability; shrinks toward `false`.
  ///
  /// - Parameters:
  ///   - probability: The probability of `true`, from 0 to 1. The default is 0.5.
  ///   - label: The label of the choice. The default `nil` gives it none.
  /// - Returns: The drawn value.
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

  /// Draws a value with the distribution ``Spread/nearSimplest``.
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

extension ChoiceSource {
  /// Draws a finite double in the range; shrinks toward 0, whole numbers, and few binary digits.
  ///
  /// A range within 2^53 of zero is drawn as a whole part and a fraction, a wider one as a
  /// significand and an exponent.
  ///
  /// - Parameters:
  ///   - range: The possible values; its bounds must be finite.
  ///   - label: The label of the choices. The default is `double`.
  /// - Returns: A double of the range.
  public mutating func double(in range: ClosedRange<Double>, label: String = "double") -> Double {
    guard range.lowerBound.isFinite, range.upperBound.isFinite else {
      fatalError("double(in: \(range)): the bounds must be finite")
    }
    openSpan(label)
    defer { closeSpan() }
    let isNarrow = max(abs(range.lowerBound), abs(range.upperBound)) <= 0x1p53
    let value = isNarrow ? fixedPoint(range) : floatingPoint(range)
    return min(max(value, range.lowerBound), range.upperBound)
  }

  private mutating func fixedPoint(_ range: ClosedRange<Double>) -> Double {
    let (lowest, highest) = (Self.floor(range.lowerBound), Self.floor(range.upperBound))
    let whole = integer(in: lowest...highest, simplest: 0)
    let digits = take(0, 1 << 52 - 1, simplest: 0) { random in
      random.next() & 3 == 0 ? 0 : Int64(random.next() >> 12)
    }
    // The bits of the fraction are reversed: 1 is a half, 2 a quarter, 3 three quarters.
    let fraction = Double(Self.reversed(UInt64(digits)) >> 12) * 0x1p-52
    return Double(whole) + fraction
  }

  /// Rounds down, without the C library, which this module does not use.
  private static func floor(_ value: Double) -> Int64 {
    let whole = Int64(value)
    return Double(whole) > value ? whole - 1 : whole
  }

  private mutating func floatingPoint(_ range: ClosedRange<Double>) -> Double {
    let significand = integer(in: -(1 << 53)...(1 << 53), spread: .nearSimplest)
    let exponent = integer(in: -1_074...971, spread: .nearSimplest)
    return Double(sign: .plus, exponent: 0, significand: Double(significand))
      .scaled(by: Int(exponent))
  }

  private static func reversed(_ word: UInt64) -> UInt64 {
    var (rest, result): (UInt64, UInt64) = (word, 0)
    for _ in 0..<64 {
      result = result << 1 | rest & 1
      rest >>= 1
    }
    return result
  }
}

extension Double {
  /// Returns the number times a power of two; overflow returns the greatest finite magnitude.
  fileprivate func scaled(by exponent: Int) -> Double {
    let result = Double(sign: .plus, exponent: exponent / 2, significand: self)
    let scaled = Double(sign: .plus, exponent: exponent - exponent / 2, significand: result)
    return scaled.isFinite ? scaled : .greatestFiniteMagnitude * (self < 0 ? -1 : 1)
  }
}

extension ChoiceSource {
  /// Draws an index with a probability in proportion to its weight; shrinks toward the first.
  ///
  /// An index with weight 0 is never returned. If a replayed choice is such an index, the nearest
  /// earlier index with a positive weight is used, or else the nearest later one. At least one
  /// weight must be positive.
  ///
  /// - Parameters:
  ///   - weights: The weight of each index; negative weights count as 0.
  ///   - label: The label of the choice. The default `nil` gives it none.
  /// - Returns: An index of `weights`.
  public mutating func weighted(_ weights: [Int], label: String? = nil) -> Int {
    if let label { openSpan(label) }
    defer { if label != nil { closeSpan() } }
    let total = weights.reduce(0) { $0 + max($1, 0) }
    guard total > 0 else { fatalError("weighted(\(weights)): no weight is positive") }
    let first = weights.firstIndex { $0 > 0 } ?? 0
    let index = take(0, Int64(weights.count - 1), simplest: 0, kind: .name) { random in
      var rest = Int(random.next(through: UInt64(total - 1)))
      for index in weights.indices {
        rest -= max(weights[index], 0)
        if rest < 0 { return Int64(index) }
      }
      return Int64(first)
    }
    if weights[Int(index)] > 0 { return Int(index) }
    let adjusted = weights[..<Int(index)].lastIndex { $0 > 0 } ?? first
    amendLast(Int64(adjusted))
    return adjusted
  }

  /// Returns random weights for `weighted(_:)`, for one whole case; call it once per case.
  ///
  /// Half of the cases get equal weights. In the others (*swarm testing*, Groce et al., ISSTA
  /// 2012), each alternative gets the weight 0 or a weight from 1 to 16. Such weights produce long
  /// sequences of one command, which are rare with equal weights. The weights only bias later
  /// choices. They are not choices themselves: a replay gets equal weights, and shrinking ignores
  /// them.
  public mutating func swarmWeights(_ count: Int) -> [Int] {
    guard !isReplaying, random.next() & 1 == 0 else { return Array(repeating: 1, count: count) }
    let keeps = random.next(through: 3)
    var weights = (0..<count).map { _ in
      random.next(through: 3) <= keeps ? 1 << Int(random.next(through: 4)) : 0
    }
    if weights.allSatisfy({ $0 == 0 }), count > 0 {
      weights[Int(random.next(through: UInt64(count - 1)))] = 1
    }
    return weights
  }

  /// Returns a random number for a whole case, to use as a rate that biases later choices.
  ///
  /// The number is not a choice: a replay gets the lower bound of the range, and shrinking ignores
  /// the number.
  public mutating func rate(in range: ClosedRange<Double>) -> Double {
    guard !isReplaying else { return range.lowerBound }
    return range.lowerBound + (range.upperBound - range.lowerBound) * random.nextFraction()
  }

  /// Discards the case as unsuitable for the property.
  public func reject(_ reason: String = "rejected") throws -> Never { throw Rejection(reason) }
}
