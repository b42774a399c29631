/// Keeps the share of false alarms among all alarms of a run below a rate, however many rows there
/// are (Benjamini and Hochberg, 1995).
package enum FalseDiscovery {
  /// Says of each chance whether it is small enough to be told.
  ///
  /// - Complexity: O(n log n).
  package static func told(_ chances: [Double], rate: Double = 0.05) -> [Bool] {
    let order = chances.indices.sorted { chances[$0] < chances[$1] }
    let count = Double(chances.count)
    var last: Int?
    for (place, index) in order.enumerated()
    where chances[index] <= Double(place + 1) / count * rate {
      last = place
    }
    var told = [Bool](repeating: false, count: chances.count)
    if let last { for index in order[...last] { told[index] = true } }
    return told
  }
}
