public import Foundation

extension Generator where Value: CaseIterable & Sendable {
  /// Returns a generator of all cases; earlier ones are simpler.
  ///
  ///     try await property(Generator<Weekday>.cases()) { day in ... }
  public static func cases() -> Generator { .element(of: Array(Value.allCases)) }
}

extension Generator where Value: OptionSet & Sendable {
  /// Returns a generator of sets of the given options; shrinks toward the empty set.
  ///
  ///     Generator<Permissions>.options([.read, .write, .delete])
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
  /// Returns a generator of random UUIDs (version 4); shrinks toward the one whose other bits are 0.
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
