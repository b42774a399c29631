package import Traces

/// All checkers over one trace, with a shared timeline.
///
/// - Complexity: an event costs well under a microsecond in a release build.
package struct CheckerSuite: Sendable {
  /// The set of enabled checkers.
  package enum Scope: Hashable, Sendable, CaseIterable {
    /// The checkers that need no special feature: plans with writes, passes and purges exercise them.
    case core
    /// All checkers, including those for observers, retention, protected authors and history.
    case all
  }
  /// The names of the core checkers, in the order of their verdicts.
  package static let names = names(in: .core)
  private static let allNames = names(in: .all)

  private var timeline: Timeline
  private var core: CoreCheckers
  private var further: FurtherCheckers?
  private var added: AddedCheckers?
  private var hasViolation = false

  /// Creates a suite for a trace with this header, before the first event.
  package init(_ header: TraceHeader, scope: Scope = .core) {
    timeline = Timeline(header)
    core = CoreCheckers(header)
    further = scope == .all ? FurtherCheckers(header) : nil
    added = scope == .all ? AddedCheckers(header) : nil
  }

  /// Creates a suite, and checks a whole trace with it.
  package init(checking trace: Trace, scope: Scope = .core) {
    self.init(trace.header, scope: scope)
    for event in trace.events { observe(event) }
  }

  /// Returns the names of the checkers of a scope, in the order of their verdicts.
  package static func names(in scope: Scope) -> [String] {
    sentences(in: scope).map(\.checker)
  }

  /// Returns the checkers of a scope in order, each with the sentence that states its invariant.
  package static func sentences(in scope: Scope) -> [(checker: String, sentence: String)] {
    guard scope == .all else { return CoreCheckers.all }
    return CoreCheckers.all + FurtherCheckers.all + AddedChecker.all.map { ($0.name, $0.sentence) }
  }

  /// Returns the sentence that states a checker's invariant; `nil` if no checker has the name.
  package static func sentence(of checker: String) -> String? {
    sentences(in: .all).first { $0.checker == checker }?.sentence
  }

  /// Checks the next event.
  package mutating func observe(_ event: Event) {
    timeline.advance(event) { timeline in
      let isCoreBroken = core.observe(event, on: timeline)
      let isFurtherBroken = further?.observe(event, on: timeline) ?? false
      hasViolation = hasViolation || isCoreBroken || isFurtherBroken
    }
    if added?.observe(event) == true { hasViolation = true }
  }

  /// Whether a checker has found a violation; later events cannot change that.
  package var isInvalid: Bool {
    hasViolation && timeline.undecided == nil
  }

  /// The verdict of each checker, in the order of ``names(in:)``; read it after the last event.
  package var verdicts: [(checker: String, verdict: Verdict)] {
    var verdicts: [Verdict] = []
    forEachVerdict { verdicts.append($0) }
    let names = further == nil ? Self.names : Self.allNames
    return zip(names, verdicts).map { ($0, timeline.undecided ?? $1) }
  }

  /// Two sets of invariants: those that were broken, and those that were exercised and not broken.
  ///
  /// Each invariant has one bit, in the order of ``names(in:)``. Read the property after the last event.
  package var conclusion: (broken: UInt64, held: UInt64) {
    guard timeline.undecided == nil else { return (0, 0) }
    var (broken, held, bit): (UInt64, UInt64, UInt64) = (0, 0, 1)
    forEachVerdict { verdict in
      switch verdict {
      case .valid: held |= bit
      case .invalid: broken |= bit
      case .unknown: break
      }
      bit <<= 1
    }
    return (broken, held)
  }

  private func forEachVerdict(_ body: (Verdict) -> Void) {
    core.forEachVerdict(on: timeline, body)
    further?.forEachVerdict(on: timeline, body)
    added?.forEachVerdict(body)
  }

  /// Appends the next command of a plan that is created one command at a time.
  ///
  /// The results of merge policies other than the default depend on what the actors' views (their
  /// first contexts) have read. The suite tracks this only if the plan with which it was created
  /// contains a write with such a policy. Otherwise, no appended command may have such a policy.
  package mutating func append(_ command: Command) { timeline.append(command) }

  /// The invariants that are broken so far, one bit each in the order of ``names(in:)``.
  package var broken: UInt64 {
    guard timeline.undecided == nil else { return 0 }
    let count = CoreCheckers.all.count
    return core.broken | (further?.broken ?? 0) << UInt64(count)
      | (added?.brokenBits ?? 0) << UInt64(count + FurtherCheckers.all.count)
  }

  /// Adds to `state` all data on which later verdicts depend; call this only between two commands.
  ///
  /// `tick` is the simulator's current time (``Event/tick``). The state does not include whether an
  /// invariant was exercised; read that from ``verdicts``.
  package func describe(_ state: inout StateSketch, tick: Int) {
    timeline.describe(&state)
    further?.describe(&state, on: timeline, tick: tick)
    added?.describe(&state)
  }

  /// The first violation in the trace; read it after the last event, or once the trace is invalid.
  package var violation: Violation? {
    let found = verdicts.compactMap { answer -> Violation? in
      if case .invalid(let violation) = answer.verdict { violation } else { nil }
    }
    return found.min { $0.at < $1.at }
  }
}

/// A fold over a trace that checks one invariant.
package protocol Checker: Sendable {
  /// The name of the invariant, as reports print it.
  static var name: String { get }
  /// Creates a checker for a trace with this header, before the first event.
  init(_ header: TraceHeader)
  /// Checks the next event.
  mutating func observe(_ event: Event)
  /// The verdict, after the last event.
  var verdict: Verdict { get }
}

/// A check of one invariant, which reads the state of the trace from a timeline.
///
/// The check observes each event before the timeline applies it; the names in the event are already
/// looked up. All checks share one timeline, so each event is applied only once.
package protocol Invariant: Sendable {
  /// The name of the invariant, as reports print it.
  static var name: String { get }
  /// The rule that the invariant states, as one sentence.
  static var sentence: String { get }
  /// Creates the invariant for a trace with this header, before the first event.
  init(_ header: TraceHeader)
  /// The first violation that was found so far; `nil` if there is none.
  var violation: Violation? { get }
  /// Checks the next event; the timeline does not yet include the event's effects.
  mutating func observe(_ event: Event, on timeline: Timeline)
  /// Returns the verdict, after the last event.
  func verdict(on timeline: Timeline) -> Verdict
}

extension Invariant {
  static func violation(
    at event: Event,
    because: String,
    transaction: TransactionName? = nil
  ) -> Violation {
    Violation(checker: name, at: event.at, because: because, transaction: transaction)
  }
}

/// A checker of a single invariant, with its own timeline.
package struct InvariantChecker<Checked: Invariant>: Checker {
  private var timeline: Timeline
  private var invariant: Checked

  package static var name: String { Checked.name }

  package init(_ header: TraceHeader) {
    timeline = Timeline(header)
    invariant = Checked(header)
  }

  package mutating func observe(_ event: Event) {
    timeline.advance(event) { invariant.observe(event, on: $0) }
  }

  package var verdict: Verdict { timeline.undecided ?? invariant.verdict(on: timeline) }
}

/// The checkers that need no special feature: plans with writes, passes and purges exercise them.
struct CoreCheckers: Sendable {
  /// The names of the checkers and the rules that they check, in the order of the verdicts.
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

  /// Checks the next event, and returns whether any invariant has been broken so far.
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

/// The checkers that need a special feature of the plan or of the system.
///
/// The features are observers, retention, protected authors, signals, power-offs, suspensions, live
/// queries, and answers about history.
///
/// Add a new checker at the end of `all`, the properties, `init`, both halves of `observe`,
/// `broken` and `forEachVerdict`. If a later violation depends on the checker's own state across
/// commands, add that state to `describe`; otherwise exploration merges states that differ. A flag
/// that only says that a plan exercised the checker need not be added. `Timeline.describe` leaves
/// out transactions that were purged after every member had recorded them: a checker that needs
/// them describes them itself. If the violation is a missing event, also extend `omission` in
/// `Reporting/CounterexampleStory.swift`.
struct FurtherCheckers: Sendable {
  /// The names of the checkers and the rules that they check, in the order of the verdicts.
  static let all: [(checker: String, sentence: String)] = [
    (ObserverDelivery.name, ObserverDelivery.sentence),
    (LoudExpiry.name, LoudExpiry.sentence),
    (ProtectedAuthors.name, ProtectedAuthors.sentence),
    (HistoryExplainsData.name, HistoryExplainsData.sentence),
    (TombstoneFidelity.name, TombstoneFidelity.sentence),
    (Reclaim.name, Reclaim.sentence),
    (Durability.name, Durability.sentence),
    (WakeUp.name, WakeUp.sentence),
    (NoLockWhileSuspended.name, NoLockWhileSuspended.sentence),
    (LiveQueries.name, LiveQueries.sentence),
  ]

  private(set) var observerDelivery: ObserverDelivery
  private(set) var loudExpiry: LoudExpiry
  private(set) var protectedAuthors: ProtectedAuthors
  private(set) var historyExplainsData: HistoryExplainsData
  private(set) var tombstoneFidelity: TombstoneFidelity
  private(set) var reclaim: Reclaim
  private(set) var durability: Durability
  private(set) var wakeUp: WakeUp
  private(set) var noLockWhileSuspended: NoLockWhileSuspended
  private(set) var liveQueries: LiveQueries

  init(_ header: TraceHeader) {
    observerDelivery = ObserverDelivery(header)
    loudExpiry = LoudExpiry(header)
    protectedAuthors = ProtectedAuthors(header)
    historyExplainsData = HistoryExplainsData(header)
    tombstoneFidelity = TombstoneFidelity(header)
    reclaim = Reclaim(header)
    durability = Durability(header)
    wakeUp = WakeUp(header)
    noLockWhileSuspended = NoLockWhileSuspended(header)
    liveQueries = LiveQueries(header)
  }

  /// Checks the next event, and returns whether any invariant has been broken so far.
  mutating func observe(_ event: Event, on timeline: Timeline) -> Bool {
    observerDelivery.observe(event, on: timeline)
    loudExpiry.observe(event, on: timeline)
    protectedAuthors.observe(event, on: timeline)
    historyExplainsData.observe(event, on: timeline)
    tombstoneFidelity.observe(event, on: timeline)
    reclaim.observe(event, on: timeline)
    durability.observe(event, on: timeline)
    wakeUp.observe(event, on: timeline)
    noLockWhileSuspended.observe(event, on: timeline)
    liveQueries.observe(event, on: timeline)
    return observerDelivery.violation != nil
      || loudExpiry.violation != nil
      || protectedAuthors.violation != nil
      || historyExplainsData.violation != nil
      || tombstoneFidelity.violation != nil
      || reclaim.violation != nil
      || durability.violation != nil
      || wakeUp.violation != nil
      || noLockWhileSuspended.violation != nil
      || liveQueries.violation != nil
  }

  /// The invariants that are broken so far, one bit each in the order of the verdicts.
  var broken: UInt64 {
    CoreCheckers.bits([
      observerDelivery.violation != nil, loudExpiry.violation != nil,
      protectedAuthors.violation != nil, historyExplainsData.violation != nil,
      tombstoneFidelity.violation != nil, reclaim.violation != nil,
      durability.violation != nil, wakeUp.violation != nil,
      noLockWhileSuspended.violation != nil,
      liveQueries.violation != nil,
    ])
  }

  /// Adds to `state` all data on which later verdicts depend.
  ///
  /// `tick` is the simulator's current time (``Event/tick``).
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
    body(noLockWhileSuspended.verdict(on: timeline))
    body(liveQueries.verdict(on: timeline))
  }
}

/// The order in which reports show several broken invariants.
package enum ViolationOrder {
  /// The invariants that are most harmful to break, most harmful first; all others rank last.
  private static let names = [
    "PurgeSafety", "NoLostTransaction", "Convergence", "MergeOrder", "CursorProgress",
  ]

  /// Returns the items sorted by their invariants, in the order of `names`: most harmful first.
  ///
  /// `checker` returns the name of an item's invariant. Items whose invariants are not in `names`
  /// come last, in their original order.
  package static func mostSpecificFirst<Item>(
    _ items: [Item],
    by checker: (Item) -> String
  ) -> [Item] {
    func rank(_ item: Item) -> Int {
      names.firstIndex(of: checker(item)) ?? names.count
    }
    return items.enumerated().sorted {
      (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
    }.map(\.element)
  }
}
