package import HistoryStore
package import HistoryTypes
package import ObjectContexts

/// One launch of one member, with synchronous methods that perform the steps of a pass.
///
/// The methods fetch and merge history, record the cursor, and purge.
///
/// A session contains the in-memory state of the process: the fetched page and the merged position.
/// A crash loses both; the next launch continues at the recorded cursor.
package final class MemberSession {
  /// The member: a process in one role.
  package let member: MemberID
  /// The store whose history is merged.
  package let store: Store
  /// The contexts that history is merged into.
  package let contexts: [ObjectContext]
  /// The authors whose transactions are not merged; a trailing `*` matches any suffix.
  package let ignoredAuthors: Set<String>
  /// The maximum number of transactions on one page.
  package let pageTransactionCountMax: Int
  /// Whether a launch and a resync load all objects into every context.
  private let loadsAllObjects: Bool
  /// The registration of this launch, which marks the member as running.
  package private(set) var registration: Registration
  /// The position through which history was merged into the contexts.
  package private(set) var mergedThrough: HistoryToken
  /// `true` after a resync that has moved the cursor but has not reloaded the contexts.
  private var isUnloaded = false
  /// The cursor that the registry stores.
  package private(set) var recordedThrough: HistoryToken
  private var fetched: HistoryPage?
  /// The fetched transactions that the next merge applies to the contexts.
  package private(set) var awaitingMerge: [HistoryTransaction] = []

  /// Launches a member and loads every context.
  ///
  /// The first launch registers the member; later launches continue at the member's cursor. Every
  /// context then reads objects as of the cursor or a later transaction. A context reads all objects
  /// if `loadsAllObjects` or its ``ObjectContexts/ObjectContext/holdsAllObjects`` is `true`, and
  /// otherwise only its registered objects.
  ///
  /// If `resyncingIfLost` is `true`, a member that a purge has marked as lost starts at the
  /// newest transaction, like a new member.
  ///
  /// - Throws: ``HistoryError/Code/lost`` if a purge has marked the member as lost,
  ///   ``HistoryError/Code/inUse`` while another session or process runs the member.
  /// - Complexity: one small write, then a scan of the data for each context without the write
  ///   lock, or one statement for each entity with registered objects.
  package init(
    _ member: MemberID,
    store: Store,
    contexts: [ObjectContext],
    author: String?,
    ignoredAuthors: Set<String> = [],
    pageTransactionCountMax: Int = 1000,
    loadsAllObjects: Bool = true,
    resyncingIfLost: Bool = false,
    declaring declared: MemberConfiguration = MemberConfiguration(),
    importing cursors: KitCursors? = nil
  ) throws(HistoryError) {
    self.member = member
    self.store = store
    self.contexts = contexts
    self.ignoredAuthors = ignoredAuthors
    self.pageTransactionCountMax = pageTransactionCountMax
    self.loadsAllObjects = loadsAllObjects
    registration = try store.join(
      member,
      author: author,
      resyncingIfLost: resyncingIfLost,
      declaring: declared,
      importing: cursors
    )
    mergedThrough = registration.cursor
    recordedThrough = registration.cursor
    try loadContexts()
  }

  /// A copy of a session's in-memory state, from which another session can continue.
  package struct Snapshot: Sendable {
    let ignoredAuthors: Set<String>
    let pageTransactionCountMax: Int
    let loadsAllObjects: Bool
    var registration: Registration
    let mergedThrough: HistoryToken
    let recordedThrough: HistoryToken
    let fetched: HistoryPage?
    let isUnloaded: Bool

    /// Returns a copy of this session snapshot that marks the member as running in `store`.
    ///
    /// Only the registration of the copy differs.
    ///
    /// - Throws: ``HistoryError/Code/inUse`` if the member is already running.
    package func held(by store: Store) throws(HistoryError) -> Snapshot {
      var held = self
      held.registration = try store.holding(registration)
      return held
    }
  }

  /// A copy of the session's in-memory state, which does not mark the member as running.
  package var snapshot: Snapshot {
    Snapshot(
      ignoredAuthors: ignoredAuthors,
      pageTransactionCountMax: pageTransactionCountMax,
      loadsAllObjects: loadsAllObjects,
      registration: registration.released,
      mergedThrough: mergedThrough,
      recordedThrough: recordedThrough,
      fetched: fetched,
      isUnloaded: isUnloaded
    )
  }

  /// Creates a session that continues from a snapshot, on another connection to the same store.
  ///
  /// Unlike a launch, this initializer does not change the store's registry of members.
  package init(_ snapshot: Snapshot, store: Store, contexts: [ObjectContext]) {
    member = snapshot.registration.member
    self.store = store
    self.contexts = contexts
    ignoredAuthors = snapshot.ignoredAuthors
    pageTransactionCountMax = snapshot.pageTransactionCountMax
    loadsAllObjects = snapshot.loadsAllObjects
    registration = snapshot.registration
    mergedThrough = snapshot.mergedThrough
    recordedThrough = snapshot.recordedThrough
    fetched = snapshot.fetched
    isUnloaded = snapshot.isUnloaded
    hasMore = snapshot.fetched?.hasMore ?? false
    awaitingMerge = snapshot.fetched.map(relevant) ?? []
  }

  /// Reads the next page of history after the merged position.
  ///
  /// - Returns: The transactions that the next merge applies.
  /// - Throws: ``HistoryError/Code/lost``, ``HistoryError/Code/expired`` and similar errors, from
  ///   which only a resync recovers.
  package func fetch() throws(HistoryError) -> [HistoryTransaction] {
    try loadIfNeeded()
    let page = try store.fetch(
      HistoryRequest(after: mergedThrough, transactionCountMax: pageTransactionCountMax),
      by: registration
    )
    fetched = page
    awaitingMerge = relevant(page)
    hasMore = page.hasMore
    return awaitingMerge
  }

  /// The last scanned position of the fetched page, or `nil` without a fetched page.
  var scannedThrough: HistoryToken? { fetched?.scannedThrough }

  /// A Boolean value that indicates whether more history follows the last fetched page.
  package private(set) var hasMore = false

  /// Merges the fetched page into every context; does nothing without a fetched page.
  ///
  /// The merged position stays the same until ``passOver()``, so that a pass can first remove
  /// duplicates.
  ///
  /// - Returns: The merged transactions.
  package func merge() throws(HistoryError) -> [HistoryTransaction] {
    for context in contexts { try context.merge(awaitingMerge) }
    return awaitingMerge
  }

  /// Advances the merged position past the fetched page; does nothing without a fetched page.
  ///
  /// A pass calls this method when the page is merged and its duplicates are removed.
  package func passOver() {
    guard let page = fetched else { return }
    mergedThrough = page.scannedThrough
    forgetPage()
  }

  private func forgetPage() {
    fetched = nil
    awaitingMerge = []
  }

  /// Records the merged position as the member's cursor.
  ///
  /// The merged position is the last scanned transaction, even if the merge left out that
  /// transaction, for example because its author is ignored.
  ///
  /// - Throws: ``HistoryError/Code/superseded`` and similar errors; the cursor is then unchanged.
  package func record() throws(HistoryError) -> HistoryToken {
    let position = mergedThrough
    if position != recordedThrough {
      try store.record(registration, through: position)
      recordedThrough = position
    }
    return recordedThrough
  }

  /// Purges the history that every member has merged.
  package func purge(
    retaining limits: RetentionLimits = RetentionLimits()
  ) throws(HistoryError) -> PurgeResult {
    try store.purge(by: registration, retaining: limits)
  }

  /// Records the merged position and raises the purged position in one small SQLite transaction.
  ///
  /// The purged rows are invisible from then on, and are deleted afterwards.
  package func recordAndPurge(
    when trigger: PurgeTrigger = .always,
    retaining limits: RetentionLimits = RetentionLimits()
  ) throws(HistoryError) -> PurgeResult {
    let position = mergedThrough == recordedThrough ? nil : mergedThrough
    let result = try store.purge(
      by: registration,
      recording: position,
      when: trigger,
      retaining: limits
    )
    recordedThrough = mergedThrough
    return result
  }

  /// Ends the membership: history is no longer kept for this member.
  package func retire() throws(HistoryError) {
    try store.retire(registration)
  }

  /// Reloads the contexts and continues at the newest transaction, without merging older ones.
  ///
  /// A resync recovers from the errors `lost`, `expired` and `rewound`.
  package func resync() throws(HistoryError) -> HistoryToken {
    registration = try store.resync(registration)
    forgetPage()
    mergedThrough = registration.cursor
    recordedThrough = registration.cursor
    isUnloaded = true
    try loadIfNeeded()
    return registration.cursor
  }

  /// Reloads the contexts if an earlier resync moved the cursor but failed to reload them.
  private func loadIfNeeded() throws(HistoryError) {
    guard isUnloaded else { return }
    try loadContexts()
    isUnloaded = false
  }

  /// Reads the objects of every context again: all objects, or only the registered ones.
  private func loadContexts() throws(HistoryError) {
    for context in contexts {
      if loadsAllObjects || context.holdsAllObjects {
        try context.loadAll()
      } else {
        try context.refreshAll()
      }
    }
  }

  /// Returns the transactions of a page that concern at least one context.
  ///
  /// Transactions of ignored authors are left out. If the tracker has only one context, its own
  /// saves are left out too. For speed, the method compares the writer in each of the page's
  /// records with the contexts before it creates a `HistoryTransaction`.
  private func relevant(_ page: HistoryPage) -> [HistoryTransaction] {
    let writers = contexts.map(\.writer.rawValue)
    var found: [HistoryTransaction] = []
    found.reserveCapacity(page.records.count)
    for index in page.records.indices {
      let writer = page.records[index].writer
      guard writers.isEmpty || writers.contains(where: { $0 != writer }) else { continue }
      let transaction = HistoryTransaction(page: page, index: index)
      if AuthorPatterns.match(transaction.author, ignoredAuthors) { continue }
      found.append(transaction)
    }
    return found
  }
}

/// The positions in history that a launched member keeps in memory.
///
/// Together with the store, these positions determine the next step of the pass.
package struct SessionPlace: Sendable, Hashable {
  /// The number of the transaction through which history was merged into the contexts.
  package let mergedThrough: Int64
  /// The transaction number of the cursor that the registry stores.
  package let recordedThrough: Int64
  /// The number of the last transaction that was scanned for the fetched page, or `nil` without a
  /// fetched page.
  package let scannedThrough: Int64?
  /// The numbers of the fetched transactions that the next merge applies.
  package let awaitingMerge: [Int64]
  /// `true` after a resync that has moved the cursor but has not reloaded the contexts.
  package let isUnloaded: Bool
}

extension MemberSession {
  package var place: SessionPlace {
    SessionPlace(
      mergedThrough: mergedThrough.number,
      recordedThrough: recordedThrough.number,
      scannedThrough: scannedThrough?.number,
      awaitingMerge: awaitingMerge.map(\.number.rawValue),
      isUnloaded: isUnloaded
    )
  }
}
