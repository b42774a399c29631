extension ChoiceSource {
  /// Draws a finite double in the range; shrinks toward 0, whole numbers, and few binary digits.
  ///
  /// A range within 2^53 of zero is drawn as a whole part and a fraction, a wider one as a
  /// significand and an exponent.
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

  /// Rounds down; this module does not use the C library.
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
