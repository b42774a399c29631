import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

/// A process that runs a published manager.
final class PublishedProcess: HostedProcess {
  /// The name of the context whose own transactions the article's manager merges too.
  static let batchContextName = "batchContext"

  let process: PlanProcess
  let setup: PublishedSetup
  /// The fetched transactions that are not merged yet.
  private(set) var fetched: [HistoryTransaction] = []
  /// The transactions of each pass that are not merged although their date is stored.
  private var dispatched: [[HistoryTransaction]] = []
  /// The transactions of the current pass; the date of the last one is to be stored.
  private(set) var unrecorded: [HistoryTransaction] = []
  var counter = CleanCounter()
  /// The number of calls of each hook within its period, which decides if the next one is special.
  private var callCounts: [Int]
  /// Whether the plan's effects on hooks are disabled, so that none fails or finishes a merge.
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

  /// Fetches the transactions after a date, including those of an unfinished pass.
  func fetch(after date: Date) throws(HistoryError) {
    (fetched, unrecorded) = ([], [])
    var request = HistoryRequest(
      after: date,
      filter: setup.filter,
      transactionCountMax: .max
    )
    request.changeCountMax = .max
    fetched = Array(try process.store.fetch(request).transactions)
  }

  /// Merges all waiting transactions into every context, one by one.
  ///
  /// - Returns: the merged transactions of each pass; a transaction of two passes appears in both.
  func mergeAll() throws(HistoryError) -> [[HistoryTransaction]] {
    let waiting = fetched.isEmpty && !dispatched.isEmpty ? dispatched : dispatched + [fetched]
    for transaction in waiting.joined() {
      for context in process.contexts { try context.merge(CollectionOfOne(transaction)) }
    }
    dispatched = []
    skipMerge()
    return waiting
  }

  /// Treats the fetched transactions as merged.
  func skipMerge() {
    if !fetched.isEmpty { unrecorded = fetched }
    fetched = []
  }

  /// Leaves the merge to a queue that runs later, although the date is stored now.
  func dispatchMerge() {
    guard !fetched.isEmpty else { return }
    dispatched.append(fetched)
    skipMerge()
  }

  /// Abandons the current pass: the next one fetches the same transactions again.
  func abandonPass() { (fetched, unrecorded) = ([], []) }

  /// Removes and returns the merged transactions after which the position is not yet recorded.
  func takeUnrecorded() -> [HistoryTransaction] {
    defer { unrecorded = [] }
    return unrecorded
  }

  /// Counts a call of a hook, and returns whether the plan makes it fail or finish the merge.
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

  /// Restores the process from a snapshot, on a store that was restored too.
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
