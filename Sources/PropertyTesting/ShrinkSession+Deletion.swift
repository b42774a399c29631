extension ShrinkSession {
  /// Deletes elements of repetitions, outermost first: all of one label, then runs as long as they get.
  func deleteElements() {
    deleteLabels()
    var ordinal = 0
    while ordinal < tree.groups.count, !isOver {
      let group = tree.groups[ordinal]
      if group.kind != .part {
        thinOut { [self] in
          members(ofGroup: ordinal).count
        } removing: { [self] in
          deleteMembers($0, ofGroup: ordinal)
        }
      }
      ordinal += 1
    }
  }

  /// Deletes all elements with one label at once, where they belong to several repetitions.
  private func deleteLabels() {
    let groups = tree.groups.filter { $0.kind == .element }
    let labels = Set(groups.map(\.label)).sorted()
    for label in labels where groups.filter({ $0.label == label }).count > 1 {
      let spans = best.spans.filter { $0.kind == .element && $0.label == label }
      var pieces: [Range<Int>] = []
      var place = 0
      for span in spans where span.start >= place {
        pieces.append(place..<span.start)
        place = span.end
      }
      pieces.append(place..<best.count)
      _ = attempt(best.rearranged(pieces))
    }
  }

  private func members(ofGroup ordinal: Int) -> [Int] {
    ordinal < tree.groups.count ? tree.groups[ordinal].members : []
  }

  /// Tries to delete some members of a group, with their count lowered where one was drawn before.
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

  /// Finds the choice that decided on a number of elements, and lowers it.
  private func loweredCount(
    _ count: Int,
    by amount: Int,
    before end: Int
  ) -> (index: Int, choice: Choice)? {
    let index = best.choices[..<end].lastIndex { $0.value == Int64(count) && !$0.isContinuation }
    guard let index, let choice = best.choices[index].moved(by: Int64(-amount)) else { return nil }
    return (index, choice)
  }

  /// Takes out as many of some parts as possible, last first, in runs as long as they get.
  ///
  /// The length of a run is searched for: doubled while it succeeds, halved once it fails. What is left
  /// cannot be taken out one by one, if taking out fewer never fails where taking out more succeeds.
  ///
  /// Where the last part is likely to be needed, as in a plan that ends with its failing step, all before it
  /// are tried at once then.
  ///
  /// - Complexity: O(log n) attempts for each part that is left.
  func thinOut(
    isLastNeeded: Bool = true,
    _ count: () -> Int,
    removing remove: (Range<Int>) -> Bool
  ) {
    guard count() > 0 else { return }
    if count() > 1, remove(0..<count()) { return }
    var end = count()
    var guess = 1
    var isLast = isLastNeeded
    while end > 0, !isOver {
      let removed = removeRun(endingAt: end, guess: guess, remove)
      end = min(end - removed - 1, count())
      guess = isLast ? end : max(1, 2 * removed)
      isLast = false
    }
  }

  /// Removes the longest run that ends before a part, and returns its length.
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

  /// Deletes single choices of spans that draw several, whose later choices then move up.
  ///
  /// For generators that loop or branch without spans. Elements and arguments are dealt with before.
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

  /// Tells whether a span's own plain choices fill a stretch, and another one of them follows.
  private func canMoveUp(into stretch: Range<Int>) -> Bool {
    guard stretch.upperBound < best.count else { return false }
    let owner = tree.owners[stretch.lowerBound]
    return (stretch.lowerBound...stretch.upperBound).allSatisfy {
      tree.owners[$0] == owner && !best.choices[$0].isContinuation
    }
  }

  /// Deletes one element and lowers by one what may refer to the elements after it.
  ///
  /// A value that is at least the element's number is taken for such a reference.
  func deleteAndRenumber() {
    for ordinal in tree.groups.indices.reversed() where ordinal < tree.groups.count {
      guard tree.groups[ordinal].kind == .element else { continue }
      var number = members(ofGroup: ordinal).count - 1
      while number >= 0, !isOver {
        let members = members(ofGroup: ordinal)
        if number < members.count { renumber(without: number, of: members) }
        number -= 1
      }
    }
  }

  /// Deletes one element and lowers by one a number outside all elements: a count, or the size of a cast.
  func lowerAndDelete() {
    var index = 0
    while index < best.count, !isOver {
      let isOutside = !best.spans.contains { $0.kind == .element && $0.range.contains(index) }
      var element = best.spans.count - 1
      while isOutside, element >= 0, index < best.count, !isOver {
        let choice = best.choices[index]
        guard choice.kind == .number, !choice.isSimplest else { break }
        if element < best.spans.count, best.spans[element].kind == .element {
          let lowered = best.replacing([(index, choice.with(distance: choice.distance - 1))])
          _ = attempt(lowered.removing(best.spans[element].range))
        }
        element -= 1
      }
      index += 1
    }
  }

  /// Folds elements of one value each into their neighbours: one element less, the same sum.
  ///
  /// A sum outside the range goes round at its ends, as it does in arithmetic of that width.
  func foldNeighbours() {
    for ordinal in tree.groups.indices.reversed() where ordinal < tree.groups.count {
      guard tree.groups[ordinal].kind == .element else { continue }
      var number = members(ofGroup: ordinal).count - 1
      while number > 0, !isOver {
        let members = members(ofGroup: ordinal)
        if number < members.count { fold(members[number], into: members[number - 1]) }
        number -= 1
      }
    }
  }

  private func fold(_ span: Int, into other: Int) {
    guard let taken = onlyValue(of: span), let kept = onlyValue(of: other) else { return }
    let (amount, choice) = (best.choices[taken].offset, best.choices[kept])
    guard amount != 0, choice.offset != 0 else { return }
    guard let sum = choice.movedRound(by: amount) else { return }
    _ = attempt(best.replacing([(kept, sum)]).removing(best.spans[span].range))
  }

  /// Returns the index of the one choice of an element that is not its continuation.
  private func onlyValue(of span: Int) -> Int? {
    let values = best.spans[span].range.filter { !best.choices[$0].isContinuation }
    return values.count == 1 ? values.first : nil
  }

  private func renumber(without number: Int, of members: [Int]) {
    let removed = best.spans[members[number]].range
    var edits: [(index: Int, choice: Choice)] = []
    for member in members where member != members[number] {
      for index in best.spans[member].range where best.choices[index].value >= Int64(max(number, 1))
      {
        guard best.choices[index].kind == .number else { continue }
        if let moved = best.choices[index].moved(by: -1) { edits.append((index, moved)) }
      }
    }
    guard !edits.isEmpty else { return }
    _ = attempt(best.replacing(edits).removing(removed))
  }
}
