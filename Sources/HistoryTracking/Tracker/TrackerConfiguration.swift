public import HistoryStore
package import HistoryTypes

/// The options of a tracker; the defaults suit an app with extensions.
public struct TrackerConfiguration: Sendable {
  /// The author of the member's own writes; the default `nil` uses the author of its first context.
  public var currentAuthor: String?
  /// All authors that are expected to write to the store; empty if unknown.
  ///
  /// The set does not filter: transactions of other authors are merged as well. Each author that is
  /// missing from the set is logged once, because it was probably forgotten.
  public var allAuthors: Set<String> = []
  /// The authors of processes that only write and have no tracker; the default is none.
  public var batchAuthors: Set<String> = []
  /// A Boolean value that indicates whether transactions of CloudKit's mirror are merged.
  ///
  /// Their authors match `NSCloudKitMirroringDelegate.*`. The default is `true`.
  public var includingCloudKitMirroring = true
  /// The authors whose transactions are neither merged nor passed to hooks.
  ///
  /// A trailing `*` matches any suffix. The default is none.
  public var ignoring: Set<String> = []
  /// The condition under which a pass purges.
  ///
  /// The default is ``PurgeStrategy/whenMerged``.
  public var strategy = PurgeStrategy.whenMerged
  /// The limits beyond which a purge deletes history that a member has not merged.
  ///
  /// The default `nil` expresses no preference: this tracker's purges then keep all unmerged history.
  /// If members request different limits, the loosest limits apply.
  public var retention: RetentionLimits?
  /// The cursors that PersistentHistoryTrackingKit has stored; the default `nil` imports none.
  ///
  /// The first launch of the member starts at the stored cursor of the current author.
  public var kitCursors: KitCursors?
  /// The maximum number of transactions fetched and merged at a time.
  ///
  /// The default is 1000.
  public var pageTransactionCountMax = 1000
  /// A Boolean value that indicates whether a launch and a resync load all objects into the contexts.
  ///
  /// The default is `true`: every context then holds all objects of the store, and merges
  /// register the objects that other contexts insert. With `false`, a context holds only its
  /// registered objects: see ``ObjectContext/retainsRegisteredObjects``. Merges then change only
  /// these objects, and memory is proportional to their number. A context on which the program
  /// calls `loadAll()` holds all objects in either case.
  public var loadsAllObjects = true
  /// A custom merger; the default `nil` uses ``DefaultMerger``.
  public var merger: (any TransactionMerger)?
  /// A deduplicator that runs after each merge; the default `nil` removes no duplicates.
  public var deduplicator: (any TransactionDeduplicator)?
  /// The destination of log messages.
  ///
  /// The default is standard error.
  public var logger: any TrackerLogger = StandardErrorLogger()
  /// The lowest level that is logged; `nil` disables logging.
  ///
  /// The default is ``TrackerLogLevel/info``. With ``TrackerLogLevel/debug``, the result of each
  /// pass that merged transactions is logged too.
  public var logLevel: TrackerLogLevel? = .info
  /// A Boolean value that indicates whether the tracker starts on creation.
  ///
  /// The default is `false`. If this start fails, the error is available in
  /// ``HistoryTracker/failure`` and in the log.
  public var autoStart = false
  /// The clock that measures passes and delays retries.
  package var clock = TrackerClock.continuous
  /// The executor of the tracker and its tasks; `nil` uses the system's threads.
  package var executor: (any SerialExecutor & TaskExecutor)?
  /// A closure that returns a store's signals, as an asynchronous sequence.
  ///
  /// After a signal of new history, the tracker runs a pass, which merges that history.
  package var signals:
    @Sendable (Store) throws(HistoryError) -> any AsyncSequence<HistoryToken, Never> & Sendable =
      { store throws(HistoryError) in try store.changes }

  /// Creates the default configuration.
  public init() {}

  /// Creates a configuration with the most common options.
  ///
  /// - Parameters:
  ///   - currentAuthor: The author of the member's own writes; `nil` uses the author of its first
  ///     context.
  ///   - allAuthors: All authors that are expected to write to the store. The default is empty, for
  ///     unknown.
  ///   - batchAuthors: The authors of processes that only write. The default is none.
  ///   - strategy: The condition under which a pass purges. The default is
  ///     ``PurgeStrategy/whenMerged``.
  public init(
    currentAuthor: String?,
    allAuthors: Set<String> = [],
    batchAuthors: Set<String> = [],
    strategy: PurgeStrategy = .whenMerged
  ) {
    self.currentAuthor = currentAuthor
    self.allAuthors = allAuthors
    self.batchAuthors = batchAuthors
    self.strategy = strategy
  }

  private static let cloudKitMirror = "NSCloudKitMirroringDelegate.*"

  /// Returns whether an author is CloudKit's mirror, or is listed by the configuration.
  func declares(_ author: String) -> Bool {
    author == currentAuthor || allAuthors.contains(author) || batchAuthors.contains(author)
      || AuthorPatterns.match(author, [Self.cloudKitMirror])
  }

  /// The authors whose transactions are not merged.
  var ignoredAuthors: Set<String> {
    includingCloudKitMirroring ? ignoring : ignoring.union([Self.cloudKitMirror])
  }

  /// The options that the store records for each member, to detect differences between members.
  var declaration: MemberConfiguration {
    var declared = MemberConfiguration()
    declared.authors = allAuthors.isEmpty ? nil : allAuthors
    declared.batchAuthors = batchAuthors.isEmpty ? nil : batchAuthors
    declared.ignoredAuthors = ignoredAuthors.isEmpty ? nil : ignoredAuthors
    declared.strategy = strategy.description
    declared.retention = retention
    return declared
  }
}

/// A monotonic clock for measurements and delays of a tracker.
package struct TrackerClock: Sendable {
  /// Returns the time since a fixed but arbitrary start.
  package var now: @Sendable () -> Duration
  /// Waits for a duration; throws if the current task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The system's continuous clock, which advances while the machine sleeps.
  package static let continuous: TrackerClock = {
    let start = ContinuousClock.now
    return TrackerClock(
      now: { ContinuousClock.now - start },
      sleep: { duration in try await Task.sleep(for: duration) }
    )
  }()
}

/// The condition under which a tracker purges after a pass.
///
/// PersistentHistoryTrackingKit: `TransactionCleanStrategy`.
///
/// Under every strategy, a purge removes only history that every member has merged, unless
/// ``TrackerConfiguration/retention`` sets limits.
public enum PurgeStrategy: Sendable, Hashable {
  /// Passes never purge; the program itself calls a purge method of the tracker or of the store.
  case none
  /// Purges after every pass.
  case whenMerged
  /// Purges after a pass if no process has purged the store for the given duration.
  ///
  /// The store keeps the time of the last purge.
  case byDuration(Duration)
  /// Purges after every `times`-th pass of this tracker that found new transactions.
  case byNotification(times: Int)
  /// Purges after a pass if history takes up more than the given share of the store, from 0 to 1.
  case whenLargerThan(share: Double)
}

extension PurgeStrategy: CustomStringConvertible {
  /// The purge strategy as text, in the form that the store records for each member.
  public var description: String {
    switch self {
    case .none: "none"
    case .whenMerged: "whenMerged"
    case .byDuration(let duration): "byDuration(\(duration.inSeconds) s)"
    case .byNotification(let times): "byNotification(\(times))"
    case .whenLargerThan(let share): "whenLargerThan(\(share))"
    }
  }
}
