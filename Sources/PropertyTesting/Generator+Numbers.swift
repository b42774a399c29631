extension Generator where Value == Int {
  /// Returns a generator of integers in a range, small magnitudes likely.
  ///
  /// Integers shrink toward 0, or toward the value of the range nearest to it.
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
}

extension Generator where Value == Double {
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
  /// Returns a generator of uniformly distributed bytes; shrinks toward fewer, and toward zeroes.
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
  /// Returns a generator of strings by number of Unicode scalars; shrinks toward "", "a", "b", ...
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
