/// What a case tells of itself beside its result: labels, required classes, scores.
struct CaseNotes: Sendable {
  /// The labels of the case, each once.
  var labels: [String] = []
  /// Whether the case belongs to the classes that the property requires.
  var requirements: [(label: String, share: Double, isMet: Bool)] = []
  /// The scores to climb.
  var scores: [(label: String, score: Double)] = []
  /// Why the case was discarded.
  var rejection: String?

  mutating func clear() {
    labels.removeAll(keepingCapacity: true)
    requirements.removeAll(keepingCapacity: true)
    scores.removeAll(keepingCapacity: true)
    rejection = nil
  }
}

extension ChoiceSource {
  /// Labels the case if a condition holds; the statistics say how many cases have each label.
  public mutating func classify(_ label: String, if condition: Bool = true) {
    guard condition, !notes.labels.contains(label) else { return }
    notes.labels.append(label)
  }

  /// Requires that a share of the cases belongs to a class, and says whether this one does.
  ///
  /// A run in which clearly fewer do has tested too little of what matters: its outcome is
  /// `notCovered`. Discarded cases do not count.
  public mutating func cover(_ label: String, atLeast share: Double, if condition: Bool) {
    guard (0...1).contains(share) else { fatalError("cover(\(label)): \(share) is no share") }
    notes.requirements.append((label, share, condition))
  }

  /// Gives the case a score to climb: half of the later cases change the one with the greatest score
  /// so far.
  ///
  /// Several scores with labels of their own are climbed in turn.
  public mutating func maximize(_ score: Double, label: String = "score") {
    guard score.isFinite else { return }
    notes.scores.append((label, score))
  }
}
