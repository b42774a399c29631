/// A hill climber: keeps the cases with the greatest scores and creates new cases by small changes.
struct Climber {
  private var best: [(label: String, score: Double, choices: [Choice])] = []
  private var turn = 0

  /// A Boolean value that indicates whether there is a score to maximize.
  var isClimbing: Bool { !best.isEmpty }

  /// Records the scores of a case.
  ///
  /// A case with the same score as the best one replaces it, so that the search moves along
  /// plateaus.
  mutating func note(_ notes: CaseNotes, _ sequence: ChoiceSequence) {
    for (label, score) in notes.scores {
      if let index = best.firstIndex(where: { $0.label == label }) {
        if score >= best[index].score { best[index] = (label, score, sequence.choices) }
      } else {
        best.append((label, score, sequence.choices))
      }
    }
  }

  /// Returns the best case of the next score in turn, with one to three changes.
  ///
  /// It has no spans: the case is replayed from first to last choice.
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

  /// Duplicates the choices from one continuation to the next.
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
