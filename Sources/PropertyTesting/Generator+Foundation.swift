public import Foundation

extension Generator where Value == Data {
  /// Returns a generator of data; shrinks toward fewer bytes, and toward zero bytes.
  public static func data(count: ClosedRange<Int> = 0...20) -> Generator {
    Generator<[UInt8]>.bytes(count: count).map { Data($0) }
  }
}

extension Generator where Value == Date {
  /// Returns a generator of dates in a range, with whole days, seconds and milliseconds likely.
  ///
  /// Dates shrink toward midnight (UTC) of January 1st, 2001, or of the nearest day in the range.
  /// Days are shrunk first, then seconds, then milliseconds.
  public static func dates(
    in range: ClosedRange<Date> = Date(
      timeIntervalSinceReferenceDate: -3.2e9
    )...Date(timeIntervalSinceReferenceDate: 3.2e9)
  ) -> Generator {
    let day = 86_400.0
    let first = Int64((range.lowerBound.timeIntervalSinceReferenceDate / day).rounded(.down))
    let last = Int64((range.upperBound.timeIntervalSinceReferenceDate / day).rounded(.down))
    return Generator { source in
      let date = source.span("date") { source in
        let days = Double(source.integer(in: first...last, spread: .nearSimplest))
        let seconds = Double(source.integer(in: 0...86_399, spread: .nearSimplest))
        let thousandths = Double(source.integer(in: 0...999, spread: .nearSimplest))
        return Date(timeIntervalSinceReferenceDate: days * day + seconds + thousandths / 1_000)
      }
      return min(max(date, range.lowerBound), range.upperBound)
    }
  }
}
