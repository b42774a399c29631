import Basics

/// Finds the known name nearest to a mistyped one.
package enum NearestName {
  /// Returns the known name with the fewest edits, ignoring case; the first of several.
  ///
  /// - Returns: `nil` if the edits exceed half of the length of the longer name.
  /// - Complexity: the number of known names times the product of the lengths.
  package static func of(_ name: String, among known: some Sequence<String>) -> String? {
    let typed = name.lowercased()
    let ranked = known.map { (name: $0, edits: EditDistance.between(typed, $0.lowercased())) }
    guard let best = ranked.min(by: { $0.edits < $1.edits }) else { return nil }
    return best.edits * 2 <= max(name.count, best.name.count) ? best.name : nil
  }
}
