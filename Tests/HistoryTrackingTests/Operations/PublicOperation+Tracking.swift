import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts

extension PublicOperation {
  /// The operations of trackers.
  static var tracking: [PublicOperation] {
    [
      PublicOperation(
        "HistoryTracker.start()",
        hasSteps: true,
        on: { $0.tracker() },
        { tracker in
          try await tracker.start()
          return try tracker.contexts[0].knowledge
        }
      ),
      PublicOperation("HistoryTracker.start()", hasSteps: true, on: stoppedTracker) { tracker in
        try await tracker.start()
        return try tracker.contexts[0].knowledge
      },
      PublicOperation(
        "HistoryTracker.pass()",
        hasSteps: true,
        on: { try await $0.startedTracker() },
        { tracker in
          try await tracker.pass()
          return try tracker.contexts[0].knowledge
        }
      ),
      PublicOperation("HistoryTracker.purge()", hasSteps: true, on: passedTracker) { tracker in
        "through \(try await tracker.purge().purgedThrough)"
      },
      PublicOperation(
        "HistoryTracker.retire()",
        on: { try await $0.startedTracker() },
        { tracker in
          try await tracker.retire()
          return "retired"
        }
      ),
      PublicOperation(
        "HistoryTracker.resync()",
        on: { try await $0.startedTracker() },
        { tracker in
          try await tracker.resync()
          return try tracker.contexts[0].knowledge
        }
      ),
      PublicOperation(
        "DefaultMerger.merge(_: [HistoryTransaction], into: [ObjectContext])",
        on: foreignHistory
      ) { history in
        try DefaultMerger().merge(history.transactions, into: [history.context])
        return try history.context.knowledge
      },
      PublicOperation(
        "ObjectDeduplicator.deduplicate(_: [HistoryTransaction], in: [ObjectContext])",
        hasSteps: true,
        on: duplicates
      ) { history in
        let store = history.context.store
        try ObjectDeduplicator(store: store, entity: "Item", by: ["title"])
          .deduplicate(history.transactions, in: [])
        return "deduplicated"
      },
    ]
  }

  /// The operations that change only the tracker.
  static var hooks: [PublicOperation] {
    [
      PublicOperation(
        "HistoryTracker.init(_: MemberID, container: StoreContainer)",
        isQuiet: true,
        on: container,
        { try HistoryTracker("app", container: $0).store.path }
      ),
      PublicOperation(
        "HistoryTracker.registerObserver(entity: String, operation: ChangeType, "
          + "callback: HookCallback)",
        isQuiet: true,
        on: { $0.tracker() },
        { tracker in
          try await tracker.registerObserver(entity: "Item", operation: .insert) { _ in }
          return "registered"
        }
      ),
      PublicOperation(
        "HistoryTracker.removeObserver(entity: String, operation: ChangeType)",
        isQuiet: true,
        on: { $0.tracker() },
        { tracker in
          try await tracker.removeObserver(entity: "Item", operation: .insert)
          return "removed"
        }
      ),
      PublicOperation(
        "HistoryTracker.registerMergeHook(callback: MergeHookCallback)",
        isQuiet: true,
        on: { $0.tracker() },
        { tracker in
          try await tracker.registerMergeHook { _ in .proceed }
          return "registered"
        }
      ),
    ]
  }

  /// A tracker whose actor was launched before, and was down while others wrote.
  private static func stoppedTracker(_ world: OperationWorld) async throws -> HistoryTracker {
    let tracker = try await world.startedTracker()
    await tracker.stop()
    return tracker
  }

  /// A tracker that has merged everything; then the other member has read everything too.
  private static func passedTracker(_ world: OperationWorld) async throws -> HistoryTracker {
    let tracker = try await world.startedTracker()
    try await tracker.pass()
    try world.writer.record(world.member, through: world.writer.currentToken())
    return tracker
  }

  /// Two groups of objects that others inserted twice.
  private static func duplicates(_ world: OperationWorld) throws -> ForeignHistory {
    let context = try world.loadedContext()
    let head = try world.writer.currentToken()
    try world.writer.insertItems(["a", "c", "a"], by: "share")
    let written = Array(try world.writer.fetch(HistoryRequest(after: head)).transactions)
    return ForeignHistory(context: context, transactions: written)
  }

  /// Every public operation of the store, contexts and trackers in which the lab can inject
  /// failures.
  static let all =
    reading + opening + batches + purging + members + consumers + contexts + queries + pins + undos
    + references
    + containers
    + suspensions + tracking + hooks
}
