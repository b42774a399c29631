extension String {
  /// The text with its first letter in upper case.
  package var capitalised: String { prefix(1).uppercased() + dropFirst() }

  /// The text in quotation marks, with control characters escaped, cut to 120 characters.
  package var quoted: String {
    let shown = prefix(120).unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
        ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
    return "\"\(shown.joined())\(count > 120 ? "..." : "")\""
  }

  /// The text quoted so that a shell reads it as one word.
  package var shellQuoted: String {
    let isPlain = unicodeScalars.allSatisfy { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || "0123456789_-./:=,+@%".contains(Character(scalar)))
    }
    if isPlain, !isEmpty { return self }
    let escaped = split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    return "'\(escaped)'"
  }
}

extension [String] {
  /// The words as a list that ends with "or": "a, b or c".
  package var joinedAsAlternatives: String { joined(by: "or") }

  /// The words as a list that ends with "and": "a, b and c".
  package var joinedWithAnd: String { joined(by: "and") }

  private func joined(by word: String) -> String {
    guard count > 1, let last else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " \(word) \(last)"
  }
}

extension Sequence where Element: Hashable {
  /// The elements without repetitions, in the order of their first appearance.
  package var uniqued: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
