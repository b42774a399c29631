package import HistoryStore
package import ObjectContexts
package import PersistentHistory

/// One launch of one member: the steps of a pass, one by one, without waiting.
///
/// It owns what the process has in memory about its place in history: the page that was fetched and
/// the position that was merged through. A crash loses both, and the recorded cursor makes up for it.
package final class MemberSession {
  /// Who.
  package let member: ActorID
  /// The store whose history is followed.
  package let store: Store
  /// The contexts that history is merged into.
  package let contexts: [ObjectContext]
  /// The authors whose transactions are not merged; a trailing `*` stands for any ending.
  package let ignoredAuthors: Set<String>
  /// How many transactions one page holds at most.
  package let pageTransactionCountMax: Int
  /// The launch that the registry knows.
  package private(set) var registration: Registration
  /// The position through which the contexts have been brought.
  package private(set) var mergedThrough: HistoryToken
  /// Whether the cursor lies at the head and the contexts still hold what was before.
  private var isUnloaded = false
  /// The position that the registry holds.
  package private(set) var recordedThrough: HistoryToken
  private var fetched: HistoryPage?
  /// The transactions that were fetched and that a merge will bring in.
  package private(set) var awaitingMerge: [HistoryTransaction] = []

  /// Launches a member: it registers at the first launch and takes up its cursor at a later one; then
  /// every context reads its objects at a moment at or after the cursor.
  ///
  /// A member that was cut off starts at the head if it says so, as if it were new.
  ///
  /// - Throws: ``HistoryError/lost(_:)`` when a retention limit has cut the member off,
  ///   ``HistoryError/inUse(_:processID:)`` while it runs elsewhere.
  /// - Complexity: one small write, then a scan of the data for each context without the write lock.
  package init(
    _ member: ActorID,
    store: Store,
    contexts: [ObjectContext],
    author: String?,
    ignoredAuthors: Set<String> = [],
    pageTransactionCountMax: Int = 1000,
    resyncingIfLost: Bool = false,
    declaring declared: MemberConfiguration = MemberConfiguration(),
    importing cursors: KitCursors? = nil
  ) throws(HistoryError) {
    self.member = member
    self.store = store
    self.contexts = contexts
    self.ignoredAuthors = ignoredAuthors
    self.pageTransactionCountMax = pageTransactionCountMax
    registration = try store.join(
      member,
      author: author,
      resyncingIfLost: resyncingIfLost,
      declaring: declared,
      importing: cursors
    )
    mergedThrough = registration.cursor
    recordedThrough = registration.cursor
    for context in contexts { try context.loadAll() }
  }

  /// What a session has in memory: what the lab keeps to put one back as it was.
  package struct Memory: Sendable {
    let ignoredAuthors: Set<String>
    let pageTransactionCountMax: Int
    var registration: Registration
    let mergedThrough: HistoryToken
    let recordedThrough: HistoryToken
    let fetched: HistoryPage?
    let isUnloaded: Bool

    /// The same, but that the member counts as running again.
    ///
    /// - Throws: ``HistoryError/inUse(_:processID:)`` when it runs already.
    package func held(by store: Store) throws(HistoryError) -> Memory {
      var held = self
      held.registration = try store.holding(registration)
      return held
    }
  }

  /// What the session has in memory now.
  package var memory: Memory {
    Memory(
      ignoredAuthors: ignoredAuthors,
      pageTransactionCountMax: pageTransactionCountMax,
      registration: registration.released,
      mergedThrough: mergedThrough,
      recordedThrough: recordedThrough,
      fetched: fetched,
      isUnloaded: isUnloaded
    )
  }

  /// Puts a session back as it was, on another connection to the same store; nothing is registered.
  package init(_ memory: Memory, store: Store, contexts: [ObjectContext]) {
    member = memory.registration.member
    self.store = store
    self.contexts = contexts
    ignoredAuthors = memory.ignoredAuthors
    pageTransactionCountMax = memory.pageTransactionCountMax
    registration = memory.registration
    mergedThrough = memory.mergedThrough
    recordedThrough = memory.recordedThrough
    fetched = memory.fetched
    isUnloaded = memory.isUnloaded
    hasMore = memory.fetched?.hasMore ?? false
    awaitingMerge = memory.fetched.map(relevant) ?? []
  }

  /// Reads the next page of history after what was merged.
  ///
  /// - Returns: the transactions that a merge will bring in.
  /// - Throws: ``HistoryError/lost(_:)``, ``HistoryError/expired(token:firstHeld:)`` and their like,
  ///   after which only a resync helps.
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

  /// The position through which the page that awaits its merge was scanned; nothing without a page.
  var scannedThrough: HistoryToken? { fetched?.scannedThrough }

  /// Whether more history follows the page that was fetched last.
  package private(set) var hasMore = false

  /// Brings the fetched page into every context; without one it does nothing.
  ///
  /// - Returns: the transactions that were brought in.
  package func merge() throws(HistoryError) -> [HistoryTransaction] {
    guard fetched != nil else { return [] }
    let transactions = awaitingMerge
    for context in contexts { try context.merge(transactions) }
    passOver()
    return transactions
  }

  /// Goes on behind the fetched page as if it were merged: somebody else has done that, or wants it to
  /// be left out.
  package func passOver() {
    guard let page = fetched else { return }
    mergedThrough = page.scannedThrough
    forgetPage()
  }

  private func forgetPage() {
    fetched = nil
    awaitingMerge = []
  }

  /// Records how far was merged: the last transaction scanned, not the last that mattered.
  ///
  /// - Throws: ``HistoryError/superseded(_:)`` and its like; nothing is written then.
  package func record() throws(HistoryError) -> HistoryToken {
    let position = mergedThrough
    if position != recordedThrough {
      try store.record(registration, through: position)
      recordedThrough = position
    }
    return recordedThrough
  }

  /// Purges what every member has merged.
  package func purge(
    retaining limits: RetentionLimits = RetentionLimits()
  ) throws(HistoryError) -> PurgeResult {
    try store.purge(by: registration, retaining: limits)
  }

  /// Records how far was merged and purges, in one small SQLite transaction; what is left to do is to
  /// delete rows that nobody sees any more.
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

  /// Ends the membership: history is not kept for it any more.
  package func retire() throws(HistoryError) {
    try store.retire(registration)
  }

  /// Reads the data anew and goes on from the head, after history was lost, expired or rewound.
  package func resync() throws(HistoryError) -> HistoryToken {
    registration = try store.resync(registration)
    forgetPage()
    mergedThrough = registration.cursor
    recordedThrough = registration.cursor
    isUnloaded = true
    try loadIfNeeded()
    return registration.cursor
  }

  /// Reads the data anew if a resync has moved the cursor and could not.
  private func loadIfNeeded() throws(HistoryError) {
    guard isUnloaded else { return }
    for context in contexts { try context.loadAll() }
    isUnloaded = false
  }

  /// The transactions that concern some context: not saved by the only one, not of an ignored author.
  ///
  /// It goes over the plain records: a page of a thousand transactions is looked through at each pass.
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

/// Where one launch of a member is: all that its next step depends on, besides the store.
package struct SessionPlace: Sendable, Hashable {
  /// The number through which the contexts have been brought.
  package let mergedThrough: Int64
  /// The number that the registry holds.
  package let recordedThrough: Int64
  /// The number through which the page was scanned that awaits its merge; nothing without a page.
  package let scannedThrough: Int64?
  /// The transactions of that page that a merge will bring in.
  package let awaitingMerge: [Int64]
  /// Whether the contexts are still to be read anew after a resync.
  package let isUnloaded: Bool
}

extension MemberSession {
  /// Where the launch is.
  package var place: SessionPlace {
    SessionPlace(
      mergedThrough: mergedThrough.number,
      recordedThrough: recordedThrough.number,
      scannedThrough: scannedThrough?.number,
      awaitingMerge: awaitingMerge.map(\.number),
      isUnloaded: isUnloaded
    )
  }
}
