/// What a run of a property came to.
public struct PropertyResult: Sendable {
  /// How many cases ended in which way.
  public struct Counts: Hashable, Sendable {
    /// The number of cases in which the property held.
    public internal(set) var passed = 0
    /// The number of cases that did not suit the property.
    public internal(set) var discarded = 0
    /// The number of cases that suited it but could not have broken it.
    public internal(set) var vacuous = 0
    /// The number of cases that failed before shrinking: 0 or 1, as the run ends with the first.
    public internal(set) var failed = 0

    /// The number of cases that were run.
    public var total: Int { passed + discarded + vacuous + failed }
  }

  /// The answer of a run.
  public enum Outcome: Hashable, Sendable {
    /// Every case passed, or was vacuous or discarded within what is healthy.
    case passed
    /// A case failed: see `failure`.
    case failed
    /// Too many cases were discarded to call it passed.
    case tooManyDiscarded
    /// No case could have broken the property.
    case vacuous
    /// A class of cases that the property requires was not reached often enough: see `statistics`.
    case notCovered
    /// The time was over before all cases were run.
    case outOfTime
  }

  /// The seed of the run.
  public let seed: UInt64
  /// The answer.
  public internal(set) var outcome: Outcome
  /// How many cases ended in which way.
  public internal(set) var counts: Counts
  /// What the cases were like.
  public internal(set) var statistics = PropertyStatistics()
  /// The first failing case and what it was shrunk to.
  public internal(set) var failure: PropertyFailure?
}

/// The first failing case of a run and what it was shrunk to.
public struct PropertyFailure: Sendable {
  /// The number of the case in its run, from 0; examples come first.
  public let caseIndex: Int
  /// The seed that makes the case again, alone: `ChoiceSource(seed:)`.
  ///
  /// It is nil for an example, and for a case that a search for a score made.
  public let caseSeed: UInt64?
  /// The case as it was found.
  public let original: ChoiceSequence
  /// What the property said of the case as it was found.
  public let originalMessage: String
  /// The simplest failing case that shrinking came to.
  public let shrunk: ShrinkResult

  /// The line to replay the shrunk case from: `ChoiceSequence(_:)` reads it.
  public var replayLine: String { shrunk.sequence.description }
}
