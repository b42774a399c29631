/// The result of a property run.
public struct PropertyResult: Sendable {
  /// The number of cases by result.
  public struct Counts: Hashable, Sendable {
    /// The number of cases in which the property held.
    public internal(set) var passed = 0
    /// The number of cases that were not suitable for the property.
    public internal(set) var discarded = 0
    /// The number of suitable cases that could not have failed.
    public internal(set) var vacuous = 0
    /// The number of cases that failed before shrinking: 0 or 1, because the first ends the run.
    public internal(set) var failed = 0

    /// The total number of cases.
    public var total: Int { passed + discarded + vacuous + failed }
  }

  /// The outcome of a run.
  public enum Outcome: Hashable, Sendable {
    /// No case failed, and the numbers of vacuous and discarded cases are acceptable.
    case passed
    /// A case failed; see `failure`.
    case failed
    /// Too many cases were discarded for the run to pass.
    case tooManyDiscarded
    /// All cases that were not discarded were vacuous.
    case vacuous
    /// A required class of cases was not covered often enough; see `statistics`.
    case notCovered
    /// The time limit was reached before all cases were run.
    case outOfTime
  }

  /// The seed of the run.
  public let seed: UInt64
  /// The outcome of the run.
  public internal(set) var outcome: Outcome
  /// The number of cases by result.
  public internal(set) var counts: Counts
  /// The statistics of the cases.
  public internal(set) var statistics = PropertyStatistics()
  /// The first failing case and its shrunk form, or `nil` if no case failed.
  public internal(set) var failure: PropertyFailure?
}

/// The first failing case of a run, and its shrunk form.
public struct PropertyFailure: Sendable {
  /// The index of the case in the run, from 0; examples come first.
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
