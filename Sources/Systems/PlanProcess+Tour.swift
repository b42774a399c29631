import DiskScripts
import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import Synchronization
import Traces

/// The plan's request `tour`, which runs the tracker of an additional member, "tourist".
extension PlanProcess {
  /// Runs a tracker through launch, passes, stop, resync and retirement.
  ///
  /// Returns lines about the tracker's reports, hook calls, log messages and merged objects.
  ///
  /// The tracker starts at `date`, as if PersistentHistoryTrackingKit had stored this date for the
  /// member, and merges the transactions from then on. If `date` is `nil`, or history after `date`
  /// may already have been purged, the tracker starts at the newest transaction, and merges none.
  /// The tracker saves no objects.
  func tour(
    _ query: PlannedQuery,
    from date: Date?,
    _ planStore: PlanStore
  ) throws(HistoryError) -> [String] {
    let executor = InlineExecutor()
    let log = TourLog()
    var configuration = TrackerConfiguration(currentAuthor: Self.tourist.name, strategy: .none)
    configuration.allAuthors = Set([planStore.header.actors.first?.author].compactMap(\.self))
    configuration.kitCursors = date.map {
      KitCursors([KitCursors.standardPrefix + Self.tourist.name: $0])
    }
    configuration.pageTransactionCountMax = query.page
    configuration.logger = log
    configuration.logLevel = .debug
    configuration.executor = executor
    configuration.clock = TrackerClock(now: { .zero }, sleep: { _ in })
    let (signals, continuation) = AsyncStream.makeStream(of: HistoryToken.self)
    configuration.signals = { _ in signals }
    let context = ObjectContext(
      store: store,
      author: Self.tourist.name,
      name: "tour",
      retainsRegisteredObjects: true
    )
    let tracker = HistoryTracker(
      Self.tourist,
      store: store,
      contexts: [context],
      configuration: configuration
    )
    let (objects, model, head) = (planStore.objects, store.model, try store.currentToken())
    var lines: [String]
    do throws(HistoryError) {
      lines = try executor.wait { () -> Result<[String], HistoryError> in
        await result { () async throws(HistoryError) -> [String] in
          try await Self.script(of: tracker, log, objects, model, head)
        }
      }
    } catch {
      lines = ["fails with \(error.code)"]
    }
    continuation.finish()
    executor.runAll()
    if try !store.forget(Self.tourist) { lines.append("the tracker's member was not registered") }
    var held: [String] = []
    for entity in store.model.entities {
      held += try context.objects(entity.name).map {
        planStore.objects.name($0.id, in: store.model).description
      }
    }
    return lines + log.lines + held.sorted().map { "has \($0)" }
  }

  private static let tourist: MemberID = "tourist"

  private static func script(
    of tracker: HistoryTracker,
    _ log: TourLog,
    _ objects: PlanObjects,
    _ model: Model,
    _ head: HistoryToken
  ) async throws(HistoryError) -> [String] {
    // A released copy is kept, because the registration itself would hold the member's lock.
    let first = try await tracker.launch().released
    var lines = ["at \(first.cursor.number)" + (first.isNew ? ", new" : "")]
    let calls = TourCalls()
    var hooks: [HookID] = []
    for entity in model.entities {
      for operation in ChangeType.allCases {
        hooks.append(
          try await tracker.registerObserver(entity: entity.name, operation: operation) { group in
            calls.note(group, objects, model)
          }
        )
      }
    }
    let removed = try await tracker.registerObserver(
      entity: model.entities[0].name,
      operation: .insert
    ) { _ in calls.add("a removed observer is called") }
    let isRemoved = (
      await tracker.removeObserver(id: removed), await tracker.removeObserver(id: removed)
    )
    if isRemoved != (true, false) { lines.append("removed: \(isRemoved)") }
    let last = try await tracker.registerMergeHook { input in
      calls.add("merges \(input.transactions.map(\.number.rawValue))")
      return .proceed
    }
    try await tracker.registerMergeHook(before: last) { input in
      calls.add("before \(input.transactions.map(\.number.rawValue))")
      return .proceed
    }
    let gone = try await tracker.registerMergeHook { _ in
      calls.add("a removed hook is called")
      return .finish
    }
    if !(await tracker.removeMergeHook(id: gone)) { lines.append("a hook is not removed") }
    if await tracker.removeMergeHook(id: gone) { lines.append("a hook is removed twice") }
    let report = try await tracker.start()
    lines.append("\(report)")
    lines.append("numbers \(report.numbers)")
    lines.append("undeclared \(report.undeclaredAuthors.sorted())")
    if report.cursor != head { lines.append("recorded #\(report.cursor?.number ?? -1)") }
    if report.failure != nil || report.purgedThrough != nil || report.purgedCount > 0
      || !report.hookFailures.isEmpty || !report.lostMembers.isEmpty
    {
      lines.append("reports \(report)")
    }
    lines += calls.lines
    calls.reset()
    if !(await tracker.isStarted) { lines.append("the tracker does not follow the store") }
    let again = try await tracker.start()
    if again.transactionCount > 0 || again.pageCount > 0 || again.cursor != head {
      lines.append("again \(again)")
    }
    await tracker.stop()
    if await tracker.isStarted { lines.append("the tracker follows the store after a stop") }
    // A launch after a stop continues from the recorded position.
    let pass = try await tracker.pass()
    if pass.transactionCount > 0 || pass.cursor != head { lines.append("after a stop \(pass)") }
    if await tracker.isStarted { lines.append("the tracker follows the store after a pass") }
    let position = try await tracker.resync()
    if position != head { lines.append("resynced through #\(position.number)") }
    lines += calls.lines.map { "late: \($0)" }
    try await tracker.retire()
    return lines
  }
}

/// The log messages of the additional tracker that ``PlanProcess/tour(_:from:_:)`` runs.
private final class TourLog: TrackerLogger {
  private let messages = Mutex<[String]>([])

  func log(level: TrackerLogLevel, message: String, metadata: [String: String]) {
    // Messages about other members' configurations are left out, because another request covers
    // them; times are left out too.
    let known = ["writes and is not among allAuthors", "follows", "stopped", "read the data again"]
    let subject =
      known.first { message.contains($0) } ?? (message.contains(" in Durations") ? "pass" : nil)
    guard let subject else { return }
    let member = metadata["member"] ?? ""
    messages.withLock { $0.append("\(level.rawValue) of \(member): \(subject)") }
  }

  var lines: [String] { messages.withLock { $0 } }
}

/// The hook calls of the additional tracker that ``PlanProcess/tour(_:from:_:)`` runs.
private final class TourCalls: Sendable {
  private let calls = Mutex<[(number: Int64, text: String)]>([])

  func add(_ text: String) { calls.withLock { $0.append((0, text)) } }

  func reset() { calls.withLock { $0.removeAll() } }

  func note(_ group: [HookContext], _ objects: PlanObjects, _ model: Model) {
    guard let first = group.first else { return add("an observer is called without changes") }
    let names = group.map { objects.name($0.objectID, in: model).description }.sorted()
    let isMixed = group.contains {
      $0.operation != first.operation || $0.entityName != first.entityName
        || $0.transaction.number != first.transaction.number
    }
    if isMixed { add("an observer is called with several kinds of changes") }
    let text =
      "#\(first.transaction.number) \(first.operation.word): \(names.joined(separator: ", "))"
    calls.withLock { $0.append((first.transaction.number.rawValue, text)) }
  }

  /// The hook calls, one line each.
  ///
  /// The lines of observers are sorted, because the order of observers within a transaction is not
  /// specified.
  var lines: [String] {
    let calls = calls.withLock { $0 }
    let observed = calls.filter { $0.number > 0 }
    let numbers = observed.map(\.number)
    return (numbers == numbers.sorted() ? [] : ["observers are called out of order"])
      + observed.map(\.text).sorted() + calls.filter { $0.number == 0 }.map(\.text)
  }
}
