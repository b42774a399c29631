extension ShrinkSession {
  /// Joins neighbours that hold repetitions of the same kind: all of a group, else two at a time.
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

  /// Moves the inner elements of some neighbours to the end of the first one's, and drops the others.
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

  /// Returns the choices of the first repetition inside a span.
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

  /// Replaces spans by spans inside them that have the same label: a tree by one of its subtrees.
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
      let pieces = [0..<span.start, candidate.range, span.end..<best.count]
      if attempt(best.rearranged(pieces, without: outer)) { return true }
    }
    return false
  }

  /// Puts neighbours of one kind in order: all at once, else by swapping two at a time.
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
    let sorted = members.enumerated().sorted {
      isSimpler($0.element, $1.element)
        || (!isSimpler($1.element, $0.element) && $0.offset < $1.offset)
    }
    if reorder(members, as: sorted.map(\.element)) { return }
    var index = 1
    while index < members.count, !isOver, ordinal < tree.groups.count {
      let now = tree.groups[ordinal].members
      guard index < now.count else { return }
      var swapped = now
      swapped.swapAt(index - 1, index)
      index =
        isSimpler(now[index], now[index - 1]) && reorder(now, as: swapped)
        ? max(index - 1, 1) : index + 1
    }
  }

  /// Tells whether the choices of one span are simpler than those of another.
  private func isSimpler(_ left: Int, _ right: Int) -> Bool {
    ChoiceSequence(choices: Array(best.choices[best.spans[left].range]))
      < ChoiceSequence(choices: Array(best.choices[best.spans[right].range]))
  }

  private func reorder(_ members: [Int], as order: [Int]) -> Bool {
    guard members != order, let first = members.first, let last = members.last else { return false }
    let pieces =
      [0..<best.spans[first].start] + order.map { best.spans[$0].range }
      + [best.spans[last].end..<best.count]
    return attempt(best.rearranged(pieces))
  }

  /// Swaps plain values that follow each other in one span and have the same range.
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
