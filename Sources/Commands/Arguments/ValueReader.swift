import Basics

/// Parses one kind of value from the command line.
package struct ValueReader<Value: Sendable>: Sendable {
  /// The name of the value in usage lines.
  package let placeholder: String
  /// The accepted values as a noun phrase, which completes "--plans takes ...".
  package let expectation: String
  /// The words that an error message may suggest instead of a mistyped value.
  package let suggestions: [String]
  /// Returns the text that the help shows for a default value.
  package let show: @Sendable (Value) -> String
  /// Parses a text; returns `nil` if the text is invalid.
  package let read: @Sendable (String) -> Value?

  package init(
    placeholder: String,
    expectation: String,
    suggestions: [String] = [],
    show: @escaping @Sendable (Value) -> String = { String(describing: $0) },
    read: @escaping @Sendable (String) -> Value?
  ) {
    self.placeholder = placeholder
    self.expectation = expectation
    self.suggestions = suggestions
    self.show = show
    self.read = read
  }

  /// The type-erased rule for the texts that the reader accepts.
  package var rule: ValueRule {
    ValueRule(
      placeholder: placeholder,
      expectation: expectation,
      suggestions: suggestions,
      accepts: { [read] in read($0) != nil }
    )
  }
}

extension ValueReader where Value == String {
  /// Accepts any non-empty text.
  package static func text(_ placeholder: String, _ expectation: String) -> ValueReader {
    ValueReader(placeholder: placeholder, expectation: expectation) { $0.isEmpty ? nil : $0 }
  }

  /// Accepts any path; the verb must check whether the file or folder exists.
  package static func path(_ placeholder: String) -> ValueReader {
    text(placeholder, placeholder == "FILE" ? "a file" : "a folder")
  }
}

extension ValueReader where Value == Int {
  /// Accepts a whole number in a range.
  package static func integer(_ placeholder: String, _ range: ClosedRange<Int>) -> ValueReader {
    let expectation =
      "a whole number from \(range.lowerBound.grouped) to \(range.upperBound.grouped)"
    return ValueReader(
      placeholder: placeholder,
      expectation: expectation,
      show: { $0.grouped },
      read: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    )
  }
}

extension ValueReader where Value == Double {
  /// Accepts a number in a range, with or without a fraction.
  package static func decimal(_ placeholder: String, _ range: ClosedRange<Double>) -> ValueReader {
    let expectation = "a number from \(range.lowerBound.short) to \(range.upperBound.short)"
    return ValueReader(
      placeholder: placeholder,
      expectation: expectation,
      show: { $0.short },
      read: { text in Double(text).flatMap { range.contains($0) ? $0 : nil } }
    )
  }
}

extension ValueReader where Value == UInt64 {
  /// Accepts a seed: a decimal number, or a hexadecimal number after `0x`.
  package static let seed = ValueReader(
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

extension ValueReader
where Value: CaseIterable & RawRepresentable & Sendable, Value.RawValue == String {
  /// Accepts the raw values of a type's cases.
  package static func choice(_ placeholder: String) -> ValueReader {
    let known = Value.allCases.map(\.rawValue)
    return ValueReader(
      placeholder: placeholder,
      expectation: known.joinedAsAlternatives,
      suggestions: known,
      show: { $0.rawValue },
      read: { Value(rawValue: $0) }
    )
  }
}

extension ValueReader where Value == [String] {
  /// Accepts words from a fixed list, separated by commas.
  package static func words(_ placeholder: String, of known: [String]) -> ValueReader {
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

/// A type-erased rule for the valid texts of an option or argument.
package struct ValueRule: Sendable {
  package let placeholder: String
  package let expectation: String
  package let suggestions: [String]
  package let accepts: @Sendable (String) -> Bool
}
