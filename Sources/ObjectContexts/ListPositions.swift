/// The sort positions of the objects of an ordered relationship, in the order of the objects.
///
/// A position is `nil` if its column is null. Objects without a position come first.
struct ListPositions {
  private(set) var values: [Double?]

  init(_ values: [Double?]) { self.values = values }

  /// Adds a position at an index, between those of its neighbors.
  mutating func insert(at index: Int) {
    values.insert(nil, at: index)
    place(index..<index + 1)
  }

  /// Replaces each `nil` with a position between those of its neighbors.
  mutating func fill() {
    var start = 0
    while let first = values[start...].firstIndex(of: nil) {
      let end = values[first...].firstIndex { $0 != nil } ?? values.endIndex
      place(first..<end)
      start = end
    }
  }

  /// Replaces the positions at a range of indices with ascending ones.
  ///
  /// The new positions lie between those before and after the range. If too few doubles lie between
  /// these two, the range is widened by one index on each side, then by two, four and so on, until
  /// there are enough doubles. All positions in the widened range are replaced.
  private mutating func place(_ range: Range<Int>) {
    var margin = 0
    while true {
      let wider = max(0, range.lowerBound - margin)..<min(values.count, range.upperBound + margin)
      if let spread = spread(wider, leavesRoom: margin > 0) {
        values.replaceSubrange(wider, with: spread)
        return
      }
      margin = max(1, margin * 2)
    }
  }

  private func spread(_ range: Range<Int>, leavesRoom: Bool) -> [Double?]? {
    let lower = range.lowerBound > 0 ? values[range.lowerBound - 1] : nil
    let upper = range.upperBound < values.count ? values[range.upperBound] : nil
    // Null comes first, so no position lies before a neighbor without a position.
    guard upper != nil || range.upperBound == values.count else { return nil }
    return Self.numbers(range.count, between: lower, and: upper, leavesRoom: leavesRoom)
  }

  /// Returns ascending numbers between two bounds.
  ///
  /// - Parameters:
  ///   - count: The number of numbers, at least 1.
  ///   - lower: The bound below; `nil` for none.
  ///   - upper: The bound above; `nil` for none.
  ///   - leavesRoom: Whether about a thousand doubles or more must lie between adjacent numbers.
  /// - Returns: The numbers, or `nil` if there are too few doubles.
  static func numbers(
    _ count: Int,
    between lower: Double?,
    and upper: Double?,
    leavesRoom: Bool = false
  ) -> [Double]? {
    let (first, step): (Double, Double)
    switch (lower, upper) {
    case (nil, nil): (first, step) = (0, 1)
    case (let lower?, nil): (first, step) = (lower.rounded(.down) + 1, 1)
    case (nil, let upper?): (first, step) = (upper.rounded(.up) - Double(count), 1)
    case (let lower?, let upper?):
      step = (upper - lower) / Double(count + 1)
      first = lower + step
    }
    let numbers = (0..<count).map { first + step * Double($0) }
    let all = (lower.map { [$0] } ?? []) + numbers + (upper.map { [$0] } ?? [])
    guard numbers.allSatisfy(\.isFinite), zip(all, all.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    let coarsest = max(all[0].ulp, all[all.count - 1].ulp)
    return leavesRoom && step < 1024 * coarsest ? nil : numbers
  }
}

/// The index of an object in a new order of a relationship, and its index in the present order.
struct ReorderedIndex: Equatable {
  let new: Int
  let old: Int
}

extension [ReorderedIndex] {
  /// A longest subsequence with ascending old indices: the objects that can keep their positions.
  ///
  /// - Complexity: O(n log n) (patience sorting; Knuth, The Art of Computer Programming, 5.1.4).
  var longestAscending: [ReorderedIndex] {
    // For each length, the index of the last element of an ascending subsequence with this length.
    // Of several such subsequences, the one whose last old index is least counts.
    var ends: [Int] = []
    var previous: [Int?] = []
    for (index, element) in enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if self[ends[middle]].old < element.old { low = middle + 1 } else { high = middle }
      }
      previous.append(low > 0 ? ends[low - 1] : nil)
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var found: [ReorderedIndex] = []
    var next = ends.last
    while let index = next {
      found.append(self[index])
      next = previous[index]
    }
    return found.reversed()
  }
}
