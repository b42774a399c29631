#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A time in UTC with a resolution of one second, written as `2026-02-03T04:05:06Z`.
package struct UTCTime: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Seconds since 1970-01-01 UTC, leap seconds not counted.
  package let secondsSince1970: Int64

  package init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

  package static func now() -> UTCTime {
    var time = timespec()
    guard clock_gettime(CLOCK_REALTIME, &time) == 0 else {
      fatalError("clock_gettime failed with errno \(errno)")
    }
    return UTCTime(secondsSince1970: Int64(time.tv_sec))
  }

  /// The time with separators: `2026-02-03T04:05:06Z`.
  package var description: String {
    let (date, time) = parts
    return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
  }

  /// The time in a form for folder names that sorts by time: `20260203T040506Z`.
  package var compact: String {
    let (date, time) = parts
    return date.joined() + "T" + time.joined() + "Z"
  }

  /// The time in a form for readers: `2026-02-03 04:05 UTC`.
  package var readable: String {
    let (date, time) = parts
    return date.joined(separator: "-") + " " + time.prefix(2).joined(separator: ":") + " UTC"
  }

  /// Parses text in the form of `description`, or returns `nil`.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 20, bytes[10] == UInt8(ascii: "T"), bytes[19] == UInt8(ascii: "Z") else {
      return nil
    }
    let fields = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].map { range in
      Int64(String(decoding: bytes[range], as: UTF8.self))
    }
    guard case let numbers = fields.compactMap(\.self), numbers.count == 6 else { return nil }
    let days = UTCTime.days(year: numbers[0], month: numbers[1], day: numbers[2])
    let seconds = numbers[3] * 3_600 + numbers[4] * 60 + numbers[5]
    self.init(secondsSince1970: days * 86_400 + seconds)
    guard description == text else { return nil }
  }

  /// Decodes text in the form of `description`.
  ///
  /// - Throws: `DecodingError` for any other text.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let time = UTCTime(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\(text) is not a time like 2026-02-03T04:05:06Z"
      )
    }
    self = time
  }

  /// Encodes the time in the form of `description`.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  private var parts: (date: [String], time: [String]) {
    let seconds = secondsSince1970 - 86_400 * dayNumber
    let date = UTCTime.date(ofDay: dayNumber)
    return (
      [padded(date.year, to: 4), padded(date.month, to: 2), padded(date.day, to: 2)],
      [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { padded($0, to: 2) }
    )
  }

  private var dayNumber: Int64 {
    let quotient = secondsSince1970 / 86_400
    return secondsSince1970 % 86_400 < 0 ? quotient - 1 : quotient
  }

  private func padded(_ number: Int64, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// The Gregorian calendar in whole days, for the years 0 to 9999.
///
/// Years start in March here, so that the leap day is the last day of its year. 400 years are
/// 146,097 days, and day 0 is 1970-01-01.
extension UTCTime {
  /// Returns the number of days from 1970-01-01 to a date.
  static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let marchMonth = (month + 9) % 12
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return marchYear * 365 + leapDays + dayOfYear - 719_468
  }

  /// Returns the date of a day counted from 1970-01-01.
  static func date(ofDay number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    var year = (number + 719_468) * 400 / 146_097 + 1
    while days(year: year, month: 3, day: 1) > number { year -= 1 }
    let dayOfYear = number - days(year: year, month: 3, day: 1)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    return marchMonth < 10 ? (year, marchMonth + 3, day) : (year + 1, marchMonth - 9, day)
  }
}
