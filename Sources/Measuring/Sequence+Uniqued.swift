extension Sequence where Element: Hashable {
  /// The elements without repetitions, in the order of their first appearance.
  package var uniqued: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
