public import Foundation

extension Generator where Value == Data {
  /// Makes data of a number of bytes; they shrink toward fewer, and toward zero bytes.
  public static func data(count: ClosedRange<Int> = 0...20) -> Generator {
    Generator<[UInt8]>.bytes(count: count).map { Data($0) }
  }
}

extension Generator where Value == Date {
  /// Makes dates of a range: whole days, seconds and milliseconds likely.
  ///
  /// They shrink toward midnight (UTC) of January 1st, 2001, or of the day of the range that is
  /// nearest to it; days count more than seconds, and seconds more than milliseconds.
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
