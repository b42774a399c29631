extension Int {
  /// Returns the number with a noun: `1 command`, `1,200 commands`.
  ///
  /// The default plural is the noun with an `s`.
  package func counted(_ one: String, _ many: String? = nil) -> String {
    "\(inGroups) \(magnitude == 1 ? one : many ?? one + "s")"
  }

  /// The number with a comma between groups of three digits.
  package var inGroups: String {
    var digits = String(magnitude)
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.insert(digits.suffix(3), at: 0)
      digits.removeLast(3)
    }
    groups.insert(digits[...], at: 0)
    return (self < 0 ? "-" : "") + groups.joined(separator: ",")
  }
}
