extension ShrinkSession {
  /// Deletes elements of generated lists and loops; the outermost lists and loops come first.
  ///
  /// All elements of a list or loop have the same label. For each label that several lists or loops
  /// share, the function tries to delete all elements with that label at once. In the first passes
  /// of shrinking, it then treats each list or loop: for each kind of element (in a plan, each kind
  /// of command), it tries to delete all elements of that kind at once, but never the last element
  /// of the list or loop. Finally, it deletes runs of adjacent elements.
  func deleteElements() {
    deleteLabels()
    if isFirstRound { deleteKinds() }
    var ordinal = 0
    while ordinal < tree.groups.count, !isOver {
      let group = tree.groups[ordinal]
      if group.kind != .part, !isLongAtMinimum(group) {
        thinOut(triesAll: !isMost(group), isLastNeeded: endsInside(group)) { [self] in
          members(ofGroup: ordinal).count
        } removing: { [self] in
          deleteMembers($0, ofGroup: ordinal)
        }
      }
      ordinal += 1
    }
  }

  /// Returns whether a list or loop has more than 64 elements, but cannot be shorter.
  ///
  /// A deletion from a list or loop of minimum length does not shorten it: a later element takes
  /// the place of the deleted one. Such deletions are tried only in a list or loop of up to 64
  /// elements.
  private func isLongAtMinimum(_ group: SpanTree.Group) -> Bool {
    guard group.members.count > 64, let last = group.members.last else { return false }
    let start = best.spans[last].start
    guard start < best.spans[last].end, best.choices[start].isContinuation else { return false }
    return best.choices[start].lowest == 1
  }

  /// Tries to delete all elements with the same label at once, for labels that several lists share.
  ///
  /// Loops count as lists.
  private func deleteLabels() {
    let groups = tree.groups.filter { $0.kind == .element }
    let labels = Set(groups.map(\.label)).sorted()
    for label in labels where groups.filter({ $0.label == label }).count > 1 {
      let spans = best.spans.filter { $0.kind == .element && $0.label == label }
      _ = attempt(best.removing(spans.map(\.range)))
    }
  }

  /// Returns whether the test case ends with the last choice of a list or loop's last element.
  ///
  /// The case then probably failed in that element.
  private func endsInside(_ group: SpanTree.Group) -> Bool {
    group.members.last.map { best.spans[$0].end == best.count } ?? false
  }

  /// Returns whether a list or loop has more than half of the case's choices.
  ///
  /// The failure then probably needs the list or loop.
  private func isMost(_ group: SpanTree.Group) -> Bool {
    guard let first = group.members.first, let last = group.members.last else { return false }
    return 2 * (best.spans[last].end - best.spans[first].start) > best.count
  }

  /// Tries, in each list or loop, to delete all elements of one kind at once, kind by kind.
  ///
  /// An element's kind is the alternative that the element selects first, such as a command. Lists
  /// and loops with fewer than two kinds are skipped. The last element of a list or loop is never
  /// deleted. In each list or loop, the function stops at the first kind that the failure needs.
  private func deleteKinds() {
    var ordinal = 0
    while ordinal < tree.groups.count, !isOver {
      let kinds = Set(members(ofGroup: ordinal).compactMap { kind(of: $0) })
      if kinds.count > 1, tree.groups[ordinal].kind == .element {
        _ = kinds.sorted(by: >).allSatisfy { deleteKind($0, ofGroup: ordinal) }
      }
      ordinal += 1
    }
  }

  private func deleteKind(_ kind: Int64, ofGroup ordinal: Int) -> Bool {
    let members = members(ofGroup: ordinal).dropLast().filter { self.kind(of: $0) == kind }
    return members.isEmpty || attempt(best.removing(members.map { best.spans[$0].range }))
  }

  /// Returns the value of the choice that selects an element's kind; `nil` if there is none.
  ///
  /// An element starts with the decision to continue its list or loop. The next choice selects the
  /// element's kind, such as a kind of command, provided that the choice is a ``Choice/Kind/name``.
  private func kind(of span: Int) -> Int64? {
    let first = best.spans[span].start + 1
    guard first < best.spans[span].end, best.choices[first].kind == .name else { return nil }
    return best.choices[first].value
  }

  func members(ofGroup ordinal: Int) -> [Int] {
    ordinal < tree.groups.count ? tree.groups[ordinal].members : []
  }

  /// Tries to delete elements of a list or loop; lowers their number if it was drawn in advance.
  func deleteMembers(_ range: Range<Int>, ofGroup ordinal: Int) -> Bool {
    let members = members(ofGroup: ordinal)
    guard range.upperBound <= members.count, let first = members[range].first,
      let last = members[range].last
    else { return false }
    let stretch = best.spans[first].start..<best.spans[last].end
    guard tree.groups[ordinal].kind == .countedElement else {
      return attempt(best.removing(stretch))
    }
    guard let edit = loweredCount(members.count, by: range.count, before: stretch.lowerBound)
    else { return false }
    return attempt(best.replacing([edit]).removing(stretch))
  }

  /// Finds the choice that determined the number of elements, and returns it lowered by an amount.
  ///
  /// Returns `nil` if there is no such choice, or if the lowered value is outside its range.
  private func loweredCount(
    _ count: Int,
    by amount: Int,
    before end: Int
  ) -> (index: Int, choice: Choice)? {
    let index = best.choices[..<end].lastIndex { $0.value == Int64(count) && !$0.isContinuation }
    guard let index, let choice = best.choices[index].moved(by: Int64(-amount)) else { return nil }
    return (index, choice)
  }

  /// Removes as many parts of a case as possible, many at once, from the last part to the first.
  ///
  /// The number of parts that are removed at once is doubled after a success and halved after a
  /// failure. Afterwards, no remaining part can be removed alone. This assumes that if several parts
  /// can be removed together, any subset of these parts can be removed too.
  ///
  /// With `isLastNeeded`, the last part is probably needed, as in a plan that ends with its failing
  /// step. The first round then begins with an attempt to remove all parts before the last one at
  /// once.
  ///
  /// - Complexity: O(log n) attempts for each remaining part.
  func thinOut(
    triesAll: Bool = true,
    isLastNeeded: Bool = false,
    _ count: () -> Int,
    removing remove: (Range<Int>) -> Bool
  ) {
    guard count() > 0 else { return }
    if isFirstRound, triesAll, count() > 1, remove(0..<count()) { return }
    let keepsLast = isLastNeeded && isFirstRound && count() > 1
    var end = keepsLast ? count() - 1 : count()
    var guess = keepsLast ? end : 1
    while end > 0, !isOver {
      let removed = removeRun(endingAt: end, guess: guess, remove)
      end = min(end - removed - 1, count())
      guess = max(1, removed)
    }
  }

  /// Removes the longest run of parts that ends at an index, and returns its length.
  ///
  /// `guess` is the number of parts in the first attempt.
  private func removeRun(endingAt end: Int, guess: Int, _ remove: (Range<Int>) -> Bool) -> Int {
    var removed = 0
    var failing: Int?
    var step = min(guess, end)
    while step > 0, !isOver {
      if remove(end - removed - step..<end - removed) {
        removed += step
        step = failing.map { min(2 * step, ($0 - removed) / 2) } ?? min(2 * step, end - removed)
      } else {
        failing = removed + step
        step /= 2
      }
    }
    return removed
  }

  /// Deletes up to eight adjacent choices of a group; the later choices of the group move up.
  ///
  /// This pass helps generators that loop or branch without grouping their choices into spans.
  /// Other passes handle whole groups, such as the elements of a list.
  func deleteChoices() {
    for length in [8, 4, 2, 1] {
      var index = best.count - length
      while index >= 0, !isOver {
        let stretch = index..<index + length
        if canMoveUp(into: stretch) { _ = attempt(best.removing(stretch)) }
        index = min(index, best.count - length + 1) - 1
      }
    }
  }

  /// Returns whether the choices in a range may be deleted, so that the choices after it move up.
  ///
  /// The choices in the range and the choice after it must be directly in the same span (group of
  /// choices), and none of them may be the decision to continue a list or loop.
  private func canMoveUp(into stretch: Range<Int>) -> Bool {
    guard stretch.upperBound < best.count else { return false }
    let owner = tree.owners[stretch.lowerBound]
    return (stretch.lowerBound...stretch.upperBound).allSatisfy {
      tree.owners[$0] == owner && !best.choices[$0].isContinuation
    }
  }
}

extension ShrinkSession {
  /// Lowers all choices with the same value and range together.
  func lowerEqualValues() {
    var seen: Set<Choice> = []
    var index = 0
    while index < best.count, !isOver {
      let choice = best.choices[index]
      if isLowerable(index), !isKind(index), seen.insert(choice).inserted {
        let equal = best.choices.indices.filter {
          best.choices[$0] == choice && !isKind($0)
        }
        if equal.count > 1, !attempt(best.simplifying(equal)) { lowerTogether(equal) }
      }
      index += 1
    }
  }

  /// Lowers pairs of numbers, each with more than `rank` simpler values, by the same amount.
  ///
  /// At most three other numbers with more than `rank` simpler values lie between the two. If
  /// `rank` is 0, pairs with the same value and range are skipped: ``lowerEqualValues()`` lowers
  /// all numbers with the same value and range together.
  func lowerPairs(above rank: UInt64) {
    var first = 0
    while first < lowerableNumbers(above: rank).count, !isOver {
      for gap in 1...4 {
        let indices = lowerableNumbers(above: rank)
        guard first + gap < indices.count else { break }
        let pair = [indices[first], indices[first + gap]]
        if rank > 0 || best.choices[pair[0]] != best.choices[pair[1]] {
          lowerTogether(pair, triesZero: rank > 0)
        }
      }
      first += 1
    }
  }

  /// Lowers several values by the same amount, as far as possible; stops if lowering by one fails.
  private func lowerTogether(_ indices: [Int], triesZero: Bool = true) {
    guard let start = leastDistance(indices), start > 0 else { return }
    if triesZero, lower(indices, to: 0) { return }
    if !lower(indices, to: start - 1) { return }
    if start > 8 { return searchTogether(indices) }
    while let least = leastDistance(indices), least > 0, lower(indices, to: least - 1) {}
  }

  /// Searches for the largest amount by which several values can be lowered together.
  ///
  /// Let d be the least distance of any of the values from its own simplest value. The search makes
  /// d as small as possible. First, it tries 1, 3, 15, 255 and so on for d (`2^n - 1`, with n doubled
  /// each time) until one keeps the failure. Then it tries other numbers `2^n - 1` between one that
  /// was too small and one that was not. Finally, it searches between two such numbers by bisection.
  func searchTogether(_ indices: [Int]) {
    var failing: UInt64 = 0
    var bits: UInt64 = 1
    while let now = leastDistance(indices), bits < 64, 1 << bits - 1 < now, !isOver {
      if lower(indices, to: 1 << bits - 1) { break }
      failing = 1 << bits - 1
      bits *= 2
    }
    while let now = leastDistance(indices), now > failing + 1, !isOver {
      let (high, low) = (64 - now.leadingZeroBitCount, 64 - failing.leadingZeroBitCount)
      let target =
        high > low + 1 ? 1 << UInt64((high + low) / 2) - 1 : failing + (now - failing) / 2
      if !lower(indices, to: target) { failing = target }
    }
  }

  private func leastDistance(_ indices: [Int]) -> UInt64? {
    guard let last = indices.last, last < best.count else { return nil }
    return indices.map { best.choices[$0].distance }.min()
  }

  /// Tries to lower several values, all by the same amount.
  ///
  /// The amount is chosen so that the least distance of a value from its simplest value becomes
  /// `target`.
  private func lower(_ indices: [Int], to target: UInt64) -> Bool {
    guard let least = leastDistance(indices), target < least else { return false }
    let edits = indices.map { index in
      let choice = best.choices[index]
      return (index, choice.with(distance: choice.distance - (least - target)))
    }
    return attempt(best.replacing(edits))
  }

  /// Lowers one number and raises a later one with the same range by the same amount.
  ///
  /// If both numbers are small, only lowering the first one to its simplest value is tried.
  func redistributePairs() {
    var first = 0
    while first < lowerableNumbers().count, !isOver {
      let index = lowerableNumbers()[first]
      let choice = best.choices[index]
      let partners = best.choices.indices.filter { other in
        other > index && best.choices[other].lowest == choice.lowest
          && best.choices[other].highest == choice.highest && best.choices[other].kind == .number
      }
      for partner in partners.prefix(3) { redistribute(from: index, to: partner) }
      first += 1
    }
  }

  private func redistribute(from index: Int, to partner: Int) {
    func move(_ amount: UInt64) -> Bool {
      guard partner < best.count, amount > 0, best.choices[index].distance >= amount else {
        return false
      }
      let lowered = best.choices[index].with(distance: best.choices[index].distance - amount)
      let change = best.choices[index].value &- lowered.value
      guard let raised = best.choices[partner].moved(by: change) else { return false }
      return attempt(best.replacing([(index, lowered), (partner, raised)]))
    }
    guard index < best.count, best.choices[index].distance > 0 else { return }
    if move(best.choices[index].distance) { return }
    guard max(best.choices[index].rank, best.choices[partner].rank) > 8 else { return }
    var amount: UInt64 = 1
    while move(amount), amount < .max / 2 { amount *= 2 }
    while amount > 1, !isOver {
      amount /= 2
      _ = move(amount)
    }
  }
}
