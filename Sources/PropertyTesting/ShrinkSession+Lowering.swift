extension ShrinkSession {
  /// Returns whether a choice has a simpler value, and is no decision to continue a list or loop.
  func isLowerable(_ index: Int) -> Bool {
    let choice = best.choices[index]
    return !choice.isContinuation && !choice.isSimplest
  }

  private func lowerable() -> [Int] { best.choices.indices.filter(isLowerable) }

  func lowerableNumbers(above rank: UInt64 = 0) -> [Int] {
    lowerable().filter { best.choices[$0].kind == .number && best.choices[$0].rank > rank }
  }

  /// Tries the simplest value for all choices at once, except decisions to continue a list or loop.
  ///
  /// Other passes shorten lists and loops: they delete elements.
  func simplifyEverything() {
    let indices = lowerable()
    if indices.count > 1 { _ = attempt(best.simplifying(indices)) }
  }

  /// Simplifies, for each role (``SpanTree/Role``), as many choices of that role at once as possible.
  func simplifyRoles() {
    var seen: Set<SpanTree.Role> = []
    var index = 0
    while index < best.count, !isOver {
      let role = tree.role(of: index, in: best)
      if isLowerable(index), !isKind(index), seen.insert(role).inserted { simplify(role) }
      index += 1
    }
  }

  /// Returns whether a choice determines its element's kind, on which later choices depend.
  func isKind(_ index: Int) -> Bool {
    let owner = tree.owners[index]
    return best.choices[index].kind == .name && owner >= 0 && best.spans[owner].isElement
      && tree.labelsOfKinds.contains(best.spans[owner].label)
  }

  private func simplify(_ role: SpanTree.Role) {
    func indices() -> [Int] {
      lowerable().filter { tree.role(of: $0, in: best) == role }
    }
    let all = indices()
    guard all.count > 1 else { return }
    if all.count <= 4, best.choices[all[0]].kind == .number {
      // If this fails, later passes lower the values one by one.
      _ = attempt(best.simplifying(all))
      return
    }
    thinOut {
      indices().count
    } removing: { range in
      let indices = indices()
      guard range.upperBound <= indices.count else { return false }
      return attempt(best.simplifying(Array(indices[range])))
    }
  }

  /// Lowers each value separately, from the first to the last.
  func lowerValues() {
    var index = 0
    while index < best.count, !isOver {
      while index < best.count, isLowerable(index), lower(index) {}
      index += 1
    }
  }

  /// Lowers small numbers outside of lists and loops, which are probably settings of the whole case.
  func lowerSettings() {
    guard best.spans.contains(where: \.isElement) else { return }
    var index = 0
    while index < best.count, !isOver {
      while index < best.count, isCastSize(index), lower(index) {}
      index += 1
    }
  }

  /// Tries simpler values for one choice; returns whether the case still fails with one of them.
  ///
  /// If a number with more than eight simpler values can be lowered by one, a search lowers it as
  /// far as possible.
  private func lower(_ index: Int) -> Bool {
    let choice = best.choices[index]
    if attempt(best.simplifying([index])) { return true }
    if choice.kind == .name {
      return choice.rank <= 4 && (1..<choice.rank).contains { lower(index, choice.with(rank: $0)) }
    }
    if choice.rank <= 8 { return lower(index, choice.mirrored) }
    if lower(index, choice.with(rank: 1)) { return true }
    if lower(index, choice.with(distance: choice.distance - 1)) {
      searchTogether([index])
      return true
    }
    return lower(index, choice.mirrored) || lower(index, choice.with(rank: choice.rank - 1))
  }

  /// Lowers values that ``lowerValues()`` could not lower further.
  ///
  /// If there are few simpler values, each of them is tried. Otherwise the value is lowered by two,
  /// then by four and so on. If lowering by two fails, the value is lowered to half its distance
  /// from the simplest value.
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

  func lower(_ index: Int, _ choice: Choice?) -> Bool {
    guard let choice, index < best.count else { return false }
    return attempt(best.replacing([(index, choice)]))
  }

  /// Lowers a small value, such as a count, and simplifies all later values in its group (span).
  ///
  /// Decisions to continue a list or loop are kept.
  func lowerAndSimplifyRest() {
    var index = 0
    while index < best.count, !isOver {
      let choice = best.choices[index]
      if isLowerable(index), choice.rank <= 8, tree.owners[index] >= 0 {
        let end = best.spans[tree.owners[index]].end
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
