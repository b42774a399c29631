/// One shrinking under way: the best sequence so far, and what was tried.
final class ShrinkSession {
  typealias Property = (inout ChoiceSource) throws -> CaseResult
  private typealias Pass = @Sendable (ShrinkSession) -> Void

  private(set) var result: ShrinkResult
  /// How the spans of the best sequence hang together.
  private(set) var tree: SpanTree
  /// The candidates that were looked at before.
  private var tried: Set<UInt64> = []
  /// The cases that were run before.
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

  /// Whether the last candidate failed with the same label, but came to a case that is not simpler.
  private(set) var failedUnimproved = false

  /// Whether the first passes run, when much is still to be taken out.
  private(set) var isFirstRound = true

  /// Whether nothing more may be tried.
  private(set) var isOver = false

  /// The passes that take out much at once; they run once, on the case as it was found.
  private static let firstPasses: [Pass] = [
    { $0.simplifyEverything() }, { $0.removeNames() }, { $0.deleteElements() },
    { $0.joinSiblings() }, { $0.simplifyRoles() },
  ]

  /// The passes that make a case simpler.
  ///
  /// Values come before elements: a round that finds nothing must try each deletion again on the
  /// case as it is then, so that whatever still changes the case should have had its turn.
  private static let mainPasses: [Pass] = [
    { $0.lowerSettings() }, { $0.orderNames() }, { $0.lowerEqualValues() },
    { $0.lowerValues() }, { $0.lowerPairs(above: 8) }, { $0.sortSiblings() },
    { $0.deleteElements() }, { $0.joinSiblings() }, { $0.liftDescendants() },
  ]

  /// The passes that lead out of what is a minimum for the main ones only.
  private static let finalPasses: [Pass] = [
    { $0.removeNewcomers() }, { $0.redistributePairs() }, { $0.lowerStubbornValues() },
    { $0.lowerPairs(above: 0) }, { $0.exchangeSpans() }, { $0.foldNeighbours() },
    { $0.deleteAndRenumber() }, { $0.lowerAndDelete() }, { $0.removeNames() },
    { $0.lowerAndSimplifyRest() }, { $0.deleteChoices() },
  ]

  /// The passes that run where the others find nothing and the shrinker is thorough.
  private static let thoroughPasses: [Pass] = [
    { $0.deletePairs() }, { $0.deleteAndRename() }, { $0.deleteAndRaise() },
  ]

  /// Runs rounds of passes until none finds anything simpler.
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

  /// Runs a candidate unless it is known or not simpler; returns whether it became the best.
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

  /// Runs a candidate; returns what it came to if the property fails with the same label.
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

  /// Tells whether one more evaluation is allowed, and ends the session if not.
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

  /// Runs the best sequence again, as nothing has shown yet that it fails a second time.
  private func confirm() {
    if evaluate(best) == nil, !isOver { result.ending = .flaky }
  }
}
