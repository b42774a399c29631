public import HistoryStore
package import PersistentHistory

/// How a tracker works; the defaults are for an app with extensions.
public struct TrackerConfiguration: Sendable {
  /// The author of the actor's own writes; without one, that of its first context.
  public var currentAuthor: String?
  /// Every author that is known to write to the store, or nothing if that is not known.
  ///
  /// It filters nothing: what others write is merged as well, and told once, because somebody has
  /// forgotten to name them.
  public var allAuthors: Set<String> = []
  /// Authors that only write, whose processes have no tracker.
  public var batchAuthors: Set<String> = []
  /// Whether the transactions of CloudKit's mirror (`NSCloudKitMirroringDelegate.*`) are merged.
  public var includingCloudKitMirroring = true
  /// Authors whose transactions are neither merged nor told to hooks; a trailing `*` stands for any
  /// ending.
  public var ignoring: Set<String> = []
  /// When a pass purges.
  public var strategy = PurgeStrategy.whenMerged
  /// The limits beyond which a purge does not wait for an actor; nothing says nothing about them.
  ///
  /// The loosest that any actor asks for hold.
  public var retention: RetentionLimits?
  /// The cursors that PersistentHistoryTrackingKit has kept: the first launch of the actor starts at
  /// the one of the current author.
  public var kitCursors: KitCursors?
  /// How many transactions are fetched, told and merged at a time.
  public var pageTransactionCountMax = 1000
  /// What merges, in the place of the default.
  public var merger: (any TransactionMerger)?
  /// What removes duplicates after each merge, if anything does.
  public var deduplicator: (any TransactionDeduplicator)?
  /// Where messages go.
  public var logger: any TrackerLogger = StandardErrorLogger()
  /// How much is logged.
  public var logLevel = TrackerLogLevel.events
  /// Whether the tracker starts as soon as it is made; what goes wrong then stands in
  /// ``HistoryTracker/failure`` and in the log.
  public var autoStart = false
  /// The time that passes are measured and repeated by.
  package var clock = TrackerClock.continuous
  /// What runs the tracker and its tasks, in the place of the system's threads.
  package var executor: (any SerialExecutor & TaskExecutor)?
  /// The signals that lead to passes.
  package var signals:
    @Sendable (Store) throws(HistoryError) -> any AsyncSequence<HistoryToken, Never> & Sendable =
      { store throws(HistoryError) in try store.changes }

  /// Creates the default configuration.
  public init() {}

  /// Creates a configuration with what most apps set.
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

  /// Whether an author was named, or is CloudKit's mirror.
  func declares(_ author: String) -> Bool {
    author == currentAuthor || allAuthors.contains(author) || batchAuthors.contains(author)
      || AuthorPatterns.match(author, [Self.cloudKitMirror])
  }

  /// The authors whose transactions are not merged.
  var ignoredAuthors: Set<String> {
    includingCloudKitMirroring ? ignoring : ignoring.union([Self.cloudKitMirror])
  }

  /// What the registry keeps of it, so that processes that disagree are found out.
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
