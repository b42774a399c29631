import Traces

/// The checkers that every plan with writes, passes and purges exercises.
struct CoreCheckers: Sendable {
  /// The names and the rules, in the order of the verdicts.
  static let all: [(checker: String, sentence: String)] = [
    (Convergence.name, Convergence.sentence),
    (PurgeSafety.name, PurgeSafety.sentence),
    (NoLostTransaction.name, NoLostTransaction.sentence),
    (MergeOrder.name, MergeOrder.sentence),
    (CursorProgress.name, CursorProgress.sentence),
  ]

  private(set) var convergence: Convergence
  private(set) var purgeSafety: PurgeSafety
  private(set) var noLostTransaction: NoLostTransaction
  private(set) var mergeOrder: MergeOrder
  private(set) var cursorProgress: CursorProgress

  init(_ header: TraceHeader) {
    convergence = Convergence(header)
    purgeSafety = PurgeSafety(header)
    noLostTransaction = NoLostTransaction(header)
    mergeOrder = MergeOrder(header)
    cursorProgress = CursorProgress(header)
  }

  /// Checks the next event, and returns whether an invariant is broken so far.
  mutating func observe(_ event: Event, on timeline: Timeline) -> Bool {
    convergence.observe(event, on: timeline)
    purgeSafety.observe(event, on: timeline)
    noLostTransaction.observe(event, on: timeline)
    mergeOrder.observe(event, on: timeline)
    cursorProgress.observe(event, on: timeline)
    return convergence.violation != nil
      || purgeSafety.violation != nil
      || noLostTransaction.violation != nil
      || mergeOrder.violation != nil
      || cursorProgress.violation != nil
  }

  /// The invariants that are broken so far, one bit each in the order of the verdicts.
  var broken: UInt64 {
    Self.bits([
      convergence.violation != nil, purgeSafety.violation != nil,
      noLostTransaction.violation != nil, mergeOrder.violation != nil,
      cursorProgress.violation != nil,
    ])
  }

  /// Returns one bit for each flag, the first one lowest.
  static func bits(_ flags: [Bool]) -> UInt64 {
    flags.enumerated().reduce(0) { $1.element ? $0 | 1 << UInt64($1.offset) : $0 }
  }

  /// Calls a closure with the verdict of each checker, in the order of ``all``.
  func forEachVerdict(on timeline: Timeline, _ body: (Verdict) -> Void) {
    body(convergence.verdict(on: timeline))
    body(purgeSafety.verdict(on: timeline))
    body(noLostTransaction.verdict(on: timeline))
    body(mergeOrder.verdict(on: timeline))
    body(cursorProgress.verdict(on: timeline))
  }
}
