/// A shrinker that simplifies a failing case by a search for a local minimum.
///
/// A candidate is an edit of the simplest failing sequence so far. The property runs on it, and the
/// candidate is accepted if the property fails with the same label and the choices actually drawn
/// are simpler (in the order of `ChoiceSequence`). Passes that change the structure come first:
/// they delete elements, join lists and lift subtrees. Then values are lowered, alone, together and
/// in pairs, and neighbors are sorted. Rounds of all passes continue until a round finds no
/// improvement. No candidate is run twice.
///
/// The result is then a local minimum: deleting any one element, or lowering any one value, gives
/// no simpler case with the same label. Lowering a value tries the simplest value, the next simpler
/// one, and half the distance from the simplest value. If there are at most eight simpler values,
/// each of them is tried.
package struct Shrinker: Sendable {
  /// The limits of shrinking.
  package var budget: Budget
  /// The maximum number of choices that a tried case may draw freely.
  ///
  /// All choices after them have their simplest value.
  package var choiceCountMax: Int
  /// Whether to try pairs of edits when no single edit makes the case simpler.
  ///
  /// The pairs are: two deleted elements, or a deleted element and a changed name or raised number.
  /// Set this for short plans with cheap runs; it may cost several hundred additional evaluations.
  /// The default is `false`.
  package var isThorough = false
  private let deadline: Duration?

  package init(budget: Budget = Budget(), choiceCountMax: Int = 65_536) {
    self.init(budget: budget, deadline: budget.deadline(), choiceCountMax: choiceCountMax)
  }

  init(budget: Budget, deadline: Duration?, choiceCountMax: Int) {
    self.budget = budget
    self.deadline = deadline
    self.choiceCountMax = choiceCountMax
  }

  /// Shrinks a failing sequence to a simpler one whose failure has the same label.
  ///
  /// If no simpler case fails with `label`, the sequence itself is run once more, unless the limit
  /// of evaluations or of time is reached. If that run does not fail with `label` either, the
  /// result is `flaky`.
  package func shrink(
    _ sequence: ChoiceSequence,
    label: String,
    message: String = "",
    progress: ((PropertyRunner.Step) -> Void)? = nil,
    _ property: (inout ChoiceSource) throws -> CaseResult
  ) -> ShrinkResult {
    withoutActuallyEscaping(property) { property in
      let session = ShrinkSession(
        ShrinkResult(sequence: sequence, label: label, message: message),
        budget: budget,
        deadline: deadline,
        choiceCountMax: choiceCountMax,
        isThorough: isThorough,
        progress: progress,
        property
      )
      session.run()
      return session.result
    }
  }
}

/// The simplest failing case that shrinking found, and the reason for which shrinking stopped.
public struct ShrinkResult: Sendable {
  /// The reason for which shrinking stopped.
  public enum Ending: Hashable, Sendable {
    /// A whole round of all passes found no simpler case: the case is a local minimum.
    case fixedPoint
    /// The maximum number of evaluations was reached; simpler cases may exist.
    case outOfEvaluations
    /// The time limit was reached; simpler cases may exist.
    case outOfTime
    /// The property gave different results for the same choices; the case may not fail again.
    case flaky
  }

  /// The choices of the case.
  public internal(set) var sequence: ChoiceSequence
  /// The label of the failure, the same as before shrinking.
  public let label: String
  /// The failure message of the case.
  public internal(set) var message: String
  /// The number of times that the property was called, including the call that found the failure.
  public internal(set) var evaluations = 1
  /// The number of times that a simpler case was found.
  public internal(set) var improvements = 0
  /// The reason for which shrinking stopped.
  public internal(set) var ending = Ending.fixedPoint
}

/// The state of a shrinking process: the best sequence so far, and the candidates already tried.
final class ShrinkSession {
  typealias Property = (inout ChoiceSource) throws -> CaseResult
  private typealias Pass = @Sendable (ShrinkSession) -> Void

  private(set) var result: ShrinkResult
  /// The structure of the spans of the best sequence.
  private(set) var tree: SpanTree
  /// The fingerprints of all candidates so far, including those that were not run.
  private var tried: Set<UInt64> = []
  /// The test cases that were run so far.
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

  /// Whether the last candidate kept the failure, but the choices that it drew were not simpler.
  ///
  /// Only ``liftDescendants()`` uses the value: it then tries a second edit of that candidate.
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
  /// Passes over values come before passes over elements, so that each deletion is tried on values
  /// that no longer change.
  private static let mainPasses: [Pass] = [
    { $0.lowerSettings() }, { $0.orderNames() }, { $0.lowerEqualValues() },
    { $0.lowerValues() }, { $0.lowerPairs(above: 8) }, { $0.sortSiblings() },
    { $0.deleteElements() }, { $0.joinSiblings() }, { $0.liftDescendants() },
  ]

  /// The passes that find simpler cases where the main passes find none.
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
