/// Runs a property on random cases until one fails, and shrinks that one.
///
///     let result = PropertyRunner(seed: 1, cases: 1_000).run { source in
///       let numbers = source.array("number", 0...20) { $0.int(in: -9...9) }
///       return numbers.sorted() == mySorted(numbers)
///         ? .passed : .failed(label: "order", message: "\(numbers)")
///     }
///
/// The same seed gives the same result, unless the budget has a time and a clock. Each case has a
/// seed of its own that follows from the run's seed and the case's number.
public struct PropertyRunner: Sendable {
  /// How far a run has come.
  public enum Step: Hashable, Sendable {
    /// This many cases were run and none failed.
    case ran(cases: Int)
    /// The failing case was made simpler: its choices now, and the calls of the property so far.
    case shrank(choiceCount: Int, evaluations: Int)
  }

  /// The seed that everything follows from.
  public var seed: UInt64
  /// How many cases to run.
  public var cases: Int
  /// How much work a run may do.
  public var budget: Budget
  /// After so many choices of a case every further one is the simplest.
  public var choiceCountMax: Int

  /// Makes a runner.
  public init(
    seed: UInt64,
    cases: Int = 200,
    budget: Budget = Budget(),
    choiceCountMax: Int = 65_536
  ) {
    self.seed = seed
    self.cases = cases
    self.budget = budget
    self.choiceCountMax = choiceCountMax
  }

  /// Runs the property and shrinks the first failing case.
  ///
  /// A case in which the property throws `Rejection` is discarded; any other error fails it.
  /// Discarded cases count as cases; when they are more than nine in ten (of at least fifty), the
  /// outcome says so.
  public func run(
    progress: ((Step) -> Void)? = nil,
    _ property: (inout ChoiceSource) throws -> CaseResult
  ) -> PropertyResult {
    var result = PropertyResult(seed: seed, outcome: .passed, counts: .init(), failure: nil)
    var source = ChoiceSource(seed: seed, choiceCountMax: choiceCountMax)
    let deadline = budget.deadline()
    for index in 0..<cases {
      if budget.isPast(deadline) {
        result.outcome = .outOfTime
        return result
      }
      let caseSeed = SeededGenerator.seed(seed, part: UInt64(index))
      source.restart(seed: caseSeed)
      switch CaseResult.of(property, &source) {
      case .passed: result.counts.passed += 1
      case .discarded: result.counts.discarded += 1
      case .vacuous: result.counts.vacuous += 1
      case .failed(let label, let message):
        source.closeAllSpans()
        result.counts.failed += 1
        result.outcome = .failed
        let found = (index, caseSeed, source.sequence, label, message)
        result.failure = failure(found, deadline, progress, property)
        return result
      }
      progress?(.ran(cases: index + 1))
    }
    result.outcome = outcome(result.counts)
    return result
  }

  /// Shrinks a case that was found.
  private func failure(
    _ found: (index: Int, seed: UInt64, sequence: ChoiceSequence, label: String, message: String),
    _ deadline: Duration?,
    _ progress: ((Step) -> Void)?,
    _ property: (inout ChoiceSource) throws -> CaseResult
  ) -> PropertyFailure {
    let shrinker = Shrinker(budget: budget, deadline: deadline, choiceCountMax: choiceCountMax)
    let shrunk = shrinker.shrink(
      found.sequence,
      label: found.label,
      message: found.message,
      progress: progress,
      property
    )
    return PropertyFailure(
      caseIndex: found.index,
      caseSeed: found.seed,
      original: found.sequence,
      originalMessage: found.message,
      shrunk: shrunk
    )
  }

  /// Judges a run in which nothing failed.
  private func outcome(_ counts: PropertyResult.Counts) -> PropertyResult.Outcome {
    if counts.discarded >= 50, counts.discarded > counts.total * 9 / 10 { return .tooManyDiscarded }
    if counts.total > 0, counts.passed == 0 {
      return counts.vacuous > 0 ? .vacuous : .tooManyDiscarded
    }
    return .passed
  }
}
