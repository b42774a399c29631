extension ShrinkSession {
  /// Whether a choice is a value that can still be lowered.
  private func isLowerable(_ index: Int) -> Bool {
    let choice = best.choices[index]
    return !choice.isContinuation && !choice.isSimplest
  }

  private func lowerable() -> [Int] { best.choices.indices.filter(isLowerable) }

  private func lowerableNumbers(above rank: UInt64 = 0) -> [Int] {
    lowerable().filter { best.choices[$0].kind == .number && best.choices[$0].rank > rank }
  }

  /// Tries the simplest value for all choices that are not about structure.
  func simplifyEverything() {
    let indices = lowerable()
    if indices.count > 1 { _ = attempt(best.simplifying(indices)) }
  }

  /// Makes simplest, of all choices with one role, as many at once as possible.
  func simplifyRoles() {
    var seen: Set<SpanTree.Role> = []
    var index = 0
    while index < best.count, !isOver {
      let role = tree.role(of: index, in: best)
      if isLowerable(index), seen.insert(role).inserted { simplify(role) }
      index += 1
    }
  }

  private func simplify(_ role: SpanTree.Role) {
    func indices() -> [Int] {
      lowerable().filter { tree.role(of: $0, in: best) == role }
    }
    guard indices().count > 1 else { return }
    thinOut(isLastNeeded: false) {
      indices().count
    } removing: { range in
      let indices = indices()
      guard range.upperBound <= indices.count else { return false }
      return attempt(best.simplifying(Array(indices[range])))
    }
  }

  /// Lowers each value by itself, first to last.
  func lowerValues() {
    var index = 0
    while index < best.count, !isOver {
      while index < best.count, isLowerable(index), lower(index) {}
      index += 1
    }
  }

  /// Lowers one value as far as a search gets; returns whether it became simpler.
  private func lower(_ index: Int) -> Bool {
    let choice = best.choices[index]
    if attempt(best.simplifying([index])) { return true }
    guard choice.kind == .number else { return false }
    if lower(index, choice.with(rank: 1)) { return true }
    if choice.rank > 8 {
      let nearer = choice.with(distance: choice.distance - 1)
      if lower(index, nearer) {
        searchTogether([index])
        return true
      }
    }
    return lower(index, choice.mirrored) || lower(index, choice.with(rank: choice.rank - 1))
  }

  /// Lowers each value that a search does not lower, by what is left to try.
  ///
  /// To every simpler value where they are few, else by two, four and so on, or to half its
  /// distance.
  func lowerStubbornValues() {
    var index = 0
    while index < best.count, !isOver {
      while index < best.count, isLowerable(index), lowerStubborn(index) {}
      index += 1
    }
  }

  private func lowerStubborn(_ index: Int) -> Bool {
    let choice = best.choices[index]
    if choice.rank <= (choice.kind == .name ? 32 : 8) {
      return (0..<choice.rank).contains { lower(index, choice.with(rank: $0)) }
    }
    if lower(index, choice.with(distance: choice.distance - 2)) {
      var step: UInt64 = 4
      while lower(index, by: step), step < .max / 2 { step *= 2 }
      return true
    }
    return lower(index, choice.with(distance: choice.distance / 2))
  }

  private func lower(_ index: Int, by amount: UInt64) -> Bool {
    guard index < best.count, best.choices[index].distance >= amount else { return false }
    return lower(index, best.choices[index].with(distance: best.choices[index].distance - amount))
  }

  private func lower(_ index: Int, _ choice: Choice?) -> Bool {
    guard let choice, index < best.count else { return false }
    return attempt(best.replacing([(index, choice)]))
  }

  /// Lowers all choices of one value and range together.
  func lowerEqualValues() {
    var seen: Set<Choice> = []
    var index = 0
    while index < best.count, !isOver {
      let choice = best.choices[index]
      if isLowerable(index), seen.insert(choice).inserted {
        let equal = best.choices.indices.filter { best.choices[$0] == choice }
        if equal.count > 1, !attempt(best.simplifying(equal)) { lowerTogether(equal) }
      }
      index += 1
    }
  }

  /// Lowers two numbers that lie near each other, both of a rank above some, by the same amount.
  func lowerPairs(above rank: UInt64) {
    var first = 0
    while first < lowerableNumbers(above: rank).count, !isOver {
      for gap in 1...4 {
        let indices = lowerableNumbers(above: rank)
        guard first + gap < indices.count else { break }
        lowerTogether([indices[first], indices[first + gap]])
      }
      first += 1
    }
  }

  /// Lowers some values by the same amount, as large as a search gets, if an amount of one is
  /// possible.
  private func lowerTogether(_ indices: [Int]) {
    guard let start = leastDistance(indices), start > 0 else { return }
    if lower(indices, to: 0) || !lower(indices, to: start - 1) { return }
    searchTogether(indices)
  }

  /// Lowers some values by the same amount, as large as a search gets.
  ///
  /// The least of their distances is searched for from below, among 1, 3, 15, 255 and so on, then
  /// among the powers of two between, then among the numbers between.
  private func searchTogether(_ indices: [Int]) {
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

  /// Lowers some values by the same amount, so that the least distance becomes `target`.
  private func lower(_ indices: [Int], to target: UInt64) -> Bool {
    guard let least = leastDistance(indices), target < least else { return false }
    let edits = indices.map { index in
      let choice = best.choices[index]
      return (index, choice.with(distance: choice.distance - (least - target)))
    }
    return attempt(best.replacing(edits))
  }

  /// Lowers one number and raises a later one of the same range by as much.
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
    var amount: UInt64 = 1
    while move(amount), amount < .max / 2 { amount *= 2 }
    while amount > 1, !isOver {
      amount /= 2
      _ = move(amount)
    }
  }

  /// Lowers a small value, a kind or a count, and makes the rest of its span simplest.
  func lowerAndSimplifyRest() {
    var index = 0
    while index < best.count, !isOver {
      let choice = best.choices[index]
      if isLowerable(index), choice.rank <= 8 {
        let end = tree.owners[index] < 0 ? best.count : best.spans[tree.owners[index]].end
        let rest = (index + 1..<end).filter(isLowerable)
        if !rest.isEmpty {
          _ = (0..<choice.rank).contains { rank in
            guard index < best.count, let lowered = choice.with(rank: rank) else { return false }
            return attempt(
              best.replacing([(index, lowered)] + rest.map { ($0, best.choices[$0].simplified) })
            )
          }
        }
      }
      index += 1
    }
  }
}
