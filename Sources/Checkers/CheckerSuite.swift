package import Traces

/// All checkers over one trace, with what they share folded once.
///
/// - Complexity: an event costs well under a microsecond in a release build.
package struct CheckerSuite: Sendable {
  /// The names of the checkers, in the order of their verdicts.
  package static let names = [
    Convergence.name, PurgeSafety.name, NoLostTransaction.name, MergeOrder.name,
    CursorProgress.name, ObserverDelivery.name, LoudExpiry.name, ProtectedAuthors.name,
    HistoryExplainsData.name, TombstoneFidelity.name, Reclaim.name,
  ]

  private var timeline: Timeline
  private var convergence: Convergence
  private var purgeSafety: PurgeSafety
  private var noLostTransaction: NoLostTransaction
  private var mergeOrder: MergeOrder
  private var cursorProgress: CursorProgress
  private var observerDelivery: ObserverDelivery
  private var loudExpiry: LoudExpiry
  private var protectedAuthors: ProtectedAuthors
  private var historyExplainsData: HistoryExplainsData
  private var tombstoneFidelity: TombstoneFidelity
  private var reclaim: Reclaim

  /// Starts before the first event of a trace with this header.
  package init(_ header: TraceHeader) {
    timeline = Timeline(header)
    convergence = Convergence(header)
    purgeSafety = PurgeSafety(header)
    noLostTransaction = NoLostTransaction(header)
    mergeOrder = MergeOrder(header)
    cursorProgress = CursorProgress(header)
    observerDelivery = ObserverDelivery(header)
    loudExpiry = LoudExpiry(header)
    protectedAuthors = ProtectedAuthors(header)
    historyExplainsData = HistoryExplainsData(header)
    tombstoneFidelity = TombstoneFidelity(header)
    reclaim = Reclaim(header)
  }

  /// Checks a whole trace.
  package init(checking trace: Trace) {
    self.init(trace.header)
    for event in trace.events { observe(event) }
  }

  /// Takes the next event in.
  package mutating func observe(_ event: Event) {
    timeline.resolve(event)
    convergence.observe(event, on: timeline)
    purgeSafety.observe(event, on: timeline)
    mergeOrder.observe(event, on: timeline)
    cursorProgress.observe(event, on: timeline)
    observerDelivery.observe(event, on: timeline)
    loudExpiry.observe(event, on: timeline)
    protectedAuthors.observe(event, on: timeline)
    historyExplainsData.observe(event, on: timeline)
    tombstoneFidelity.observe(event, on: timeline)
    reclaim.observe(event, on: timeline)
    timeline.apply(event)
  }

  /// Whether an invariant is broken already, whatever comes: a run that only asks that can stop.
  package var isInvalid: Bool {
    let isBroken =
      convergence.violation != nil || purgeSafety.violation != nil
      || mergeOrder.violation != nil || cursorProgress.violation != nil
      || observerDelivery.violation != nil || loudExpiry.violation != nil
      || protectedAuthors.violation != nil || historyExplainsData.violation != nil
      || tombstoneFidelity.violation != nil || reclaim.violation != nil
    return isBroken && timeline.undecided == nil
  }

  /// The answer of each checker, in the order of ``names``; asked after the last event.
  package var verdicts: [(checker: String, verdict: Verdict)] {
    [
      answer(convergence), answer(purgeSafety), answer(noLostTransaction), answer(mergeOrder),
      answer(cursorProgress), answer(observerDelivery), answer(loudExpiry),
      answer(protectedAuthors), answer(historyExplainsData), answer(tombstoneFidelity),
      answer(reclaim),
    ]
  }

  /// The first violation in the trace; asked after the last event, or once it is invalid.
  package var violation: Violation? {
    let found = verdicts.compactMap { answer -> Violation? in
      if case .invalid(let violation) = answer.verdict { violation } else { nil }
    }
    return found.min { $0.at < $1.at }
  }

  /// How often a cursor was reset to nothing.
  package var cursorResetCount: Int { cursorProgress.resetCount }

  private func answer(_ invariant: some Invariant) -> (checker: String, verdict: Verdict) {
    (type(of: invariant).name, timeline.undecided ?? invariant.verdict(on: timeline))
  }
}
