/// The state of a shrinking process: the best sequence so far, and the candidates already tried.
final class ShrinkSession {
  typealias Property = (inout ChoiceSource) throws -> CaseResult
  private typealias Pass = @Sendable (ShrinkSession) -> Void

  private(set) var result: ShrinkResult
  /// The structure of the best sequence's spans.
  private(set) var tree: SpanTree
  /// The fingerprints of the candidates already considered.
  private var tried: Set<UInt64> = []
  /// The cases already run.
  private var known: CaseTree
  private var source: ChoiceSource
  private let budget: Budget
  private let deadline: Duration?
  private let progress: ((PropertyRunner.Step) -> Void)?
  private let property: Property
  private let isThorough: Bool

  init(
    _ result: ShrinkResult,
    budget: Budget,
    deadline: Duration?,
    choiceCountMax: Int,
    isThorough: Bool,
    progress: ((PropertyRunner.Step) -> Void)?,
    _ property: @escaping Property
  ) {
    self.result = result
    self.budget = budget
    self.deadline = deadline
    self.isThorough = isThorough
    source = ChoiceSource(seed: 0, choiceCountMax: choiceCountMax)
    self.progress = progress
    self.property = property
    tree = SpanTree(result.sequence)
    known = CaseTree(choiceCountMax: choiceCountMax)
    tried.insert(result.sequence.fingerprint)
  }

  /// The simplest failing sequence so far.
  var best: ChoiceSequence { result.sequence }

  /// Whether the last candidate failed with the same label, but yielded no simpler case.
  private(set) var failedUnimproved = false

  /// Whether the first passes are running, which remove large parts.
  private(set) var isFirstRound = true

  /// Whether the session has reached a limit.
  private(set) var isOver = false

  /// The passes that remove large parts at once; they run once, on the original case.
  private static let firstPasses: [Pass] = [
    { $0.simplifyEverything() }, { $0.removeNames() }, { $0.deleteElements() },
    { $0.joinSiblings() }, { $0.simplifyRoles() },
  ]

  /// The main passes, which simplify a case.
  ///
  /// Values come before elements: a round without success must retry each deletion on the current
  /// case, so passes that still change the case run first.
  private static let mainPasses: [Pass] = [
    { $0.lowerSettings() }, { $0.orderNames() }, { $0.lowerEqualValues() },
    { $0.lowerValues() }, { $0.lowerPairs(above: 8) }, { $0.sortSiblings() },
    { $0.deleteElements() }, { $0.joinSiblings() }, { $0.liftDescendants() },
  ]

  /// The passes that escape from local minima of the main passes.
  private static let finalPasses: [Pass] = [
    { $0.removeNewcomers() }, { $0.redistributePairs() }, { $0.lowerStubbornValues() },
    { $0.lowerPairs(above: 0) }, { $0.exchangeSpans() }, { $0.foldNeighbours() },
    { $0.deleteAndRenumber() }, { $0.lowerAndDelete() }, { $0.removeNames() },
    { $0.lowerAndSimplifyRest() }, { $0.deleteChoices() },
  ]

  /// The passes of a thorough shrinker, run if the others find no simpler case.
  private static let thoroughPasses: [Pass] = [
    { $0.deletePairs() }, { $0.deleteAndRename() }, { $0.deleteAndRaise() },
  ]

  /// Runs rounds of passes until none finds a simpler case.
  func run() {
    run(Self.firstPasses)
    isFirstRound = false
    var improvements = -1
    while improvements != result.improvements, !isOver {
      improvements = result.improvements
      run(Self.mainPasses)
      if improvements == result.improvements { run(Self.finalPasses) }
      if isThorough, improvements == result.improvements { run(Self.thoroughPasses) }
    }
    if result.improvements == 0, !isOver { confirm() }
    if known.isInconsistent { result.ending = .flaky }
  }

  private func run(_ passes: [Pass]) {
    for pass in passes where !isOver { pass(self) }
  }

  /// Runs a candidate if it is new and simpler; returns whether it became the best sequence.
  func attempt(_ candidate: ChoiceSequence) -> Bool {
    failedUnimproved = false
    guard !isOver, candidate < best, tried.insert(candidate.fingerprint).inserted,
      known.isInconsistent || !known.knows(candidate)
    else { return false }
    guard let (sequence, message) = evaluate(candidate) else { return false }
    guard sequence < best else {
      failedUnimproved = true
      return false
    }
    result.sequence = sequence
    result.message = message
    result.improvements += 1
    tree = SpanTree(sequence)
    progress?(.shrank(choiceCount: sequence.count, evaluations: result.evaluations))
    return true
  }

  /// Runs a candidate; returns the recorded sequence and message if it fails with the same label.
  private func evaluate(_ candidate: ChoiceSequence) -> (ChoiceSequence, String)? {
    guard hasBudget() else { return nil }
    source.restart(replaying: candidate)
    result.evaluations += 1
    let outcome = CaseResult.of(property, &source)
    source.closeAllSpans()
    let sequence = source.sequence
    known.insert(source.events)
    guard case .failed(result.label, let message) = outcome else { return nil }
    return (sequence, message)
  }

  /// Returns whether one more evaluation is allowed, and ends the session otherwise.
  private func hasBudget() -> Bool {
    if result.evaluations >= budget.evaluations {
      result.ending = .outOfEvaluations
      isOver = true
    } else if budget.isPast(deadline) {
      result.ending = .outOfTime
      isOver = true
    }
    return !isOver
  }

  /// Runs the best sequence again, if no other run has confirmed the failure yet.
  private func confirm() {
    if evaluate(best) == nil, !isOver { result.ending = .flaky }
  }
}
