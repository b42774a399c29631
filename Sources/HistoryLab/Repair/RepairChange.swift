import Systems

/// One change of a design: a decision, its choice in the design, and the choice that replaces it.
struct RepairChange: Hashable, Sendable {
  /// The decision's name.
  let decision: String
  /// The name of the choice in the unchanged design.
  let from: String
  /// The name of the new choice.
  let to: String

  /// The change as a phrase, such as `position: date -> number`.
  var phrase: String { "\(decision): \(from) -> \(to)" }

  /// A clause about the new choice, such as "stores its position after the merge".
  var sentence: String { DesignDecision.named(decision)?.sentence(of: to) ?? to }
}

extension TrackingDesign {
  /// The possible changes for each decision that a repair may change.
  var alternatives: [[RepairChange]] {
    choices.filter(\.decision.mayChange).map { decision, word in
      decision.choices.map(\.word).filter { $0 != word }.map { other in
        RepairChange(decision: decision.name, from: word, to: other)
      }
    }
  }

  /// The changes that give the design all decisions of this project's tracker.
  var changesToCorner: [RepairChange] {
    choices.filter(\.decision.mayChange).compactMap { decision, word in
      let corner = decision.choice(of: .corner)
      guard corner != word else { return nil }
      return RepairChange(decision: decision.name, from: word, to: corner)
    }
  }

  func changed(by changes: some Sequence<RepairChange>) -> TrackingDesign {
    var design = self
    for change in changes {
      DesignDecision.named(change.decision)?.set(change.to, in: &design)
    }
    return design
  }
}
