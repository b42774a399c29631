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

/// Finds the known word that a mistyped one most likely means.
package enum NearestWord {
  /// Returns the known word nearest to a typed word, or `nil` if none is near.
  ///
  /// A known word is near if its edit distance is at most a third of the longer word's length, rounded.
  /// If no word is near by this rule, the only known word that begins with the typed word is near;
  /// the typed word must then have at least two letters. The case of letters is ignored.
  package static func find(_ typed: String, among words: [String]) -> String? {
    let typed = typed.lowercased()
    let ranked = words.map { (word: $0, distance: EditDistance.between(typed, $0.lowercased())) }
    let near = ranked.filter { $0.distance <= (max(typed.count, $0.word.count) + 1) / 3 }
    // Of several equally near words the first is chosen, so that the result does not depend on sorting.
    if let best = near.min(by: { $0.distance < $1.distance }) { return best.word }
    let begun = words.filter { $0.lowercased().hasPrefix(typed) }
    return typed.count >= 2 && begun.count == 1 ? begun.first : nil
  }

  /// Returns a question that suggests the nearest word, or an empty text if none is near.
  package static func hint(for typed: String, among words: [String]) -> String {
    find(typed, among: words).map { " Did you mean \($0.quoted)?" } ?? ""
  }
}

/// Compares mistyped words with known ones.
package enum EditDistance {
  /// Returns the number of letters to insert, delete, replace or swap that turn one word into another.
  ///
  /// This is the optimal string alignment form of the Damerau-Levenshtein distance: no substring is
  /// edited twice.
  ///
  /// - Complexity: proportional to the product of the two lengths.
  package static func between(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for i in 1...left.count {
      var row = [i]
      for j in 1...right.count {
        let change = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1)
        var least = min(change, last[j] + 1, row[j - 1] + 1)
        let isSwap = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]
        if isSwap { least = min(least, beforeLast[j - 2] + 1) }
        row.append(least)
      }
      (beforeLast, last) = (last, row)
    }
    return last[right.count]
  }
}
