import Foundation

/// Writes numbers for people: three digits, a unit that fits, thousands apart.
package enum NumberText {
  /// Writes a time given in nanoseconds: `12.3 us` with the Greek letter.
  package static func time(nanoseconds: Double) -> String {
    let units: [(size: Double, name: String)] = [(1e9, "s"), (1e6, "ms"), (1e3, "\u{B5}s")]
    for unit in units where abs(nanoseconds) >= unit.size * 0.9995 {
      return significant(nanoseconds / unit.size) + " " + unit.name
    }
    return significant(nanoseconds) + " ns"
  }

  /// Writes a number of bytes: `12.3 MiB`.
  package static func bytes(_ bytes: Double) -> String {
    let units: [(size: Double, name: String)] = [
      (1_073_741_824, "GiB"), (1_048_576, "MiB"), (1024, "KiB"),
    ]
    for unit in units where abs(bytes) >= unit.size {
      return significant(bytes / unit.size) + " " + unit.name
    }
    return significant(bytes) + " B"
  }

  /// Writes a value in a unit; nanoseconds and bytes take the unit that fits.
  package static func quantity(_ value: Double, unit: String) -> String {
    if unit == "ns" { return time(nanoseconds: value) }
    if unit == "B" { return bytes(value) }
    let isWhole = value == value.rounded() && abs(value) < 1e15
    let number = isWhole ? count(Int(value)) : significant(value)
    return unit.isEmpty ? number : "\(number) \(unit)"
  }

  /// Writes a whole number with its thousands apart: `1,000,000`.
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

  /// Writes a round number shortly: `10k`, `1M`; any other number in full.
  package static func shortCount(_ number: Int) -> String {
    if number >= 1_000_000 && number.isMultiple(of: 100_000) {
      return exact(Double(number) / 1e6) + "M"
    }
    if number >= 1_000 && number.isMultiple(of: 100) { return exact(Double(number) / 1e3) + "k" }
    return count(number)
  }

  /// Writes a ratio: `x1.25` with the sign of multiplication.
  package static func ratio(_ ratio: Double) -> String { "\u{D7}" + significant(ratio) }

  /// Writes an interval of ratios: `1.20 to 1.31` with a dash.
  package static func range(_ lower: Double, _ upper: Double) -> String {
    significant(lower) + "\u{2013}" + significant(upper)
  }

  /// Writes three significant digits, more before the point where the number has them.
  package static func significant(_ value: Double) -> String {
    guard value.isFinite else { return "not a number" }
    let size = abs(value)
    if size == 0 { return "0" }
    if size >= 999.5 { return count(Int(value.rounded())) }
    if size < 0.000_995 { return String(format: "%.2g", value) }
    let digits = 2 - Int(log10(size * 1.000_5).rounded(.down))
    return String(format: "%.*f", digits, value)
  }

  /// Writes a number for machines with six digits, which is more than any measurement has.
  package static func rounded(_ value: Double) -> String {
    guard value.isFinite else { return "" }
    return abs(value) >= 1e5 ? exact(value.rounded()) : String(format: "%.6g", value)
  }

  /// Writes a number for machines: the shortest that reads back the same, whole ones without point.
  package static func exact(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
