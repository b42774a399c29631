/// The statistics of the cases of a run.
public struct PropertyStatistics: Sendable {
  /// The coverage of a class of cases that a property requires.
  public struct Coverage: Hashable, Sendable {
    /// The required share of the cases, from 0 to 1.
    public internal(set) var share: Double
    /// The number of cases that belong to the class.
    public internal(set) var count = 0
    /// The number of cases that reported whether they belong to the class.
    public internal(set) var total = 0

    /// A Boolean value that indicates whether significantly fewer cases belong than required.
    ///
    /// Because the observed share may be low by chance, the upper bound of Wilson's interval at
    /// three standard deviations is compared. A class without any case is missed if at least five
    /// were expected.
    public var isMissed: Bool {
      guard total > 0, Double(count) < share * Double(total) else { return false }
      let (n, p, z) = (Double(total), Double(count) / Double(total), 3.0)
      let spread = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
      return count == 0 && n * share >= 5
        || (p + z * z / (2 * n) + spread) / (1 + z * z / n) < share
    }
  }

  /// The number of cases that were not discarded.
  public internal(set) var caseCount = 0
  /// The total number of choices of these cases.
  public internal(set) var choiceCount = 0
  /// The number of cases with each label.
  public internal(set) var labels: [String: Int] = [:]
  /// The classes that the property requires.
  public internal(set) var coverage: [String: Coverage] = [:]
  /// The number of discarded cases by reason.
  public internal(set) var rejections: [String: Int] = [:]
  /// The greatest score of each label.
  public internal(set) var scores: [String: Double] = [:]

  /// The labels of the missed classes, sorted.
  public var missed: [String] { coverage.filter(\.value.isMissed).map(\.key).sorted() }

  /// Adds the notes of a case.
  mutating func add(_ notes: CaseNotes, choiceCount: Int, isDiscarded: Bool) {
    if isDiscarded {
      rejections[notes.rejection ?? "discarded", default: 0] += 1
      return
    }
    caseCount += 1
    self.choiceCount += choiceCount
    for label in notes.labels { labels[label, default: 0] += 1 }
    for (label, score) in notes.scores { scores[label] = max(scores[label] ?? score, score) }
    for (label, share, isMet) in notes.requirements {
      coverage[label, default: Coverage(share: share)].total += 1
      if isMet { coverage[label, default: Coverage(share: share)].count += 1 }
    }
  }
}

extension PropertyStatistics: CustomStringConvertible {
  /// One line for each label, class, score and reason.
  public var description: String {
    var lines = ["\(caseCount) cases, \(choiceCount) choices"]
    for (label, count) in Self.sorted(labels) { lines.append("\(percent(count)) \(label)") }
    for (label, required) in coverage.sorted(by: { $0.key < $1.key }) {
      let goal = "required: \(Self.percent(required.share))\(required.isMissed ? ", missed" : "")"
      lines.append("\(percent(required.count)) \(label) (\(goal))")
    }
    for (label, score) in scores.sorted(by: { $0.key < $1.key }) {
      lines.append("greatest \(label): \(score)")
    }
    for (reason, count) in Self.sorted(rejections) { lines.append("\(count) discarded: \(reason)") }
    return lines.joined(separator: "\n")
  }

  private func percent(_ count: Int) -> String {
    Self.percent(Double(count) / Double(max(caseCount, 1)))
  }

  private static func percent(_ share: Double) -> String {
    let tenths = Int(share * 1_000)
    return "\(tenths / 10).\(tenths % 10) %"
  }

  /// Returns the counts in descending order, and by label if equal.
  private static func sorted(_ counts: [String: Int]) -> [(key: String, value: Int)] {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  }
}
