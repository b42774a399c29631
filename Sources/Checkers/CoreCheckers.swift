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

  func verdicts(on timeline: Timeline) -> [(checker: String, verdict: Verdict)] {
    [
      (Convergence.name, convergence.verdict(on: timeline)),
      (PurgeSafety.name, purgeSafety.verdict(on: timeline)),
      (NoLostTransaction.name, noLostTransaction.verdict(on: timeline)),
      (MergeOrder.name, mergeOrder.verdict(on: timeline)),
      (CursorProgress.name, cursorProgress.verdict(on: timeline)),
    ]
  }
}
