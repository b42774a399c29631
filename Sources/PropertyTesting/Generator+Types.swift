public import Foundation

extension Generator where Value == Int {
  /// Returns a generator of integers in a range; by default, those nearer to 0 are more likely.
  ///
  /// Integers shrink toward 0, or toward the value of the range nearest to it.
  ///
  /// - Parameters:
  ///   - range: The possible integers. The default is all values of `Int`.
  ///   - spread: The distribution. The default is ``Spread/nearSimplest``.
  /// - Returns: The generator.
  public static func ints(
    in range: ClosedRange<Int> = .min ... .max,
    spread: Spread = .nearSimplest
  ) -> Generator {
    Generator { source in
      Int(source.integer(in: Int64(range.lowerBound)...Int64(range.upperBound), spread: spread))
    }
  }
}

extension Generator where Value == Double {
  /// Returns a generator of finite doubles; shrinks toward 0, whole numbers, and few binary digits.
  public static func doubles(in range: ClosedRange<Double> = -1e9...1e9) -> Generator {
    Generator { $0.double(in: range) }
  }

  /// A generator of all doubles: moderate values, any magnitude, and occasionally special values.
  ///
  /// Special values are infinities, NaN, negative zero, and the least and greatest magnitudes.
  public static var anyDoubles: Generator {
    let greatest = Double.greatestFiniteMagnitude
    let special: [Double] = [
      -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .leastNormalMagnitude, greatest,
      -greatest, .ulpOfOne,
    ]
    return .frequency([
      (6, .doubles()), (3, .doubles(in: -greatest...greatest)), (1, .element(of: special)),
    ])
  }
}

extension Generator where Value == [UInt8] {
  /// Returns a generator of uniformly distributed bytes; shrinks toward fewer bytes, and toward 0.
  public static func bytes(count: ClosedRange<Int> = 0...20) -> Generator {
    Generator<Int>.ints(in: 0...255, spread: .uniform).array(count: count, element: "byte")
      .map { $0.map { UInt8($0) } }
  }
}

extension Generator where Value == Bool {
  /// Returns a generator of Booleans that are `true` with a probability; shrinks toward `false`.
  public static func bools(probability: Double = 0.5) -> Generator {
    Generator { $0.bool(probability: probability) }
  }
}

extension Generator where Value == Unicode.Scalar {
  /// A generator of Unicode scalars, ASCII letters and digits likely; shrinks toward "a".
  public static var scalars: Generator {
    Generator { source in
      let last = Int64(0x10_FFFF - 0x800)
      return scalar(Int(source.integer(in: 0...last, spread: .nearSimplest)))
    }
  }

  /// Returns the scalar with a rank in the order of simplicity.
  ///
  /// The order is letters, digits, other printable ASCII, then all others by code.
  private static func scalar(_ rank: Int) -> Unicode.Scalar {
    let plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 !\"#$%&'()*+,-./"
      + ":;<=>?@[\\]^_`{|}~"
    let scalars = plain.unicodeScalars
    if rank < scalars.count {
      return scalars[scalars.index(scalars.startIndex, offsetBy: rank)]
    }
    let others = rank - scalars.count
    let code = others < 0x20 ? others : others - 0x20 + 0x7F
    return Unicode.Scalar(UInt32(code < 0xD800 ? code : code + 0x800)) ?? "a"
  }
}

extension Generator where Value == String {
  /// Returns a generator of strings with `count` Unicode scalars; shrinks toward "", "a", "b", ...
  public static func strings(count: ClosedRange<Int> = 0...20) -> Generator {
    Generator<Unicode.Scalar>.scalars.array(count: count, element: "scalar").map { scalars in
      var string = String.UnicodeScalarView()
      string.append(contentsOf: scalars)
      return String(string)
    }
  }
}

extension Generator where Value: FixedWidthInteger & Sendable {
  /// Returns a generator of integers of any type with up to 64 bits, small magnitudes likely.
  ///
  /// Integers shrink toward 0, or toward the value of the range nearest to it.
  ///
  /// - Parameters:
  ///   - range: The possible integers. The default is all values of the type.
  ///   - spread: The distribution. The default is ``Spread/nearSimplest``.
  /// - Returns: The generator.
  public static func integers(
    in range: ClosedRange<Value> = .min ... .max,
    spread: Spread = .nearSimplest
  ) -> Generator {
    guard Value.bitWidth <= 64 else {
      fatalError("integers(in:): \(Value.self) has more than 64 bits")
    }
    let bounds = place(range.lowerBound)...place(range.upperBound)
    let simplest = place(min(max(0, range.lowerBound), range.upperBound))
    return Generator { source in
      value(source.integer(in: bounds, simplest: simplest, spread: spread))
    }
  }

  /// Maps a value to a signed 64-bit integer, preserving the order of unsigned values.
  private static func place(_ value: Value) -> Int64 {
    guard !Value.isSigned, Value.bitWidth == 64 else { return Int64(value) }
    return Int64(bitPattern: UInt64(value) ^ (1 << 63))
  }

  private static func value(_ place: Int64) -> Value {
    guard !Value.isSigned, Value.bitWidth == 64 else { return Value(place) }
    return Value(UInt64(bitPattern: place) ^ (1 << 63))
  }
}

extension Generator where Value: CaseIterable & Sendable {
  /// Returns a generator of the type's values; values that `allCases` lists earlier are simpler.
  ///
  ///     try await property(Generator<Weekday>.cases()) { day in ... }
  public static func cases() -> Generator { .element(of: Array(Value.allCases)) }
}

extension Generator where Value: OptionSet & Sendable {
  /// Returns a generator of sets of the given options; shrinks toward the empty set.
  ///
  ///     Generator<Permissions>.options([.read, .write, .delete])
  ///
  /// - Parameters:
  ///   - options: The options that a set may contain.
  ///   - probability: The probability of each option, from 0 to 1. The default is 0.5.
  /// - Returns: The generator.
  public static func options(_ options: [Value], probability: Double = 0.5) -> Generator {
    Generator { source in
      options.reduce(into: Value()) { set, option in
        if source.bool(probability: probability, label: "option") { set.formUnion(option) }
      }
    }
  }
}

extension Generator where Value == Duration {
  /// Returns a generator of durations, with whole seconds and milliseconds likely.
  ///
  /// Durations shrink toward zero, or toward the duration of the range nearest to it. Seconds are
  /// shrunk first, then milliseconds, then nanoseconds.
  public static func durations(
    in range: ClosedRange<Duration> = .zero ... .seconds(1_000_000)
  ) -> Generator {
    let (first, last) = (range.lowerBound.components.seconds, range.upperBound.components.seconds)
    return Generator { source in
      let duration = source.span("duration") { source in
        let seconds = source.integer(in: max(first, .min + 1) - 1...last, spread: .nearSimplest)
        let milliseconds = source.integer(in: 0...999, spread: .nearSimplest)
        let nanoseconds = source.integer(in: 0...999_999, spread: .nearSimplest)
        return Duration.seconds(seconds) + .milliseconds(milliseconds) + .nanoseconds(nanoseconds)
      }
      return min(max(duration, range.lowerBound), range.upperBound)
    }
  }
}

extension Generator where Value == Int128 {
  /// Returns a generator of integers of 128 bits, small magnitudes likely; shrinks toward 0.
  public static func wideInts() -> Generator {
    Generator { source in
      source.span("wide int") { source in
        let isNegative = source.bool(label: "negative")
        let high = source.integer(in: 0...Int64.max, spread: .nearSimplest)
        let low = source.integer(in: .min ... .max, spread: .nearSimplest)
        let magnitude = Int128(high) << 64 | Int128(UInt64(bitPattern: low))
        return isNegative ? -1 - magnitude : magnitude
      }
    }
  }
}

extension Generator where Value == Character {
  /// Returns a generator of the characters in a range, each of one Unicode scalar.
  ///
  ///     Generator<Character>.characters(in: "a"..."z").array().map { String($0) }
  ///
  /// Characters shrink toward the start of the range.
  public static func characters(in range: ClosedRange<Character>) -> Generator {
    let bounds = [range.lowerBound, range.upperBound].map { bound in
      guard let scalar = bound.unicodeScalars.first, bound.unicodeScalars.count == 1 else {
        fatalError("characters(in:): \"\(bound)\" is not a single Unicode scalar")
      }
      return Int(scalar.value)
    }
    // The surrogates, which are no scalars, are left out of a range that contains them.
    let scalars = (bounds[0]...bounds[1]).lazy.compactMap { Unicode.Scalar(UInt32($0)) }
    let count = scalars.count
    let surrogates = 0xD800
    return Generator { source in
      let place = bounds[0] + source.index(below: count, label: "character")
      let value = bounds[0] < surrogates && place >= surrogates ? place + 0x800 : place
      return Unicode.Scalar(UInt32(value)).map { Character($0) } ?? range.lowerBound
    }
  }
}

extension Generator where Value == UUID {
  /// Returns a generator of random UUIDs (version 4); shrinks toward zero in all random bits.
  public static func uuids() -> Generator {
    Generator { source in
      let bytes = source.span("uuid") { source in
        (0..<16).map { _ in UInt8(truncatingIfNeeded: source.integer(in: 0...255)) }
      }
      return UUID(
        uuid: (
          bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5],
          bytes[6] & 0x0F | 0x40, bytes[7], bytes[8] & 0x3F | 0x80, bytes[9],
          bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
        )
      )
    }
  }
}
