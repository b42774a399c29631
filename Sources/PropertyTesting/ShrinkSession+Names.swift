extension ShrinkSession {
  /// Removes a member of a cast, and deletes the elements that name it.
  ///
  /// The number of members and later names are lowered by one. A cast is a number outside all
  /// elements, together with a label of single names inside the elements.
  func removeNames() {
    var index = 0
    while index < best.count, !isOver {
      if isCastSize(index) {
        for label in nameLabels(of: best.choices[index].value) {
          removeNames(label, castSize: index)
        }
      }
      index += 1
    }
  }

  /// Returns whether a choice is a small number outside all elements.
  func isCastSize(_ index: Int) -> Bool {
    let choice = best.choices[index]
    return choice.kind == .number && choice.value > choice.simplest && choice.value <= 64
      && !best.spans.contains { $0.kind == .element && $0.range.contains(index) }
  }

  /// Returns the labels of spans with a single name whose range matches the size of the cast.
  func nameLabels(of castSize: Int64) -> [String] {
    let spans = best.spans.filter { span in
      guard span.range.count == 1, best.choices[span.start].kind == .name else { return false }
      return best.choices[span.start].highest == castSize - 1
    }
    return Set(spans.map(\.label)).sorted()
  }

  private func removeNames(_ label: String, castSize index: Int) {
    guard index < best.count else { return }
    var name = best.choices[index].value - 1
    while name >= 0, index < best.count, best.choices[index].value > best.choices[index].simplest {
      let isRemoved = attempt(removing(name, of: label, castSize: index))
      // The first round stops at the first failure; later rounds try all names.
      if isFirstRound, !isRemoved { return }
      name -= 1
    }
  }

  private func removing(_ name: Int64, of label: String, castSize: Int) -> ChoiceSequence {
    let size = best.choices[castSize]
    var edits = [(index: castSize, choice: size.with(value: size.value - 1))]
    var deleted: [Range<Int>] = []
    for (index, span) in best.spans.enumerated() where span.label == label {
      guard span.range.count == 1, best.choices[span.start].kind == .name else { continue }
      let choice = best.choices[span.start]
      if choice.value > name, let moved = choice.moved(by: -1) { edits.append((span.start, moved)) }
      if choice.value == name, let element = element(around: index) { deleted.append(element) }
    }
    return best.replacing(edits).removing(deleted)
  }

  /// Returns the choices of the innermost element around a span.
  func element(around span: Int) -> Range<Int>? {
    var index = span
    while index >= 0, best.spans[index].kind != .element { index = tree.parents[index] }
    return index < 0 ? nil : best.spans[index].range
  }
}
