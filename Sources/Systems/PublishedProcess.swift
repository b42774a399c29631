import HistoryStore
import ObjectContexts
import PersistentHistory
import Traces

/// A process with a published manager in it.
final class PublishedProcess: HostedProcess {
  /// The name of the context whose work the article's manager merges although it is its own.
  static let batchContextName = "batchContext"

  let process: PlanProcess
  let setup: PublishedSetup
  /// What was fetched and is not merged yet.
  private(set) var fetched: [HistoryTransaction] = []
  /// What is not merged yet although its date is kept, pass by pass.
  private var dispatched: [[HistoryTransaction]] = []
  /// The transactions of the pass under way, the last of which has the date to keep.
  private(set) var unrecorded: [HistoryTransaction] = []
  var counter = CleanCounter()
  /// How often each hook was called, as far as that decides whether the next call throws.
  private var callCounts: [Int]
  /// Whether no hook throws any more.
  var isHealed = false

  /// Starts the process, which loads its view from the store.
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

  /// Reads what is after a date; what an unfinished pass had fetched is fetched again.
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

  /// Brings everything that waits into every context, transaction by transaction.
  ///
  /// - Returns: what was merged, pass by pass; of two that met the same, each merges it.
  func mergeAll() throws(HistoryError) -> [[HistoryTransaction]] {
    let waiting = fetched.isEmpty && !dispatched.isEmpty ? dispatched : dispatched + [fetched]
    for transaction in waiting.joined() {
      for context in process.contexts { try context.merge(CollectionOfOne(transaction)) }
    }
    dispatched = []
    skipMerge()
    return waiting
  }

  /// Counts what was fetched as dealt with.
  func skipMerge() {
    if !fetched.isEmpty { unrecorded = fetched }
    fetched = []
  }

  /// Leaves the merge to a queue that runs later, although the date is kept now.
  func dispatchMerge() {
    guard !fetched.isEmpty else { return }
    dispatched.append(fetched)
    skipMerge()
  }

  /// Gives up the pass under way: the next one fetches the same again.
  func abandonPass() { (fetched, unrecorded) = ([], []) }

  /// The transactions whose date is to be kept now.
  func takeUnrecorded() -> [HistoryTransaction] {
    defer { unrecorded = [] }
    return unrecorded
  }

  /// Counts a call of a hook, and answers whether it is one of those that go wrong.
  func isTrouble(hook: Int) -> Bool {
    callCounts[hook] = callCounts[hook] % PlannedHook.period + 1
    return !isHealed && setup.hooks[hook].isTrouble(at: callCounts[hook])
  }

  // MARK: Snapshots

  /// What the process has in memory.
  struct Memory {
    let process: PlanProcess.Memory
    let setup: PublishedSetup
    let waiting: (fetched: [HistoryTransaction], dispatched: [[HistoryTransaction]])
    let unrecorded: [HistoryTransaction]
    let counter: CleanCounter
    let callCounts: [Int]
  }

  func memory() throws(SystemFailure) -> Memory {
    Memory(
      process: try process.memory(),
      setup: setup,
      waiting: (fetched, dispatched),
      unrecorded: unrecorded,
      counter: counter,
      callCounts: callCounts
    )
  }

  /// Puts the process back as it was, on a store that was put back.
  init(_ memory: Memory, on store: Store) throws(HistoryError) {
    process = try PlanProcess(memory.process, on: store)
    setup = memory.setup
    (fetched, dispatched) = memory.waiting
    unrecorded = memory.unrecorded
    counter = memory.counter
    callCounts = memory.callCounts
  }

  func end() {}

  func describe(_ state: inout StateSketch) {
    for list in [fetched, unrecorded] + dispatched {
      state.add(list.count)
      for transaction in list { state.add(number: transaction.number) }
    }
    counter.describe(&state)
    for count in callCounts { state.add(count) }
  }
}
