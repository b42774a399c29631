/// The Benjamini-Hochberg procedure (1995).
///
/// It bounds the share of false alarms among all alarms of a run, for any number of rows.
package enum FalseDiscovery {
  /// Returns for each p-value whether its row is reported as an alarm.
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
