extension ChoiceSequence {
  /// Returns the sequence of the given pieces of this one, in this order, with the remaining spans.
  ///
  /// A span inside one piece moves with it. A span that contains whole pieces still contains them.
  /// A span that loses all its choices is removed.
  ///
  /// - Complexity: O(choices + spans * pieces).
  func rearranged(_ pieces: [Range<Int>], without dropped: Int? = nil) -> ChoiceSequence {
    var result = ChoiceSequence()
    var places: [Int] = []
    for piece in pieces {
      places.append(result.choices.count)
      result.choices.append(contentsOf: choices[piece])
    }
    for (index, span) in spans.enumerated() where index != dropped {
      if let moved = Self.moved(span, pieces, places) { result.spans.append(moved) }
    }
    result.restoreOrder()
    return result
  }

  /// Returns the span at its new position, or `nil` if it lost all its choices.
  private static func moved(
    _ span: ChoiceSpan,
    _ pieces: [Range<Int>],
    _ places: [Int]
  ) -> ChoiceSpan? {
    var bounds: (start: Int, end: Int)?
    for (piece, place) in zip(pieces, places) {
      let low = max(span.start, piece.lowerBound)
      let high = min(span.end, piece.upperBound)
      let isEmptyInside = span.start == span.end && low == high && piece.contains(low)
      guard low < high || isEmptyInside else { continue }
      let start = place + low - piece.lowerBound
      let end = start + high - low
      bounds = (min(bounds?.start ?? start, start), max(bounds?.end ?? end, end))
    }
    guard let bounds else { return nil }
    var moved = span
    (moved.start, moved.end) = bounds
    return moved
  }

  /// Sorts the spans, each before those inside it, and recomputes their depths.
  private mutating func restoreOrder() {
    let isSorted = zip(spans, spans.dropFirst()).allSatisfy { $0.start <= $1.start }
    if !isSorted {
      let order = spans.indices.sorted {
        (spans[$0].start, spans[$0].depth, $0) < (spans[$1].start, spans[$1].depth, $1)
      }
      spans = order.map { spans[$0] }
    }
    var open: [(range: Range<Int>, depth: Int)] = []
    for index in spans.indices {
      let (range, depth) = (spans[index].range, spans[index].depth)
      while let last = open.last, last.depth >= depth || last.range.upperBound < range.upperBound {
        open.removeLast()
      }
      spans[index].depth = open.count
      open.append((range, depth))
    }
  }

  /// Returns the sequence without a range of choices and the spans inside it.
  func removing(_ range: Range<Int>) -> ChoiceSequence {
    rearranged([0..<range.lowerBound, range.upperBound..<count])
  }

  /// Returns the sequence without some ranges, given in order; ranges may be nested.
  func removing(_ ranges: [Range<Int>]) -> ChoiceSequence {
    var pieces: [Range<Int>] = []
    var place = 0
    for range in ranges where range.lowerBound >= place {
      pieces.append(place..<range.lowerBound)
      place = range.upperBound
    }
    return rearranged(pieces + [place..<count])
  }

  /// Returns the sequence with two disjoint, nonempty spans exchanged; `first` precedes `second`.
  ///
  /// - Complexity: O(choices + spans).
  func exchanging(_ first: Int, _ second: Int) -> ChoiceSequence {
    let (left, right) = (spans[first], spans[second])
    let (leftTree, rightTree) = (subtree(first), subtree(second))
    let growth = right.range.count - left.range.count
    var result = ChoiceSequence()
    let stretches = [
      0..<left.start, right.range, left.end..<right.start, left.range, right.end..<count,
    ]
    for stretch in stretches { result.choices.append(contentsOf: choices[stretch]) }
    func place(_ index: Int) -> Int {
      index <= left.start || index >= right.end ? index : index + growth
    }
    func append(_ indices: Range<Int>, shift: Int, deeper: Int) {
      for var span in spans[indices] {
        (span.start, span.end) = (span.start + shift, span.end + shift)
        span.depth += deeper
        result.spans.append(span)
      }
    }
    func append(_ indices: Range<Int>) {
      for var span in spans[indices] {
        (span.start, span.end) = (place(span.start), place(span.end))
        result.spans.append(span)
      }
    }
    append(0..<first)
    append(rightTree, shift: left.start - right.start, deeper: left.depth - right.depth)
    append(leftTree.upperBound..<second)
    append(leftTree, shift: right.end - left.end, deeper: right.depth - left.depth)
    append(rightTree.upperBound..<spans.count)
    return result
  }

  /// Returns the indices of a span and of the spans inside it.
  func subtree(_ index: Int) -> Range<Int> {
    index..<(spans[(index + 1)...].firstIndex { $0.depth <= spans[index].depth } ?? spans.count)
  }

  /// Returns the sequence with some choices replaced.
  func replacing(_ edits: [(index: Int, choice: Choice)]) -> ChoiceSequence {
    var result = self
    for edit in edits { result.choices[edit.index] = edit.choice }
    return result
  }

  /// Returns the sequence with the choices at some indices simplified.
  func simplifying(_ indices: [Int]) -> ChoiceSequence {
    var result = self
    for index in indices { result.choices[index] = choices[index].simplified }
    return result
  }
}
