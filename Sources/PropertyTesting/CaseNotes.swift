/// The labels, required classes and scores of a case, in addition to its result.
struct CaseNotes: Sendable {
  /// The labels of the case, without duplicates.
  var labels: [String] = []
  /// The classes that the property requires, and whether the case belongs to each.
  var requirements: [(label: String, share: Double, isMet: Bool)] = []
  /// The scores to maximize.
  var scores: [(label: String, score: Double)] = []
  /// The reason for which the case was discarded.
  var rejection: String?

  mutating func clear() {
    labels.removeAll(keepingCapacity: true)
    requirements.removeAll(keepingCapacity: true)
    scores.removeAll(keepingCapacity: true)
    rejection = nil
  }
}

extension ChoiceSource {
  /// Labels the case if a condition holds; the statistics show the number of cases with each label.
  public mutating func classify(_ label: String, if condition: Bool = true) {
    guard condition, !notes.labels.contains(label) else { return }
    notes.labels.append(label)
  }

  /// Requires that a share of the cases belongs to a class, and records whether this case does.
  ///
  /// If significantly fewer cases do, the outcome of the run is `notCovered`. Discarded cases do
  /// not count.
  public mutating func cover(_ label: String, atLeast share: Double, if condition: Bool) {
    guard (0...1).contains(share) else { fatalError("cover(\(label)): \(share) is no share") }
    notes.requirements.append((label, share, condition))
  }

  /// Gives the case a score to maximize.
  ///
  /// Half of the later cases are changes of the case with the greatest score so far. Several scores
  /// with different labels are maximized in turn.
  public mutating func maximize(_ score: Double, label: String = "score") {
    guard score.isFinite else { return }
    notes.scores.append((label, score))
  }
}
