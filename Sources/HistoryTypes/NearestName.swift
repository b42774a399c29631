/// A search for the known name that a mistyped name most likely means.
package enum NearestName {
  /// Returns the known name most similar to a typed name, or `nil` if none is similar.
  ///
  /// A name is similar if its edit distance is at most a third of the longer name's length,
  /// rounded. Upper and lower case are equal. Of several equally similar names, the first one is
  /// returned.
  package static func find(_ typed: String, among names: [String]) -> String? {
    let typed = Array(typed.lowercased())
    var nearest: (name: String, distance: Int)?
    for name in names {
      let distance = distance(typed, Array(name.lowercased()))
      guard distance <= (max(typed.count, name.count) + 1) / 3 else { continue }
      if nearest.map({ distance < $0.distance }) ?? true { nearest = (name, distance) }
    }
    return nearest?.name
  }

  /// Returns how many letters must be inserted, deleted, replaced or swapped to turn one name into another.
  ///
  /// This is the optimal string alignment form of the Damerau-Levenshtein distance: no substring is
  /// edited twice.
  ///
  /// - Complexity: proportional to the product of the two lengths.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
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
