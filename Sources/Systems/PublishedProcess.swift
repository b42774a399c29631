import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

/// A process that runs the history manager of a ``TrackingDesign``.
final class PublishedProcess: HostedProcess {
  /// The context name of batch writes.
  ///
  /// If the design has the choice ``Reading/othersAndOwnBatch``, as ``TrackingDesign/article`` has,
  /// a process also merges the transactions of its own author that have this context name.
  static let batchContextName = "batchContext"

  let process: PlanProcess
  let setup: PublishedSetup
  /// The fetched transactions that are not merged yet.
  private(set) var fetched: [HistoryTransaction] = []
  /// For each pass that has postponed its merge, the transactions that still wait for the merge.
  ///
  /// Some designs postpone the merge to store the position first. Their next pass can fetch before
  /// the merge runs, so that several passes can wait.
  private var dispatched: [[HistoryTransaction]] = []
  /// The transactions of the current pass, until the position of the last one is stored.
  private(set) var unrecorded: [HistoryTransaction] = []
  var counter = CleanCounter()
  /// For each hook, the number of calls in the current cycle of ``PlannedHook/period`` calls.
  ///
  /// The number decides whether a call fails.
  private var callCounts: [Int]
  /// Whether the plan's faults are disabled: hooks then neither throw nor replace the default merge.
  var hasRecovered = false

  /// Starts the process, and loads its contexts from the store.
  init(
    _ actor: PlannedActor,
    _ setup: PublishedSetup,
    on store: Store
  ) throws(HistoryError) {
    process = PlanProcess(actor, on: store, batchContextName: Self.batchContextName)
    self.setup = setup
    callCounts = setup.hooks.map { _ in 0 }
    for context in process.contexts { try context.loadAll() }
  }

  // MARK: Steps

  /// Fetches the transactions after a position, or all transactions if there is no position.
  ///
  /// The transaction at the position is fetched too if the design's ``FetchStart`` is `at`. The
  /// transactions of a pass that was not completed are fetched again.
  ///
  /// - Returns: `false` if the design detects that history after the position was purged.
  func fetch(
    after position: StoredPosition?,
    _ design: TrackingDesign
  ) throws(HistoryError) -> Bool {
    (fetched, unrecorded) = ([], [])
    guard let position else {
      fetched = try transactions(after: -.infinity)
      return true
    }
    switch design.position {
    case .date:
      let seconds = position.date.timeIntervalSinceReferenceDate
      fetched = try transactions(after: design.comparison == .at ? seconds.nextDown : seconds)
    case .number:
      if design.ifExpired == .reloads, try isExpired(position) { return false }
      let first = design.comparison == .at ? position.number : position.number + 1
      fetched = try transactions(after: -.infinity).filter { $0.number.rawValue >= first }
    }
    return true
  }

  private func transactions(
    after seconds: Double,
    _ filter: HistoryFilter?
  ) throws(HistoryError) -> [HistoryTransaction] {
    var request = HistoryRequest(
      after: Date(timeIntervalSinceReferenceDate: seconds),
      filter: filter,
      transactionCountMax: .max
    )
    request.changeCountMax = .max
    return Array(try process.store.fetch(request).transactions)
  }

  private func transactions(after seconds: Double) throws(HistoryError) -> [HistoryTransaction] {
    try transactions(after: seconds, setup.filter)
  }

  /// Returns whether a fetch by token would throw, because history after the position was purged.
  private func isExpired(_ position: StoredPosition) throws(HistoryError) -> Bool {
    do throws(HistoryError) {
      _ = try process.store.fetch(HistoryRequest(after: position.token, filter: setup.filter))
      return false
    } catch {
      guard SystemFailure(error).code == .expired else { throw error }
      return true
    }
  }

  /// Loads the contexts again, discards all fetched transactions, and returns the newest position.
  func reload() throws(HistoryError) -> StoredPosition {
    (fetched, unrecorded, dispatched) = ([], [], [])
    for context in process.contexts { try context.loadAll() }
    return try newestPosition()
  }

  /// Returns the position of the newest transaction; its time is 2001-01-01 if history is empty.
  func newestPosition() throws(HistoryError) -> StoredPosition {
    let token = try process.store.currentToken()
    let newest = try transactions(after: -.infinity, nil).last {
      $0.number.rawValue == token.number
    }
    let date = newest?.timestamp ?? Date(timeIntervalSinceReferenceDate: 0)
    return StoredPosition(token: token, date: date)
  }

  // MARK: Purging

  /// Deletes the transactions before a bound, but only those of the authors that `deletes` selects.
  func delete(
    before bound: PurgePoint,
    _ cleaning: PublishedSetup.Cleaning,
    _ deletes: Deleting,
    _ header: PlanHeader
  ) throws(HistoryError) {
    let authors: [String?]?
    switch deletes {
    case .listed, .listedAndMirror: authors = cleaning.listed
    case .everything: authors = nil
    case .allButProtected:
      let kept = header.protectedAuthors + [PublishedSetup.mirrorAuthor]
      let all = Set(try transactions(after: -.infinity, nil).map(\.author))
      authors = all.filter { author in
        author.map { !Self.matches($0, anyOf: kept) } ?? true
      }.sorted { ($0 ?? "") < ($1 ?? "") }
    }
    switch bound {
    case .date(let date): try process.store.deleteHistory(before: date, authors: authors)
    case .number(let number):
      try process.store.deleteHistory(before: TransactionNumber(number), authors: authors)
    }
  }

  private static func matches(_ author: String, anyOf patterns: [String]) -> Bool {
    patterns.contains { pattern in
      pattern.hasSuffix("*") ? author.hasPrefix(pattern.dropLast()) : author == pattern
    }
  }

  /// Returns the positions of the consumers in the store's registry.
  ///
  /// The date of a position is the earliest time of a transaction that the consumer has not read.
  func positions(of consumers: [ActorID]) throws(HistoryError) -> [StoredPosition?] {
    guard !consumers.isEmpty else { return [] }
    let members = try process.store.members().filter { consumers.contains($0.id) }
    let held = try transactions(after: -.infinity, nil)
    let store = try process.store.currentToken().store
    return members.map { member in
      let cursor = member.cursor.rawValue
      let unread = held.filter { $0.number.rawValue > cursor }.map(\.timestamp).min()
      return StoredPosition(
        token: HistoryToken(store: store, number: cursor, mark: 0),
        date: unread ?? Date(timeIntervalSinceReferenceDate: .infinity)
      )
    }
  }

  /// Merges the transactions of postponed merges, and then the fetched ones, into every context.
  ///
  /// Each transaction is merged separately. ``dispatchMerge()`` postpones merges.
  ///
  /// - Returns: the merged transactions of each pass; a transaction that two passes fetched appears
  ///   twice.
  func mergeAll() throws(HistoryError) -> [[HistoryTransaction]] {
    let waiting = fetched.isEmpty && !dispatched.isEmpty ? dispatched : dispatched + [fetched]
    for transaction in waiting.joined() {
      for context in process.contexts { try context.merge(CollectionOfOne(transaction)) }
    }
    dispatched = []
    skipMerge()
    return waiting
  }

  /// Treats the fetched transactions as merged, because a hook has replaced the default merge.
  func skipMerge() {
    if !fetched.isEmpty { unrecorded = fetched }
    fetched = []
  }

  /// Postpones the merge of the fetched transactions, so that their position can be stored first.
  func dispatchMerge() {
    guard !fetched.isEmpty else { return }
    dispatched.append(fetched)
    skipMerge()
  }

  /// Abandons the current pass, so that the next pass fetches the same transactions again.
  func abandonPass() { (fetched, unrecorded) = ([], []) }

  /// Removes and returns the transactions of the current pass, whose position is stored next.
  func takeUnrecorded() -> [HistoryTransaction] {
    defer { unrecorded = [] }
    return unrecorded
  }

  /// Counts a call of a hook, and returns whether the plan lets this call fail.
  ///
  /// The caller then throws, or replaces the default merge if the hook is ``PlannedHook/finish``.
  func fails(hook: Int) -> Bool {
    callCounts[hook] = callCounts[hook] % PlannedHook.period + 1
    return !hasRecovered && setup.hooks[hook].fails(at: callCounts[hook])
  }

  // MARK: Snapshots

  /// A snapshot of the process's memory.
  struct Snapshot {
    let process: PlanProcess.Snapshot
    let setup: PublishedSetup
    let waiting: (fetched: [HistoryTransaction], dispatched: [[HistoryTransaction]])
    let unrecorded: [HistoryTransaction]
    let counter: CleanCounter
    let callCounts: [Int]
  }

  func snapshot() throws(SystemFailure) -> Snapshot {
    Snapshot(
      process: try process.snapshot(),
      setup: setup,
      waiting: (fetched, dispatched),
      unrecorded: unrecorded,
      counter: counter,
      callCounts: callCounts
    )
  }

  /// Creates a process from a snapshot, on a store that is already restored.
  init(_ snapshot: Snapshot, on store: Store) throws(HistoryError) {
    process = try PlanProcess(snapshot.process, on: store)
    setup = snapshot.setup
    (fetched, dispatched) = snapshot.waiting
    unrecorded = snapshot.unrecorded
    counter = snapshot.counter
    callCounts = snapshot.callCounts
  }

  func end() {}

  func describe(_ state: inout StateSketch) {
    for list in [fetched, unrecorded] + dispatched {
      state.add(list.count)
      for transaction in list { state.add(number: transaction.number.rawValue) }
    }
    counter.describe(&state)
    for count in callCounts { state.add(count) }
  }
}
