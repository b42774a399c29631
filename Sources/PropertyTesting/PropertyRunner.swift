/// A runner that checks a property on random cases until one fails, and shrinks that case.
///
///     let result = PropertyRunner(seed: 1, cases: 1_000).run { source in
///       let numbers = source.array("number", 0...20) { $0.int(in: -9...9) }
///       return numbers.sorted() == mySorted(numbers)
///         ? .passed : .failed(label: "order", message: "\(numbers)")
///     }
///
/// The same seed gives the same result, unless the budget has a time limit and a clock. Each case
/// has its own seed, derived from the run's seed and the number of the case.
public struct PropertyRunner: Sendable {
  /// A progress report of a run.
  public enum Step: Hashable, Sendable {
    /// This many cases were run, and none failed.
    case ran(cases: Int)
    /// A simpler failing case was found: its number of choices, and the evaluations so far.
    case shrank(choiceCount: Int, evaluations: Int)
  }

  /// The seed of the run.
  public var seed: UInt64
  /// The number of random cases to run.
  ///
  /// The default is 200.
  public var cases: Int
  /// The limits of the run.
  public var budget: Budget
  /// The number of choices of a case after which all further ones are the simplest.
  public var choiceCountMax: Int
  /// Cases to run before the random ones, such as those that failed in earlier runs.
  public var examples: [ChoiceSequence]

  /// Creates a runner.
  public init(
    seed: UInt64,
    cases: Int = 200,
    budget: Budget = Budget(),
    choiceCountMax: Int = 65_536,
    examples: [ChoiceSequence] = []
  ) {
    self.seed = seed
    self.cases = cases
    self.budget = budget
    self.choiceCountMax = choiceCountMax
    self.examples = examples
  }

  /// Runs the property, and shrinks the first failing case.
  ///
  /// The examples run first, then the random cases. Once a case has a score, every second case is a
  /// variation of the best one. A case whose property throws `Rejection` is discarded, one that
  /// throws `Vacuity` is vacuous, and any other error fails it. Discarded cases count toward
  /// `cases`. If all cases are discarded, or at least fifty that are more than nine in ten, the
  /// outcome is `tooManyDiscarded`.
  public func run(
    progress: ((Step) -> Void)? = nil,
    _ property: (inout ChoiceSource) throws -> CaseResult
  ) -> PropertyResult {
    var result = PropertyResult(seed: seed, outcome: .passed, counts: .init(), failure: nil)
    var source = ChoiceSource(seed: seed, choiceCountMax: choiceCountMax)
    var climber = Climber()
    let deadline = budget.deadline()
    for index in 0..<(examples.count + cases) {
      if budget.isPast(deadline) {
        result.outcome = .outOfTime
        return result
      }
      let caseSeed = start(index, &source, &climber)
      let outcome = CaseResult.of(property, &source)
      result.add(outcome, source)
      if case .failed(let label, let message) = outcome {
        source.closeAllSpans()
        let found = (index, caseSeed, source.sequence, label, message)
        result.failure = failure(found, deadline, progress, property)
        return result
      }
      if !source.notes.scores.isEmpty { climber.note(source.notes, source.sequence) }
      progress?(.ran(cases: index + 1))
    }
    result.judge()
    return result
  }

  /// Starts a case by number, and returns its seed, or `nil` for examples and variations.
  private func start(
    _ index: Int,
    _ source: inout ChoiceSource,
    _ climber: inout Climber
  ) -> UInt64? {
    if index < examples.count {
      source.restart(replaying: examples[index], recordsEvents: false)
      return nil
    }
    let caseSeed = SeededGenerator.seed(seed, part: UInt64(index - examples.count))
    if climber.isClimbing, index % 2 == 1 {
      var random = SeededGenerator(seed: caseSeed)
      source.restart(replaying: climber.candidate(&random), recordsEvents: false)
      return nil
    }
    source.restart(seed: caseSeed)
    return caseSeed
  }

  /// Shrinks a failing case.
  private func failure(
    _ found: (index: Int, seed: UInt64?, sequence: ChoiceSequence, label: String, message: String),
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
}

extension PropertyResult {
  /// Counts the result of a case.
  fileprivate mutating func add(_ result: CaseResult, _ source: ChoiceSource) {
    switch result {
    case .passed: counts.passed += 1
    case .discarded: counts.discarded += 1
    case .vacuous: counts.vacuous += 1
    case .failed:
      counts.failed += 1
      outcome = .failed
    }
    statistics.add(
      source.notes,
      choiceCount: source.choiceCount,
      isDiscarded: result == .discarded
    )
  }

  /// Sets the outcome of a run without failures.
  fileprivate mutating func judge() {
    let isScarce = counts.discarded >= 50 && counts.discarded > counts.total * 9 / 10
    if isScarce || counts.total > 0 && counts.passed + counts.vacuous == 0 {
      outcome = .tooManyDiscarded
    } else if counts.total > 0, counts.passed == 0 {
      outcome = .vacuous
    } else if !statistics.missed.isEmpty {
      outcome = .notCovered
    }
  }
}
