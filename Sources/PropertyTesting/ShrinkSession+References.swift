extension ShrinkSession {
  /// Deletes one element, and lowers by one all values that may refer to later elements.
  ///
  /// Numbers from the element's own number up to the number of elements count as such references.
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

  private func renumber(without number: Int, of members: [Int]) {
    let removed = best.spans[members[number]].range
    var edits: [(index: Int, choice: Choice)] = []
    for member in members where member != members[number] {
      for index in best.spans[member].range {
        let references = Int64(max(number, 1))...Int64(members.count)
        guard references.contains(best.choices[index].value) else { continue }
        guard best.choices[index].kind == .number else { continue }
        if let moved = best.choices[index].moved(by: -1) { edits.append((index, moved)) }
      }
    }
    guard !edits.isEmpty else { return }
    _ = attempt(best.replacing(edits).removing(removed))
  }

  /// Deletes one element, and lowers a small number outside all elements by one: a count or a size.
  func lowerAndDelete() {
    var index = 0
    while index < best.count, !isOver {
      var element = best.spans.count - 1
      while element >= 0, index < best.count, isUnnamedSize(index), !isOver {
        lower(index, deleting: element)
        element -= 1
      }
      index += 1
    }
  }

  /// Returns whether a choice is a size, but not that of a cast, whose members are removed by name.
  private func isUnnamedSize(_ index: Int) -> Bool {
    isCastSize(index) && nameLabels(of: best.choices[index].value).isEmpty
  }

  private func lower(_ index: Int, deleting element: Int) {
    guard element < best.spans.count, best.spans[element].kind == .element,
      let lowered = best.choices[index].moved(by: -1)
    else { return }
    _ = attempt(best.replacing([(index, lowered)]).removing(best.spans[element].range))
  }

  /// Merges elements with a single value into their neighbors: one element less, with the same sum.
  ///
  /// A sum outside the range wraps around, as in arithmetic of that width.
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

  /// Returns the index of an element's only choice besides its continuation, or `nil`.
  private func onlyValue(of span: Int) -> Int? {
    let values = best.spans[span].range.filter { !best.choices[$0].isContinuation }
    return values.count == 1 ? values.first : nil
  }
}
