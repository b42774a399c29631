/// Passes for minimal plans that no single edit reaches.
///
/// They cost up to a few hundred evaluations.
extension ShrinkSession {
  /// The maximum number of elements of a plan for these passes.
  private static let elementCountMax = 12

  /// Deletes pairs of elements.
  func deletePairs() {
    var second = elements().count - 1
    while second > 0, !isOver {
      var first = second - 1
      while first >= 0, !isOver {
        let elements = elements()
        guard second < elements.count, first < second else { break }
        let ranges = [elements[first], elements[second]].map { best.spans[$0].range }
        if attempt(best.removing(ranges)) { return deletePairs() }
        first -= 1
      }
      second -= 1
    }
  }

  /// Deletes one element, and changes one name to any value, whether simpler or not.
  ///
  /// A step that two others made necessary may then replace their work.
  func deleteAndRename() {
    for element in elements().reversed() {
      let range = best.spans[element].range
      for index in best.choices.indices where !range.contains(index) && !isOver {
        if renames(index, without: range) { return deleteAndRename() }
      }
    }
  }

  /// Deletes one element, and raises one small number after it.
  ///
  /// A step that waits for a number of events can then wait until another step's effect has
  /// happened.
  func deleteAndRaise() {
    for element in elements().reversed() {
      let range = best.spans[element].range
      for index in best.choices.indices.dropFirst(range.upperBound) where !isOver {
        if raises(index, without: range) { return deleteAndRaise() }
      }
    }
  }

  private func raises(_ index: Int, without range: Range<Int>) -> Bool {
    let choice = best.choices[index]
    let width = UInt64(bitPattern: choice.highest &- choice.lowest)
    guard choice.kind == .number, width < 64 else { return false }
    return [1, 2, 4, 8].contains { step in
      step <= choice.highest - choice.value
        && attempt(
          best.replacing([(index, choice.with(value: choice.value + step))]).removing(range)
        )
    }
  }

  private func renames(_ index: Int, without range: Range<Int>) -> Bool {
    let choice = best.choices[index]
    guard choice.kind == .name, choice.highest - choice.lowest < 8 else { return false }
    return (choice.lowest...choice.highest).contains { value in
      value != choice.value
        && attempt(best.replacing([(index, choice.with(value: value))]).removing(range))
    }
  }

  /// Returns the outermost elements, or none if there are too many.
  private func elements() -> [Int] {
    let elements = best.spans.indices.filter { index in
      best.spans[index].kind == .element
        && !best.spans[..<index].contains {
          $0.kind == .element && $0.range.contains(best.spans[index].start)
        }
    }
    return elements.count <= Self.elementCountMax ? elements : []
  }
}
