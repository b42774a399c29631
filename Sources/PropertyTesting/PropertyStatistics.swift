/// What the cases of a run were like.
public struct PropertyStatistics: Sendable {
  /// A class of cases that a property requires to be reached.
  public struct Coverage: Hashable, Sendable {
    /// The least share of the cases that should belong to the class.
    public internal(set) var share: Double
    /// The number of cases that do.
    public internal(set) var count = 0
    /// The number of cases that were asked.
    public internal(set) var total = 0

    /// Whether clearly fewer cases than required belong to the class.
    ///
    /// The share of the whole may be higher than that of the cases by chance: the upper end of
    /// Wilson's interval at three standard deviations is compared.
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
  /// The number of choices that they made together.
  public internal(set) var choiceCount = 0
  /// The number of cases with each label.
  public internal(set) var labels: [String: Int] = [:]
  /// The classes that the property requires.
  public internal(set) var coverage: [String: Coverage] = [:]
  /// The reasons why cases were discarded, with how many were.
  public internal(set) var rejections: [String: Int] = [:]
  /// The greatest score of each label.
  public internal(set) var scores: [String: Double] = [:]

  /// The required classes that clearly too few cases belong to, in the order of their labels.
  public var missed: [String] { coverage.filter(\.value.isMissed).map(\.key).sorted() }

  /// Adds what a case told of itself.
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

  /// The commonest first.
  private static func sorted(_ counts: [String: Int]) -> [(key: String, value: Int)] {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  }
}
