/// Makes a failing case as simple as it gets: the room's search for a local minimum.
///
/// A candidate is the best sequence so far with an edit, regenerated: it counts when the property
/// fails on it with the same label and what was really drawn is simpler (`ChoiceSequence`'s order).
/// Passes that change the structure come first: elements are deleted in runs whose length is
/// searched for, lists joined, subtrees lifted; then values are lowered, alone, together, in pairs;
/// then neighbours are put in order. Rounds of all passes go on until one finds nothing. No
/// candidate is run twice.
///
/// The result then is a local minimum: deleting any one element, or lowering any one value (to the
/// simplest, to the next nearer one, to half its distance; to every simpler one where there are at
/// most eight), gives no simpler case that fails with the same label.
public struct Shrinker: Sendable {
  /// How much work shrinking may do.
  public var budget: Budget
  /// After so many choices of a candidate every further one is the simplest.
  public var choiceCountMax: Int
  /// Whether to go on where no single edit makes the case simpler: any two elements are deleted at
  /// once, and any one while any name gets another value.
  ///
  /// For short plans whose runs are cheap; it may cost some hundred evaluations more.
  public var isThorough = false
  private let deadline: Duration?

  /// Makes a shrinker.
  public init(budget: Budget = Budget(), choiceCountMax: Int = 65_536) {
    self.init(budget: budget, deadline: budget.deadline(), choiceCountMax: choiceCountMax)
  }

  init(budget: Budget, deadline: Duration?, choiceCountMax: Int) {
    self.budget = budget
    self.deadline = deadline
    self.choiceCountMax = choiceCountMax
  }

  /// Shrinks a sequence on which the property fails with a label.
  ///
  /// If nothing simpler fails, the sequence itself is run once more, and a property that does not
  /// fail again is called flaky.
  public func shrink(
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
