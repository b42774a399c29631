/// Finds the word that a slip of the pen meant.
enum NearestWord {
  /// The nearest of some words, or nothing if none is near.
  ///
  /// Near is a distance of at most a third of the longer word, or a beginning of two letters or
  /// more that only one word has.
  static func find(_ typed: String, among words: [String]) -> String? {
    let typed = typed.lowercased()
    let ranked = words.map { (word: $0, distance: distance(typed, $0.lowercased())) }
    let near = ranked.filter { $0.distance <= (max(typed.count, $0.word.count) + 1) / 3 }
    // The first of several equally near ones, so that the answer does not depend on sorting.
    if let best = near.min(by: { $0.distance < $1.distance }) { return best.word }
    let begun = words.filter { $0.lowercased().hasPrefix(typed) }
    return typed.count >= 2 && begun.count == 1 ? begun.first : nil
  }

  /// The end of a sentence that proposes the nearest word, or nothing.
  static func hint(for typed: String, among words: [String]) -> String {
    find(typed, among: words).map { " Did you mean \($0.quoted)?" } ?? ""
  }

  /// How many letters must be put in, left out, changed or swapped with their neighbour.
  ///
  /// The optimal string alignment form of the Damerau-Levenshtein distance: no part is edited
  /// twice.
  ///
  /// - Complexity: the product of the two lengths.
  static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
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
