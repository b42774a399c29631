import Traces

/// The checkers that every plan with writes, passes and purges exercises.
struct CoreCheckers: Sendable {
  /// The names, and what must hold, in the order of the verdicts.
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

  /// Takes the next event in, and answers whether an invariant is broken by now.
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

  /// The invariants that are broken by now, one bit each in the order of the verdicts.
  var broken: UInt64 {
    Self.bits([
      convergence.violation != nil, purgeSafety.violation != nil,
      noLostTransaction.violation != nil, mergeOrder.violation != nil,
      cursorProgress.violation != nil,
    ])
  }

  /// One bit for each yes, the first one lowest.
  static func bits(_ flags: [Bool]) -> UInt64 {
    flags.enumerated().reduce(0) { $1.element ? $0 | 1 << UInt64($1.offset) : $0 }
  }

  /// Tells the answer of each checker, in the order of ``all``.
  func forEachVerdict(on timeline: Timeline, _ body: (Verdict) -> Void) {
    body(convergence.verdict(on: timeline))
    body(purgeSafety.verdict(on: timeline))
    body(noLostTransaction.verdict(on: timeline))
    body(mergeOrder.verdict(on: timeline))
    body(cursorProgress.verdict(on: timeline))
  }
}
