/// How one kind of value is written on the command line, and what it means.
struct ValueReader<Value: Sendable>: Sendable {
  /// What stands for the value in a usage line.
  let placeholder: String
  /// What may be written, as the end of "--plans takes ...".
  let expectation: String
  /// Words that a slip of the pen may have meant.
  var suggestions: [String] = []
  /// Answers the value, or nothing if the text is not one.
  let read: @Sendable (String) -> Value?

  /// The same without the type of its values.
  var rule: ValueRule {
    ValueRule(
      placeholder: placeholder,
      expectation: expectation,
      suggestions: suggestions,
      accepts: { [read] in read($0) != nil }
    )
  }
}

extension ValueReader where Value == String {
  /// Any text but the empty one.
  static func text(_ placeholder: String, _ expectation: String) -> ValueReader {
    ValueReader(placeholder: placeholder, expectation: expectation) { $0.isEmpty ? nil : $0 }
  }

  /// A file or folder; whether it is there is checked by who uses it.
  static func path(_ placeholder: String) -> ValueReader {
    text(placeholder, placeholder == "FILE" ? "a file" : "a folder")
  }
}

extension ValueReader where Value == Int {
  /// A whole number in a range.
  static func integer(_ placeholder: String, _ range: ClosedRange<Int>) -> ValueReader {
    let expectation =
      "a whole number from \(range.lowerBound.grouped) to \(range.upperBound.grouped)"
    return ValueReader(placeholder: placeholder, expectation: expectation) { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ValueReader where Value == Double {
  /// A number in a range, with or without a fraction.
  static func decimal(_ placeholder: String, _ range: ClosedRange<Double>) -> ValueReader {
    let expectation = "a number from \(range.lowerBound.short) to \(range.upperBound.short)"
    return ValueReader(placeholder: placeholder, expectation: expectation) { text in
      Double(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ValueReader where Value == UInt64 {
  /// A seed: decimal, or hexadecimal after `0x`.
  static let seed = ValueReader(
    placeholder: "SEED",
    expectation: "a whole number from 0 to 18446744073709551615, decimal or hexadecimal after 0x"
  ) { text in
    guard text.first?.isNumber == true else { return nil }
    let isHexadecimal = text.lowercased().hasPrefix("0x")
    guard isHexadecimal else { return UInt64(text) }
    let digits = text.dropFirst(2)
    return digits.first == "+" ? nil : UInt64(digits, radix: 16)
  }
}

extension ValueReader where Value == [String] {
  /// Words of a known set, separated by commas.
  static func words(_ placeholder: String, of known: [String]) -> ValueReader {
    ValueReader(
      placeholder: placeholder,
      expectation: known.joinedAsAlternatives,
      suggestions: known
    ) { text in
      let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return words.allSatisfy(known.contains) ? words : nil
    }
  }
}
