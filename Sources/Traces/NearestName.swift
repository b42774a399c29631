/// Finds the known name nearest to a mistyped one.
package enum NearestName {
  /// Returns the known name with the fewest edits, the first of several.
  ///
  /// - Returns: `nil` if the edits exceed half of the length of the longer name.
  /// - Complexity: the number of known names times the product of the lengths.
  package static func of(_ name: String, among known: some Sequence<String>) -> String? {
    let ranked = known.map { (name: $0, edits: distance(name, $0)) }
    guard let best = ranked.min(by: { $0.edits < $1.edits }) else { return nil }
    return best.edits * 2 <= max(name.count, best.name.count) ? best.name : nil
  }

  /// Returns the edits between two names, case-insensitively.
  ///
  /// An edit inserts, deletes or replaces a letter, or swaps two adjacent letters.
  static func distance(_ left: String, _ right: String) -> Int {
    let (a, b) = (Array(left.lowercased()), Array(right.lowercased()))
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, rows[i - 1][j - 1] + 1)
        }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
