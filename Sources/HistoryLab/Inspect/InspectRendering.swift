import HistoryStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Shows a census: as text for people, as JSON and CSV for programs.
struct InspectRendering {
  /// The path as it was given.
  let path: String
  let census: HistoryCensus
  /// The newest values that deleted objects left behind, if they are to be shown.
  var tombstones: [TombstoneSample]?
  /// How many authors and entities the text shows; JSON and CSV hold all.
  var shownMax = 10
  /// The columns that a line of the text may fill; `nil` where lines may have any length.
  var width: Int?
}

extension String {
  /// The text in which nothing acts on a terminal.
  var visible: String {
    unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
        ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }.joined()
  }
}

/// Puts numbers into words that are read at a glance.
enum InspectUnits {
  /// A number of bytes: `512 bytes`, `4.0 KiB`, `1.5 MiB`.
  static func size(_ bytes: Int64) -> String {
    guard bytes >= 1024 else { return "\(bytes) bytes" }
    var value = Double(bytes) / 1024
    var unit = "KiB"
    for larger in ["MiB", "GiB", "TiB"] where value >= 1024 {
      value /= 1024
      unit = larger
    }
    return "\(fixed(value)) \(unit)"
  }

  /// A time: `316 us`, `2.1 ms`, `3.4 s`, `5.0 min`, `2.1 h`, `3.5 days`.
  static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<0.001: "\(Int((seconds * 1e6).rounded())) us"
    case ..<1: "\(fixed(seconds * 1e3)) ms"
    case ..<60: "\(fixed(seconds)) s"
    case ..<3600: "\(fixed(seconds / 60)) min"
    case ..<86400: "\(fixed(seconds / 3600)) h"
    default: "\(fixed(seconds / 86400)) days"
    }
  }

  /// A share: `19.2 %`.
  static func percent(_ part: Int64, of whole: Int64) -> String {
    "\(fixed(whole == 0 ? 0 : Double(part) / Double(whole) * 100)) %"
  }

  /// A point in time as `2019-10-27T12:22:55.201Z`; far from our years, the seconds since 2001.
  static func date(_ timestamp: Double) -> String {
    // The years 1 to 9999.
    guard (-63_113_904_000..<252_423_993_600).contains(timestamp) else {
      return "\(timestamp) s after 2001-01-01"
    }
    return Date(timeIntervalSinceReferenceDate: timestamp)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// A number with one digit behind the point, however great.
  static func fixed(_ value: Double) -> String {
    let tenths = (value * 10).rounded()
    guard let whole = Int64(exactly: tenths) else { return "\(value)" }
    let sign = whole < 0 ? "-" : ""
    return "\(sign)\(whole.magnitude / 10).\(whole.magnitude % 10)"
  }
}
