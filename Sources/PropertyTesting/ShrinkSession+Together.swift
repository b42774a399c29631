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

  /// Lowers pairs of nearby numbers with ranks above a minimum by the same amount.
  ///
  /// Equal small numbers are skipped: they were already lowered together with all their equals.
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

  /// Lowers values by the same amount as far as a search finds, if lowering by one succeeds.
  private func lowerTogether(_ indices: [Int], triesZero: Bool = true) {
    guard let start = leastDistance(indices), start > 0 else { return }
    if triesZero, lower(indices, to: 0) { return }
    if !lower(indices, to: start - 1) { return }
    if start > 8 { return searchTogether(indices) }
    while let least = leastDistance(indices), least > 0, lower(indices, to: least - 1) {}
  }

  /// Lowers values by the same amount, as far as a search finds.
  ///
  /// The least distance is searched from below: among 1, 3, 15, 255 and so on, then among the
  /// powers of two between two of those, then among the numbers between.
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

  /// Lowers values by the same amount, so that the least distance becomes `target`.
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
  /// If both are small, only lowering to the simplest value is tried.
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
