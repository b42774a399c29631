internal import Traces

/// The results of a check.
public struct HistoryReport: Sendable {
  /// The verdicts on one invariant.
  public struct Invariant: Hashable, Sendable {
    /// The name of the checker.
    public let name: String
    /// The number of plans that exercised the invariant, and in which it held.
    public let heldCount: Int
    /// The number of plans that broke it.
    public let brokenCount: Int
  }

  /// The seed of the plans.
  let seed: UInt64
  /// The number of plans that ran.
  public let planCount: Int
  /// The verdicts, in the order of the checkers; those of one's own come last.
  public let invariants: [Invariant]
  /// The shortest plan for the most harmful broken invariant, which was recorded as an issue.
  public let failure: HistoryFailure?
  /// The number of jobs that came from other threads, whose order the seed does not decide.
  ///
  /// See `SeededExecutor`.
  public let uncontrolledJobCount: Int
}

/// A plan that broke an invariant, made as short as possible.
public struct HistoryFailure: Sendable {
  /// The name of the checker.
  public let checker: String
  /// The number of commands of the shortened plan.
  let commandCount: Int
  /// The table of the plan, the sentences and the command that repeats it.
  public let text: String
  /// The plan with its events and the verdict: a file that ``counterexamples(in:file:)`` reads.
  let jsonLines: String
  /// A page with a picture of the plan.
  let html: String
}
