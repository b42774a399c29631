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
