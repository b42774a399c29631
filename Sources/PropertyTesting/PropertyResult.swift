/// The outcome of a property's run, the numbers of its cases, and the shrunk failure, if any.
public struct PropertyResult: Sendable {
  /// The number of cases by result.
  public struct Counts: Hashable, Sendable {
    /// The number of cases in which the property held.
    public internal(set) var passed = 0
    /// The number of cases that were not suitable for the property.
    public internal(set) var discarded = 0
    /// The number of suitable cases that tested nothing, because they could not have failed.
    public internal(set) var vacuous = 0
    /// The number of cases that failed before shrinking: 0 or 1, because a failure ends the run.
    public internal(set) var failed = 0

    /// The total number of cases.
    public var total: Int { passed + discarded + vacuous + failed }
  }

  /// The outcome of a run.
  public enum Outcome: Hashable, Sendable {
    /// All cases were run, none failed, and none of the outcomes below applies.
    case passed
    /// A case failed; see `failure`.
    case failed
    /// Too many cases were discarded for the run to pass.
    ///
    /// This is the outcome if all cases are discarded, or if at least fifty cases, and more than
    /// nine in ten, are discarded.
    case tooManyDiscarded
    /// Too many cases were vacuous, that is, could not have failed.
    ///
    /// This is the outcome if all cases that were not discarded are vacuous, or if at least fifty
    /// cases, and more than nine in ten, are vacuous.
    case vacuous
    /// A required class of cases was not covered often enough; see `statistics`.
    case notCovered
    /// The time limit was reached before all cases were run.
    case outOfTime
  }

  /// The seed of the run.
  public let seed: UInt64
  /// The outcome of the run, such as passed, failed or out of time.
  public internal(set) var outcome: Outcome
  /// The number of cases by result.
  public internal(set) var counts: Counts
  /// The numbers of cases by label and class, or by reason if discarded or vacuous, and scores.
  public internal(set) var statistics = PropertyStatistics()
  /// The first failing case and its shrunk form, or `nil` if no case failed.
  public internal(set) var failure: PropertyFailure?
}

/// The first failing case of a run, and its shrunk form.
public struct PropertyFailure: Sendable {
  /// The index of the case in the run, from 0; the runner's examples come before random cases.
  public let caseIndex: Int
  /// The seed that reproduces the single case with `ChoiceSource(seed:)`.
  ///
  /// `nil` for an example, and for a case that was generated to maximize a score.
  public let caseSeed: UInt64?
  /// The original failing case.
  public let original: ChoiceSequence
  /// The failure message of the original case.
  public let originalMessage: String
  /// The simplest failing case found by shrinking.
  public let shrunk: ShrinkResult

  /// The line from which `ChoiceSequence(_:)` replays the shrunk case.
  public var replayLine: String { shrunk.sequence.description }
}

/// The numbers of a run's cases by label and class, and the greatest scores that cases reported.
///
/// Discarded cases are counted only by reason, and vacuous cases also by reason.
public struct PropertyStatistics: Sendable {
  /// The coverage of a class of cases that a property requires.
  public struct Coverage: Hashable, Sendable {
    /// The required share of this class among the cases counted in ``total``, from 0 to 1.
    public internal(set) var share: Double
    /// The number of cases that belong to the class, as they reported with `cover(_:atLeast:if:)`.
    public internal(set) var count = 0
    /// The number of cases that reported whether they belong to the class.
    public internal(set) var total = 0

    /// Whether significantly fewer cases than the required share belong to the class.
    ///
    /// Because the observed share may be low by chance, the required share is compared with the
    /// upper bound of Wilson's interval at three standard deviations. A class without any case is
    /// missed if at least five cases were expected.
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
  /// The total number of choices in the cases that were not discarded.
  public internal(set) var choiceCount = 0
  /// The number of cases with each label.
  public internal(set) var labels: [String: Int] = [:]
  /// The coverage of each class of cases that the property requires, by the name of the class.
  public internal(set) var coverage: [String: Coverage] = [:]
  /// The number of discarded cases by reason.
  public internal(set) var rejections: [String: Int] = [:]
  /// The number of vacuous cases by reason.
  public internal(set) var vacuities: [String: Int] = [:]
  /// The greatest score under each label that a case has reported with `maximize(_:label:)`.
  public internal(set) var scores: [String: Double] = [:]

  /// The labels of the required classes to which significantly too few cases belong, sorted.
  public var missed: [String] { coverage.filter(\.value.isMissed).map(\.key).sorted() }

  mutating func add(_ notes: CaseNotes, choiceCount: Int, isDiscarded: Bool) {
    if isDiscarded {
      rejections[notes.reason ?? "discarded", default: 0] += 1
      return
    }
    if let reason = notes.reason { vacuities[reason, default: 0] += 1 }
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
  /// The statistics as text, with a line for each label, class and score.
  ///
  /// The first line has the numbers of cases and choices. Lines for the reasons of discarded and
  /// vacuous cases come last.
  public var description: String {
    let cases = caseCount == 1 ? "1 case" : "\(caseCount) cases"
    let choices = choiceCount == 1 ? "1 choice" : "\(choiceCount) choices"
    var lines = ["\(cases), \(choices)"]
    for (label, count) in Self.sorted(labels) { lines.append("\(percent(count)) \(label)") }
    for (label, required) in coverage.sorted(by: { $0.key < $1.key }) {
      let goal = "required: \(Self.percent(required.share))\(required.isMissed ? ", missed" : "")"
      lines.append("\(percent(required.count)) \(label) (\(goal))")
    }
    for (label, score) in scores.sorted(by: { $0.key < $1.key }) {
      lines.append("greatest \(label): \(score)")
    }
    for (reason, count) in Self.sorted(rejections) { lines.append("\(count) discarded: \(reason)") }
    for (reason, count) in Self.sorted(vacuities) { lines.append("\(count) vacuous: \(reason)") }
    return lines.joined(separator: "\n")
  }

  private func percent(_ count: Int) -> String {
    Self.percent(Double(count) / Double(max(caseCount, 1)))
  }

  private static func percent(_ share: Double) -> String {
    let tenths = Int(share * 1_000)
    return "\(tenths / 10).\(tenths % 10) %"
  }

  /// Returns the labels with their counts, in descending order of the counts.
  ///
  /// Labels with equal counts are in alphabetical order.
  private static func sorted(_ counts: [String: Int]) -> [(key: String, value: Int)] {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  }
}

/// An error with a label that distinguishes different failures of the same error type.
///
/// Shrinking considers only cases that fail with the label of the first failure. If an error does
/// not conform to this protocol, its label is the name of its type.
public protocol LabelledFailure: Error {
  /// The kind of failure, short and without values.
  var failureLabel: String { get }
}

/// An error that marks a case as vacuous: suitable for the property, but unable to fail it.
public struct Vacuity: Error, Hashable, Sendable {
  /// The event that did not happen, and without which a case tests nothing.
  public let reason: String

  /// Creates an error that marks a case as vacuous; the run counts vacuous cases by reason.
  public init(_ reason: String) { self.reason = reason }
}

/// An error that discards a case as unsuitable for the property; it neither passes nor fails.
public struct Rejection: Error, Hashable, Sendable {
  /// The condition that the case did not satisfy.
  public let reason: String

  /// Creates an error that discards a case; the run counts discarded cases by reason.
  public init(_ reason: String) { self.reason = reason }
}
