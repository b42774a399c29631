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
    /// The given number of cases were run, and none failed.
    case ran(cases: Int)
    /// A simpler failing case, with `choiceCount` choices, was found.
    ///
    /// `evaluations` is the number of calls of the property so far, from the one that found the
    /// failure.
    case shrank(choiceCount: Int, evaluations: Int)
  }

  /// The seed of the run.
  public var seed: UInt64
  /// The number of random cases to run.
  ///
  /// The default is 200.
  public var cases: Int
  /// The limits of the run: calls of the property for shrinking, and time.
  ///
  /// The default is 10,000 calls and no time limit.
  public var budget: Budget
  /// The maximum number of random choices of a case; further choices have their simplest value.
  ///
  /// The default is 65,536.
  public var choiceCountMax: Int
  /// Cases to run before the random ones, such as those that failed in earlier runs.
  public var examples: [ChoiceSequence]

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - seed: The seed of the random cases.
  ///   - cases: The number of random cases. The default is 200.
  ///   - budget: The limits of the run. The default is 10,000 calls of the property for shrinking,
  ///     and no time limit.
  ///   - choiceCountMax: The maximum number of random choices of a case; further choices have their
  ///     simplest value. The default is 65,536.
  ///   - examples: Cases to run before the random ones. The default is none.
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
  /// The examples run first, then the random cases. If cases have scores
  /// (``ChoiceSource/maximize(_:label:)``), every second case is a variation of the one with the
  /// best score. A case whose property throws `Rejection` is discarded, one that throws `Vacuity`
  /// is vacuous, and any other error fails it. Discarded cases count toward `cases`. The outcome is
  /// `tooManyDiscarded` if all cases are discarded, or if at least fifty cases, and more than nine
  /// in ten, are discarded. Otherwise the outcome is `vacuous` if all cases that were not discarded
  /// are vacuous, or if at least fifty cases, and more than nine in ten, are vacuous.
  ///
  /// - Parameters:
  ///   - progress: A closure that is called after each case, and for each simpler failing case.
  ///   - property: The check of one case, which draws its values.
  /// - Returns: The outcome, the counts, the statistics, and the shrunk failure if there is one.
  /// - Complexity: one call of the property for each case, and at most ``Budget/evaluations`` calls
  ///   to shrink a failure.
  public func run(
    progress: ((Step) -> Void)? = nil,
    _ property: (inout ChoiceSource) throws -> CaseResult
  ) -> PropertyResult {
    var loop = CaseLoop(self)
    while loop.start() {
      loop.finish(CaseResult.of(property, &loop.source))
      if !loop.hasFailed { progress?(.ran(cases: loop.caseCount)) }
    }
    return loop.result(progress, property)
  }
}

/// The cases of a run, one after another, for a caller that runs each case itself.
///
///     var loop = CaseLoop(runner)
///     while loop.start() { loop.finish(await run(&loop.source)) }
///     let result = loop.result { source in ... }
package struct CaseLoop: Sendable {
  /// The source from which the current case draws its random or replayed choices.
  package var source: ChoiceSource
  /// The number of finished cases.
  package private(set) var caseCount = 0
  private let runner: PropertyRunner
  private let deadline: Duration?
  private var result: PropertyResult
  private var climber = Climber()
  /// The seed of the current case; `nil` if it is an example or a variation of another case.
  private var caseSeed: UInt64?
  private var found: FoundCase?

  /// A failing case, before it is shrunk.
  private struct FoundCase {
    let index: Int
    let seed: UInt64?
    let sequence: ChoiceSequence
    let label: String
    let message: String
  }

  package init(_ runner: PropertyRunner) {
    self.runner = runner
    source = ChoiceSource(seed: runner.seed, choiceCountMax: runner.choiceCountMax)
    deadline = runner.budget.deadline()
    result = PropertyResult(seed: runner.seed, outcome: .passed, counts: .init(), failure: nil)
  }

  /// A Boolean value that indicates whether a case has failed, which ends the loop.
  package var hasFailed: Bool { found != nil }

  /// The seed of the current case; `nil` if it is an example or a variation of another case.
  ///
  /// A variation repeats, with some choices changed, a case of this run that has so far reported
  /// the greatest score under a label (``ChoiceSource/maximize(_:label:)``).
  package var seed: UInt64? { caseSeed }

  /// Prepares the source for the next case; returns `false` after the last one.
  package mutating func start() -> Bool {
    guard found == nil, caseCount < runner.examples.count + runner.cases else { return false }
    if runner.budget.isPast(deadline) {
      result.outcome = .outOfTime
      return false
    }
    caseSeed = restart()
    return true
  }

  private mutating func restart() -> UInt64? {
    if caseCount < runner.examples.count {
      source.restart(replaying: runner.examples[caseCount], recordsEvents: false)
      return nil
    }
    let seed = SeededGenerator.seed(
      runner.seed,
      part: UInt64(caseCount - runner.examples.count)
    )
    if climber.isClimbing, caseCount % 2 == 1 {
      var random = SeededGenerator(seed: seed)
      source.restart(replaying: climber.candidate(&random), recordsEvents: false)
      return nil
    }
    source.restart(seed: seed)
    return seed
  }

  /// Counts the result of the current case.
  package mutating func finish(_ outcome: CaseResult) {
    result.add(outcome, source)
    if case .failed(let label, let message) = outcome {
      source.closeAllSpans()
      found = FoundCase(
        index: caseCount,
        seed: caseSeed,
        sequence: source.sequence,
        label: label,
        message: message
      )
    } else if !source.notes.scores.isEmpty {
      climber.note(source.notes, source.sequence)
    }
    caseCount += 1
  }

  /// Shrinks the failing case if there is one, and returns the result of the run.
  package func result(
    _ progress: ((PropertyRunner.Step) -> Void)? = nil,
    _ property: (inout ChoiceSource) throws -> CaseResult
  ) -> PropertyResult {
    var result = result
    if let found {
      result.failure = failure(found, progress, property)
    } else if result.outcome == .passed {
      result.judge()
    }
    return result
  }

  private func failure(
    _ found: FoundCase,
    _ progress: ((PropertyRunner.Step) -> Void)?,
    _ property: (inout ChoiceSource) throws -> CaseResult
  ) -> PropertyFailure {
    let shrinker = Shrinker(
      budget: runner.budget,
      deadline: deadline,
      choiceCountMax: runner.choiceCountMax
    )
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
    /// Returns whether a number of discarded or vacuous cases is too great for the run to pass.
    ///
    /// This is so if the number is at least fifty, and more than nine in ten of all cases of the run.
    func isTooMany(_ count: Int) -> Bool { count >= 50 && count > counts.total * 9 / 10 }
    if isTooMany(counts.discarded) || counts.total > 0 && counts.passed + counts.vacuous == 0 {
      outcome = .tooManyDiscarded
    } else if isTooMany(counts.vacuous) || counts.total > 0 && counts.passed == 0 {
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
  /// A closure that returns the time since a fixed point in time.
  ///
  /// Without a clock, the time limit ``time`` has no effect, and the run is repeatable.
  public var clock: (@Sendable () -> Duration)?

  /// Creates a budget; the default is 10,000 evaluations and no time limit.
  ///
  /// - Parameters:
  ///   - evaluations: The maximum number of times that shrinking calls the property.
  ///   - time: The time limit of the run, including shrinking; it requires a clock.
  ///   - clock: A closure that returns the time since a fixed point in time.
  public init(
    evaluations: Int = 10_000,
    time: Duration? = nil,
    clock: (@Sendable () -> Duration)? = nil
  ) {
    self.evaluations = evaluations
    self.time = time
    self.clock = clock
  }

  /// Returns the clock value at which the time limit, counted from now, ends; `nil` for no limit.
  func deadline() -> Duration? {
    guard let time, let clock else { return nil }
    return clock() + time
  }

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
  /// The case is not suitable for the property; it neither passes nor fails.
  case discarded
  /// The case is suitable, but tested nothing, because it could not have failed.
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
      source.notes.reason = rejection.reason
      return .discarded
    case let vacuity as Vacuity:
      source.notes.reason = vacuity.reason
      return .vacuous
    default: return .failed(label: label(of: error), message: "\(error)")
    }
  }

  /// Returns the label of a failure: the error's own label, or else its type.
  static func label(of error: any Error) -> String {
    (error as? any LabelledFailure)?.failureLabel ?? "\(type(of: error))"
  }
}

/// The labels and scores of a case, and whether it belongs to the required classes of cases.
struct CaseNotes: Sendable {
  /// The labels of the case, without duplicates.
  var labels: [String] = []
  /// The classes that the property requires, and whether the case belongs to each.
  var requirements: [(label: String, share: Double, isMet: Bool)] = []
  /// The scores that the case reported with `maximize(_:label:)`, which later cases try to exceed.
  var scores: [(label: String, score: Double)] = []
  /// The reason for which the case was discarded or vacuous; otherwise `nil`.
  var reason: String?

  mutating func clear() {
    labels.removeAll(keepingCapacity: true)
    requirements.removeAll(keepingCapacity: true)
    scores.removeAll(keepingCapacity: true)
    reason = nil
  }
}

extension ChoiceSource {
  /// Labels the case if a condition holds; the statistics count the cases with each label.
  ///
  /// - Parameters:
  ///   - label: The label.
  ///   - condition: Whether the case gets the label. The default is `true`.
  public mutating func classify(_ label: String, if condition: Bool = true) {
    guard condition, !notes.labels.contains(label) else { return }
    notes.labels.append(label)
  }

  /// Requires that at least a share of all cases belongs to a class, and records whether this case does.
  ///
  /// If significantly fewer cases belong to the class, the outcome of the run is `notCovered`.
  /// Discarded cases do not count.
  ///
  /// - Parameters:
  ///   - label: The name of the class.
  ///   - share: The required share of the cases, from 0 to 1.
  ///   - condition: Whether this case belongs to the class.
  public mutating func cover(_ label: String, atLeast share: Double, if condition: Bool) {
    guard (0...1).contains(share) else {
      fatalError("cover(\(label)): the share \(share) is not between 0 and 1")
    }
    notes.requirements.append((label, share, condition))
  }

  /// Gives the case a score, which later cases try to exceed.
  ///
  /// Half of the later cases are variations of the case with the greatest score so far. Several
  /// scores with different labels are maximized in turn.
  ///
  /// - Parameters:
  ///   - score: The score; NaN and infinity are ignored.
  ///   - label: The name of the score. The default is `score`.
  public mutating func maximize(_ score: Double, label: String = "score") {
    guard score.isFinite else { return }
    notes.scores.append((label, score))
  }
}
