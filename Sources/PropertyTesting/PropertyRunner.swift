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

/// The limits of a run: calls of the property for shrinking, and time for the whole run.
public struct Budget: Sendable {
  /// The maximum number of times that shrinking calls the property.
  public var evaluations: Int
  /// The time limit of the run, including shrinking; `nil` for no limit.
  public var time: Duration?
  /// A closure that returns the time since some fixed moment.
  ///
  /// Without a clock, `time` has no effect, and the run is repeatable.
  public var clock: (@Sendable () -> Duration)?

  /// Creates a budget; the default is 10,000 evaluations and no time limit.
  public init(
    evaluations: Int = 10_000,
    time: Duration? = nil,
    clock: (@Sendable () -> Duration)? = nil
  ) {
    self.evaluations = evaluations
    self.time = time
    self.clock = clock
  }

  /// Returns the time at which the budget ends, counted from now, or `nil` if there is no limit.
  func deadline() -> Duration? {
    guard let time, let clock else { return nil }
    return clock() + time
  }

  /// Returns whether a deadline has passed.
  func isPast(_ deadline: Duration?) -> Bool {
    guard let deadline, let clock else { return false }
    return clock() >= deadline
  }
}

/// The result of a property for one case.
public enum CaseResult: Hashable, Sendable {
  /// The property holds.
  case passed
  /// The property does not hold; shrinking considers only cases that fail with the same label.
  case failed(label: String, message: String)
  /// The case is not suitable for the property, and does not count.
  case discarded
  /// The case is suitable, but could not have failed.
  case vacuous

  /// Runs a property on a source, and converts a thrown error to a result.
  ///
  /// `Rejection` discards the case, `Vacuity` makes it vacuous, and any other error fails it under
  /// the error's label.
  static func of(
    _ property: (inout ChoiceSource) throws -> CaseResult,
    _ source: inout ChoiceSource
  ) -> CaseResult {
    do {
      return try property(&source)
    } catch {
      return of(error, &source)
    }
  }

  /// Returns the result of a case whose property threw an error.
  package static func of(_ error: any Error, _ source: inout ChoiceSource) -> CaseResult {
    switch error {
    case let rejection as Rejection:
      source.notes.rejection = rejection.reason
      return .discarded
    case is Vacuity: return .vacuous
    default: return .failed(label: label(of: error), message: "\(error)")
    }
  }

  /// Returns the label of a failure: the error's own label, or else its type.
  static func label(of error: any Error) -> String {
    (error as? any LabelledFailure)?.failureLabel ?? "\(type(of: error))"
  }
}

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
