import Systems

/// One change of a tracking design: another choice for one of its decisions.
///
/// A design has one choice for each decision, such as where positions are stored.
struct RepairChange: Hashable, Sendable {
  /// The name of the design's decision that this change alters, such as `position`.
  let decision: String
  /// The name of the unchanged design's choice for the decision.
  let from: String
  /// The name of the changed design's choice, which replaces ``from``.
  let to: String

  /// The change as a phrase, such as `position: date -> number`.
  var phrase: String { "\(decision): \(from) -> \(to)" }

  /// A clause about the new choice, such as "stores its position after the merge".
  var sentence: String { DesignDecision.named(decision)?.sentence(of: to) ?? to }
}

extension TrackingDesign {
  /// For each decision that `repair` may change, one change to each other choice.
  var alternatives: [[RepairChange]] {
    choices.filter(\.decision.mayChange).map { decision, word in
      decision.choices.map(\.word).filter { $0 != word }.map { other in
        RepairChange(decision: decision.name, from: word, to: other)
      }
    }
  }

  /// The changes that give the design the choices of this project's tracker.
  ///
  /// A design has one choice for each decision; ``corner`` is the one with the tracker's choices.
  /// The decisions that `repair` may not change are left out.
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
