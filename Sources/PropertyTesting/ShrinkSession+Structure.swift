extension ShrinkSession {
  /// Joins the lists inside adjacent elements: all at once or, if that fails, two at a time.
  func joinSiblings() {
    var ordinal = 0
    while ordinal < tree.groups.count, !isOver {
      joinMembers(ofGroup: ordinal)
      ordinal += 1
    }
  }

  private func joinMembers(ofGroup ordinal: Int) {
    let members = tree.groups[ordinal].members
    guard members.count > 1, tree.groups[ordinal].kind == .element else { return }
    if members.count > 2, join(members) { return }
    var index = members.count - 2
    while index >= 0, !isOver, ordinal < tree.groups.count {
      let members = tree.groups[ordinal].members
      if index + 1 < members.count { _ = join(Array(members[index...index + 1])) }
      index -= 1
    }
  }

  /// Tries to join the lists inside adjacent elements; returns whether the case became simpler.
  ///
  /// The contents of the other lists are appended to the list in the first element. The other
  /// elements are deleted.
  private func join(_ members: [Int]) -> Bool {
    let inner = members.map { innerElements(of: $0) }
    guard let first = inner.first ?? nil, let last = members.last else { return false }
    var pieces = [0..<first.upperBound]
    for elements in inner.dropFirst() {
      guard let elements else { return false }
      pieces.append(elements)
    }
    pieces.append(first.upperBound..<best.spans[members[0]].end)
    pieces.append(best.spans[last].end..<best.count)
    return attempt(best.rearranged(pieces))
  }

  /// Returns the range of choices of the first list or loop inside a span (a group of choices).
  ///
  /// Returns `nil` if there is none. Lists and loops whose length was drawn in advance do not
  /// count.
  private func innerElements(of span: Int) -> Range<Int>? {
    let range = best.spans[span].range
    let group = tree.groups.first { group in
      group.kind == .element && group.depth > best.spans[span].depth
        && range.contains(best.spans[group.members[0]].start)
    }
    guard let group, let first = group.members.first, let last = group.members.last else {
      return nil
    }
    return best.spans[first].start..<best.spans[last].end
  }

  /// Replaces spans by inner spans with the same label, such as a tree by one of its subtrees.
  func liftDescendants() {
    var index = 0
    while index < best.spans.count, !isOver {
      if !liftDescendant(into: index) { index += 1 }
    }
  }

  private func liftDescendant(into outer: Int) -> Bool {
    let span = best.spans[outer]
    guard span.kind == .part else { return false }
    let inside = best.spans[(outer + 1)...].prefix { $0.depth > span.depth }
    let candidates = inside.filter { $0.label == span.label && $0.range.count < span.range.count }
    for candidate in candidates.sorted(by: { $0.depth < $1.depth }).prefix(16) {
      let lifted = best.rearranged(
        [0..<span.start, candidate.range, span.end..<best.count],
        without: outer
      )
      if attempt(lifted) || (failedUnimproved && lowerSize(of: lifted, before: span.start)) {
        return true
      }
    }
    return false
  }

  /// Lowers a number before a lifted subtree; returns whether the case became simpler.
  ///
  /// A lift replaces a tree by one of its subtrees. If the lift keeps the failure, but gives no
  /// simpler case, this second edit is tried. The number may be a size that a recursive generator
  /// divides among subtrees: the lifted subtree then gets a greater size than before, and draws more
  /// choices.
  private func lowerSize(of candidate: ChoiceSequence, before place: Int) -> Bool {
    let numbers = candidate.choices[..<place].indices.reversed().filter {
      candidate.choices[$0].kind == .number && !candidate.choices[$0].isSimplest
    }
    for index in numbers.prefix(4) {
      let choice = candidate.choices[index]
      for distance in [choice.distance / 2, choice.distance - 1]
      where attempt(candidate.replacing([(index, choice.with(distance: distance))])) {
        return true
      }
    }
    return false
  }

  /// Exchanges disjoint spans with the same label, such as two subtrees of a tree.
  ///
  /// A label qualifies if one of its spans contains another one, as in trees. Each exchange is
  /// first tried alone. If that finds no simpler case, the exchange is tried together with a sort
  /// of all adjacent sibling parts of that label, the simplest first.
  func exchangeSpans() {
    let labels = tree.nestedLabels(best)
    guard !labels.isEmpty else { return }
    var first = 0
    while first < best.spans.count, !isOver {
      let isNested = labels.contains(best.spans[first].label)
      var second = isNested ? best.subtree(first).upperBound : best.spans.count
      while first < best.spans.count, second < best.spans.count, !isOver {
        if labels.contains(best.spans[first].label), canExchange(first, second) {
          let exchanged = best.exchanging(first, second)
          _ = attempt(exchanged) || attempt(exchanged.sortingParts(best.spans[first].label))
        }
        second += 1
      }
      first += 1
    }
  }

  private func canExchange(_ first: Int, _ second: Int) -> Bool {
    let (left, right) = (best.spans[first], best.spans[second])
    return left.kind == .part && right.kind == .part && left.label == right.label
      && left.end <= right.start && !left.range.isEmpty && !right.range.isEmpty
      && left.range.count + right.range.count > 2
      && best.choices[left.range] != best.choices[right.range]
  }

  /// Sorts adjacent groups of choices with the same label, such as list elements, simplest first.
  ///
  /// Such groups inside one outer group are sorted all at once or, if that finds no simpler case,
  /// moved one at a time. Finally, adjacent choices directly in the same group are swapped.
  func sortSiblings() {
    var ordinal = 0
    while ordinal < tree.groups.count, !isOver {
      sortMembers(ofGroup: ordinal)
      ordinal += 1
    }
    swapValues()
  }

  private func sortMembers(ofGroup ordinal: Int) {
    let members = tree.groups[ordinal].members
    guard members.count > 1 else { return }
    if reorder(members, as: best.sorted(members)) { return }
    for index in 1..<members.count where ordinal < tree.groups.count && !isOver {
      moveForward(index, inGroup: ordinal)
    }
  }

  /// Moves a group of choices toward the front, past the less simple groups directly before it.
  ///
  /// The groups are spans with the same label in the same outer span. If the move past all of them
  /// fails, a move past half of them is tried, and so on.
  private func moveForward(_ index: Int, inGroup ordinal: Int) {
    let members = tree.groups[ordinal].members
    guard index < members.count else { return }
    let earlier = members[..<index].reversed().prefix { other in
      best.precedes(best.spans[members[index]], best.spans[other])
    }
    var distance = earlier.count
    while distance > 0, !isOver {
      var order = members
      order.insert(order.remove(at: index), at: index - distance)
      if reorder(members, as: order) { return }
      distance /= 2
    }
  }

  private func reorder(_ members: [Int], as order: [Int]) -> Bool {
    members != order && attempt(best.rearranged(best.pieces(members, in: order)))
  }

  /// Swaps adjacent choices of one span that have the same range, to put the simpler value first.
  private func swapValues() {
    var index = 1
    while index < best.count, !isOver {
      let (left, right) = (best.choices[index - 1], best.choices[index])
      if tree.owners[index - 1] == tree.owners[index], left.lowest == right.lowest,
        left.highest == right.highest, !left.isContinuation, !right.isContinuation,
        right.rank < left.rank
      {
        _ = attempt(best.replacing([(index - 1, right), (index, left)]))
      }
      index += 1
    }
  }
}

extension ChoiceSequence {
  /// Returns whether the sequence is simpler if the left span, not the right one, comes first.
  ///
  /// A span is a group of choices. The number of choices in the sequence does not change, so the
  /// first pair of choices with different ranks decides; without any, the shorter span comes first.
  fileprivate func precedes(_ left: ChoiceSpan, _ right: ChoiceSpan) -> Bool {
    for (a, b) in zip(choices[left.range], choices[right.range]) where a.rank != b.rank {
      return a.rank < b.rank
    }
    return left.range.count < right.range.count
  }

  /// Returns spans in the order that makes the sequence simplest.
  fileprivate func sorted(_ members: [Int]) -> [Int] {
    members.sorted { left, right in
      if precedes(spans[left], spans[right]) { return true }
      return left < right && !precedes(spans[right], spans[left])
    }
  }

  /// Returns the sequence with all groups of choices with the given label sorted, the simplest first.
  ///
  /// Only adjacent groups inside the same outer group are sorted, and only if they are no elements
  /// of a list or loop. Inner groups are sorted before the groups that contain them.
  fileprivate func sortingParts(_ label: String) -> ChoiceSequence {
    var result = self
    var depth = spans.map(\.depth).max() ?? 0
    while depth >= 0 {
      for group in SpanTree(result).groups where group.depth == depth && group.label == label {
        guard group.kind == .part, group.members.count > 1 else { continue }
        result = result.rearranged(result.pieces(group.members, in: result.sorted(group.members)))
      }
      depth -= 1
    }
    return result
  }

  /// Cuts the sequence into ranges of choices, in an order that puts adjacent spans in a new order.
  ///
  /// `members` are the indices of the spans (groups of choices), and `order` are the same indices
  /// in the new order. ``rearranged(_:without:)`` joins the ranges.
  fileprivate func pieces(_ members: [Int], in order: [Int]) -> [Range<Int>] {
    guard let first = members.first, let last = members.last else { return [0..<count] }
    return [0..<spans[first].start] + order.map { spans[$0].range } + [spans[last].end..<count]
  }
}
