import Traces

/// The checkers that need special features of a plan or of a system.
///
/// These are observers, retention, protected authors, signals, power-offs, and answers about
/// history.
struct FurtherCheckers: Sendable {
  /// The names and the rules, in the order of the verdicts.
  static let all: [(checker: String, sentence: String)] = [
    (ObserverDelivery.name, ObserverDelivery.sentence),
    (LoudExpiry.name, LoudExpiry.sentence),
    (ProtectedAuthors.name, ProtectedAuthors.sentence),
    (HistoryExplainsData.name, HistoryExplainsData.sentence),
    (TombstoneFidelity.name, TombstoneFidelity.sentence),
    (Reclaim.name, Reclaim.sentence),
    (Durability.name, Durability.sentence),
    (WakeUp.name, WakeUp.sentence),
  ]

  private(set) var observerDelivery: ObserverDelivery
  private(set) var loudExpiry: LoudExpiry
  private(set) var protectedAuthors: ProtectedAuthors
  private(set) var historyExplainsData: HistoryExplainsData
  private(set) var tombstoneFidelity: TombstoneFidelity
  private(set) var reclaim: Reclaim
  private(set) var durability: Durability
  private(set) var wakeUp: WakeUp

  init(_ header: TraceHeader) {
    observerDelivery = ObserverDelivery(header)
    loudExpiry = LoudExpiry(header)
    protectedAuthors = ProtectedAuthors(header)
    historyExplainsData = HistoryExplainsData(header)
    tombstoneFidelity = TombstoneFidelity(header)
    reclaim = Reclaim(header)
    durability = Durability(header)
    wakeUp = WakeUp(header)
  }

  /// Checks the next event, and returns whether an invariant is broken so far.
  mutating func observe(_ event: Event, on timeline: Timeline) -> Bool {
    observerDelivery.observe(event, on: timeline)
    loudExpiry.observe(event, on: timeline)
    protectedAuthors.observe(event, on: timeline)
    historyExplainsData.observe(event, on: timeline)
    tombstoneFidelity.observe(event, on: timeline)
    reclaim.observe(event, on: timeline)
    durability.observe(event, on: timeline)
    wakeUp.observe(event, on: timeline)
    return observerDelivery.violation != nil
      || loudExpiry.violation != nil
      || protectedAuthors.violation != nil
      || historyExplainsData.violation != nil
      || tombstoneFidelity.violation != nil
      || reclaim.violation != nil
      || durability.violation != nil
      || wakeUp.violation != nil
  }

  /// The invariants that are broken so far, one bit each in the order of the verdicts.
  var broken: UInt64 {
    CoreCheckers.bits([
      observerDelivery.violation != nil, loudExpiry.violation != nil,
      protectedAuthors.violation != nil, historyExplainsData.violation != nil,
      tombstoneFidelity.violation != nil, reclaim.violation != nil,
      durability.violation != nil, wakeUp.violation != nil,
    ])
  }

  /// Adds all state that later verdicts depend on; `tick` is the current one.
  func describe(_ state: inout StateSketch, on timeline: Timeline, tick: Int) {
    observerDelivery.describe(&state, on: timeline)
    loudExpiry.describe(&state)
    historyExplainsData.describe(&state)
    tombstoneFidelity.describe(&state, on: timeline)
    if state.includesLosses { durability.describe(&state, on: timeline) }
    wakeUp.describe(&state, on: timeline, tick: tick)
  }

  /// Calls a closure with the verdict of each checker, in the order of ``all``.
  func forEachVerdict(on timeline: Timeline, _ body: (Verdict) -> Void) {
    body(observerDelivery.verdict(on: timeline))
    body(loudExpiry.verdict(on: timeline))
    body(protectedAuthors.verdict(on: timeline))
    body(historyExplainsData.verdict(on: timeline))
    body(tombstoneFidelity.verdict(on: timeline))
    body(reclaim.verdict(on: timeline))
    body(durability.verdict(on: timeline))
    body(wakeUp.verdict(on: timeline))
  }
}
