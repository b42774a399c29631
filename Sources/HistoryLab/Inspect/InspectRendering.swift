import HistoryStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A census rendered as text for people, or as JSON or CSV for programs.
struct InspectRendering {
  /// The path as the user gave it.
  let path: String
  let census: HistoryCensus
  /// The newest tombstones of deleted objects; `nil` if they were not requested.
  var tombstones: [TombstoneSample]?
  /// The maximum number of authors and entities in the text; JSON and CSV contain all.
  var shownMax = 10
  /// The maximum width of a line of text, in columns; `nil` for no limit.
  var width: Int?
}

extension String {
  /// The text with control and bidirectional characters escaped, so that it is safe on a terminal.
  var visible: String {
    unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
        ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }.joined()
  }
}

/// Formats quantities for people.
enum InspectUnits {
  /// Returns a number of bytes as text: `512 bytes`, `4.0 KiB`, `1.5 MiB`.
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

  /// Returns a duration as text: `316 us`, `2.1 ms`, `3.4 s`, `5.0 min`, `2.1 h`, `3.5 days`.
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

  /// Returns a share as text: `19.2 %`.
  static func percent(_ part: Int64, of whole: Int64) -> String {
    "\(fixed(whole == 0 ? 0 : Double(part) / Double(whole) * 100)) %"
  }

  /// Returns a point in time as `2019-10-27T12:22:55.201Z`.
  ///
  /// Outside the years 1 to 9999 it is the number of seconds after 2001-01-01.
  static func date(_ timestamp: Double) -> String {
    // The years 1 to 9999.
    guard (-63_113_904_000..<252_423_993_600).contains(timestamp) else {
      return "\(timestamp) s after 2001-01-01"
    }
    return Date(timeIntervalSinceReferenceDate: timestamp)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// Returns a number with one decimal digit; very large numbers keep their default format.
  static func fixed(_ value: Double) -> String {
    let tenths = (value * 10).rounded()
    guard let whole = Int64(exactly: tenths) else { return "\(value)" }
    let sign = whole < 0 ? "-" : ""
    return "\(sign)\(whole.magnitude / 10).\(whole.magnitude % 10)"
  }
}
