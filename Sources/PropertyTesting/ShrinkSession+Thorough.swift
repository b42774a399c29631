/// Passes that make two edits at once, to find smaller plans that no single edit finds.
///
/// These passes run up to a few hundred candidates.
extension ShrinkSession {
  /// The number of outermost list and loop elements above which no pairs of edits are tried.
  private static let elementCountMax = 12

  /// Tries to delete each pair of outermost elements of lists and loops, adjacent or not.
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

  /// Deletes one element of a list or loop, and changes one name elsewhere, simpler or not.
  ///
  /// A name is a choice of the kind ``Choice/Kind/name``, such as an actor's number. Only names with
  /// at most eight possible values are changed; all these values are tried. If the elements are the
  /// steps of a plan, the step with the changed name may then have the effect of the deleted step.
  func deleteAndRename() {
    for element in elements().reversed() {
      let range = best.spans[element].range
      for index in best.choices.indices where !range.contains(index) && !isOver {
        if renames(index, without: range) { return deleteAndRename() }
      }
    }
  }

  /// Deletes one element of a list or loop, and raises one later number with a small range.
  ///
  /// For example, the number may be that of the events for which a step waits. If it is raised, the
  /// step can wait until another step's effect has happened. The case is simpler in spite of the
  /// raised number, because it has fewer choices.
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

  /// Returns the span indices of the list and loop elements that are inside no other element.
  ///
  /// Elements of lists and loops whose length was drawn in advance do not count. The array is empty
  /// if there are more elements than ``elementCountMax``.
  private func elements() -> [Int] {
    let elements = best.spans.indices.filter { index in
      best.spans[index].kind == .element && !isInsideElement(tree.parents[index])
    }
    return elements.count <= Self.elementCountMax ? elements : []
  }
}

/// A hill climber, which keeps the cases with the greatest scores and creates new cases from them.
struct Climber {
  private var best: [(label: String, score: Double, choices: [Choice])] = []
  private var turn = 0

  /// A Boolean value that indicates whether there is a score to maximize.
  var isClimbing: Bool { !best.isEmpty }

  /// Records the test case as the best one for each of its scores that no earlier case exceeds.
  ///
  /// At an equal score, the new case replaces the earlier one, so that the search continues from a
  /// different case.
  mutating func note(_ notes: CaseNotes, _ sequence: ChoiceSequence) {
    for (label, score) in notes.scores {
      if let index = best.firstIndex(where: { $0.label == label }) {
        if score >= best[index].score { best[index] = (label, score, sequence.choices) }
      } else {
        best.append((label, score, sequence.choices))
      }
    }
  }

  /// Returns a copy of the case that reported the greatest score, with one to three choices edited.
  ///
  /// If cases report several scores, each with its own label, each call uses the next label in
  /// turn. The returned sequence has no spans, so a replay uses its choices one by one, from the
  /// first to the last.
  mutating func candidate(_ random: inout SeededGenerator) -> ChoiceSequence {
    turn += 1
    var choices = best[turn % best.count].choices
    guard !choices.isEmpty else { return ChoiceSequence() }
    for _ in 0...random.next(through: 2) {
      let index = Int(random.next(through: UInt64(choices.count - 1)))
      if choices[index].isContinuation {
        Self.lengthen(&choices, at: index, &random)
      } else {
        choices[index] = Self.changed(choices[index], &random)
      }
    }
    return ChoiceSequence(choices: choices)
  }

  /// Repeats one element of a repetition.
  ///
  /// The element starts at `index`, with the choice to continue the repetition, and ends before the
  /// next such choice.
  private static func lengthen(
    _ choices: inout [Choice],
    at index: Int,
    _ random: inout SeededGenerator
  ) {
    let end = choices[(index + 1)...].firstIndex(where: \.isContinuation) ?? choices.count
    guard choices[index].value == 1 else { return }
    choices.insert(contentsOf: choices[index..<end], at: index)
  }

  /// Returns a choice with a slightly different or a random value.
  private static func changed(_ choice: Choice, _ random: inout SeededGenerator) -> Choice {
    let width = UInt64(bitPattern: choice.highest &- choice.lowest)
    let anywhere = choice.with(
      value: choice.lowest &+ Int64(bitPattern: random.next(through: width))
    )
    guard choice.kind == .number else { return anywhere }
    let bits = random.next(through: UInt64(64 - width.leadingZeroBitCount))
    let step = Int64(bitPattern: bits == 0 ? 1 : random.next(through: .max >> (64 - bits)))
    switch random.next(through: 7) {
    case 0: return anywhere
    case 1...4: return choice.moved(by: step) ?? anywhere
    default: return choice.moved(by: 0 &- step) ?? anywhere
    }
  }
}
