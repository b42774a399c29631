extension Generator where Value: FixedWidthInteger & Sendable {
  /// Makes integers of any type of up to 64 bits, small magnitudes likely; they shrink toward 0 or
  /// the nearest to it.
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

  /// Where a value stands among the values of 64 bits: unsigned ones of that width start at the
  /// least.
  private static func place(_ value: Value) -> Int64 {
    guard !Value.isSigned, Value.bitWidth == 64 else { return Int64(value) }
    return Int64(bitPattern: UInt64(value) ^ (1 << 63))
  }

  private static func value(_ place: Int64) -> Value {
    guard !Value.isSigned, Value.bitWidth == 64 else { return Value(place) }
    return Value(UInt64(bitPattern: place) ^ (1 << 63))
  }
}
