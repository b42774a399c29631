import HistoryStore
import Measuring

extension PurgeBound {
  /// Parses a transaction's number, or a date in UTC with an optional time of day.
  ///
  /// The seconds of the time may have a fraction, as `inspect` prints it.
  static let reader = ValueReader<PurgeBound>(
    placeholder: "DATE|NUMBER",
    expectation: "a transaction's number or a date in UTC such as 2025-01-31 or "
      + "2025-01-31T12:30:00Z"
  ) { text in
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return Int64(text).map { .number($0) }
    }
    return seconds(text).map { .timestamp($0) }
  }

  /// Returns the seconds from 2001-01-01 to a date and time in UTC.
  private static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let time = parts.count > 1 ? parts[1] : "00:00:00Z"
    guard time.hasSuffix("Z") else { return nil }
    let digits = time.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    let fraction = digits.count > 1 ? digits[1] : "0"
    guard digits.count <= 2, !fraction.isEmpty,
      fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let part = Double("0." + fraction), let moment = UTCTime("\(parts[0])T\(digits[0])Z")
    else { return nil }
    return Double(moment.secondsSince1970 - secondsFrom1970To2001) + part
  }

  private static let secondsFrom1970To2001: Int64 = 978_307_200
}

extension PurgeEstimate {
  /// The bound as a phrase, such as "before #5".
  var place: String {
    let date = timestamp.map(InspectUnits.date)
    return switch bound {
    case .number(let number): "before #\(number)"
    case .timestamp: "before \(date ?? "no time")"
    case .days(let days):
      "older than \(days.short) \(days == 1 ? "day" : "days") (before \(date ?? "a time that no transaction has"))"
    }
  }
}
