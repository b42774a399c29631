import Foundation

/// Formats numbers for readers: three significant digits, a suitable unit, grouped thousands.
package enum NumberText {
  /// Returns a time given in nanoseconds, such as `12.3 us` (with the Greek letter mu).
  package static func time(nanoseconds: Double) -> String {
    let units: [(size: Double, name: String)] = [(1e9, "s"), (1e6, "ms"), (1e3, "\u{B5}s")]
    for unit in units where abs(nanoseconds) >= unit.size * 0.9995 {
      return significant(nanoseconds / unit.size) + " " + unit.name
    }
    return significant(nanoseconds) + " ns"
  }

  /// Returns a number of bytes, such as `12.3 MiB`.
  package static func bytes(_ bytes: Double) -> String {
    let units: [(size: Double, name: String)] = [
      (1_073_741_824, "GiB"), (1_048_576, "MiB"), (1024, "KiB"),
    ]
    for unit in units where abs(bytes) >= unit.size {
      return significant(bytes / unit.size) + " " + unit.name
    }
    return significant(bytes) + " B"
  }

  /// Returns a value with its unit; nanoseconds and bytes are converted to a suitable unit.
  package static func quantity(_ value: Double, unit: String) -> String {
    if unit == "ns" { return time(nanoseconds: value) }
    if unit == "B" { return bytes(value) }
    let isWhole = value == value.rounded() && abs(value) < 1e15
    let number = isWhole ? count(Int(value)) : significant(value)
    return unit.isEmpty ? number : "\(number) \(unit)"
  }

  /// Returns an integer with grouped thousands, such as `1,000,000`.
  package static func count(_ number: Int) -> String {
    var groups: [Substring] = []
    var digits = Substring(String(number.magnitude))
    while digits.count > 3 {
      groups.append(digits.suffix(3))
      digits = digits.dropLast(3)
    }
    groups.append(digits)
    return (number < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
  }

  /// Returns a ratio, such as `x1.25` (with the multiplication sign).
  package static func ratio(_ ratio: Double) -> String { "\u{D7}" + significant(ratio) }

  /// Returns an interval of ratios, such as `1.20-1.31` (with an en dash).
  package static func range(_ lower: Double, _ upper: Double) -> String {
    significant(lower) + "\u{2013}" + significant(upper)
  }

  /// Returns a number with three significant digits; digits before the decimal point are all kept.
  package static func significant(_ value: Double) -> String {
    guard value.isFinite else { return "not a number" }
    let size = abs(value)
    if size == 0 { return "0" }
    if size >= 999.5 { return count(Int(value.rounded())) }
    if size < 0.000_995 { return String(format: "%.2g", value) }
    let digits = 2 - Int(log10(size * 1.000_5).rounded(.down))
    return String(format: "%.*f", digits, value)
  }

  /// Returns a number with six significant digits for machine-readable files; empty if not finite.
  ///
  /// Integers above 100,000 keep all digits. Measurements are less precise than six digits.
  package static func rounded(_ value: Double) -> String {
    guard value.isFinite else { return "" }
    return abs(value) >= 1e5 ? exact(value.rounded()) : String(format: "%.6g", value)
  }

  /// Returns the shortest text that reads back as the same number; integers have no decimal point.
  package static func exact(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
