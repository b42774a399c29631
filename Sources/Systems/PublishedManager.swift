package import HistoryStore
package import HistoryTypes
package import ObjectContexts
package import Traces

/// A published manager on any store, without a plan, for measuring its cost.
///
/// It supports fetch, merge, record and its cleaner. The dates are in memory, where the published
/// managers use `UserDefaults`; it has no hooks.
package final class PublishedManager {
  private let rules: PublishedProtocol
  private let setup: PublishedSetup
  private let manager: PublishedProcess
  private var defaults = CursorDefaults()

  /// Starts the manager of an author in a list of authors; its view reads all objects.
  ///
  /// - Throws: ``SystemFailure`` when the store cannot be read.
  package init(
    _ rules: PublishedProtocol,
    author: String,
    of authors: [String],
    on store: Store
  ) throws(SystemFailure) {
    let actors = authors.map { PlannedActor(ActorID($0), author: $0) }
    let actor = PlannedActor(ActorID(author), author: author)
    let header = PlanHeader(model: store.model, actors: actors)
    let setup = try PublishedSetup(actor, header, rules)
    self.rules = rules
    self.setup = setup
    manager = try telling { () throws(HistoryError) in
      try PublishedProcess(actor, setup, on: store)
    }
  }

  /// Returns the same manager with its memory, on another connection or another copy of the store.
  ///
  /// - Throws: ``SystemFailure`` when the memory cannot be restored.
  package func resumed(on store: Store) throws(SystemFailure) -> PublishedManager {
    let snapshot = try manager.snapshot()
    return try telling { () throws(HistoryError) in
      PublishedManager(self, try PublishedProcess(snapshot, on: store))
    }
  }

  private init(_ other: PublishedManager, _ manager: PublishedProcess) {
    rules = other.rules
    setup = other.setup
    defaults = other.defaults
    self.manager = manager
  }

  /// The view that history is merged into.
  package var view: ObjectContext { manager.process.contexts[0] }

  /// Stores a date as if an author's manager had merged everything up to it.
  package func keep(_ date: Date, of author: String) {
    defaults.set(date, of: author, for: setup.owner)
  }

  /// Returns the date that an author's manager has stored.
  package func date(of author: String) -> Date? { defaults.dates(of: setup.owner)[author] }

  /// Makes a pass without purging: fetches, merges and stores the date.
  ///
  /// - Returns: the number of merged transactions.
  /// - Throws: ``SystemFailure`` when the store cannot be read.
  package func pass() throws(SystemFailure) -> Int {
    let date = date(of: setup.author) ?? Date(timeIntervalSinceReferenceDate: -.infinity)
    try telling { () throws(HistoryError) in try manager.fetch(after: date) }
    let fetched = manager.fetched
    guard let last = fetched.last else { return 0 }
    if rules.recordsBeforeMerge { manager.dispatchMerge() }
    _ = try telling { () throws(HistoryError) in try manager.mergeAll() }
    _ = manager.takeUnrecorded()
    keep(last.timestamp, of: setup.author)
    return fetched.count
  }

  /// Purges as the cleaner does at a given time: by command if it can, else as after a pass.
  ///
  /// - Returns: whether it found a date before which it may delete.
  /// - Throws: ``SystemFailure`` when the store cannot be written.
  package func clean(at now: Date) throws(SystemFailure) -> Bool {
    let cleaning = setup.cleaningByCommand ?? setup.cleaningAfterPass
    let dates = defaults.dates(of: setup.owner)
    guard let before = cleaning.bound.date(dates, of: cleaning.waitsFor, now: now) else {
      return false
    }
    try telling { () throws(HistoryError) in
      try manager.process.store.deleteHistory(before: before, authors: cleaning.deletes)
    }
    if rules.forgetsDates { defaults.removeAll(of: setup.owner) }
    return true
  }
}
