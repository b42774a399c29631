package import HistoryStore
package import ObjectContexts
package import PersistentHistory
package import Traces

/// A published manager on somebody's store, without a plan: its fetch, merge and record, and its
/// cleaner, as what they cost is measured.
///
/// The dates lie in memory, where the published ones have `UserDefaults`; hooks are none.
package final class PublishedManager {
  private let rules: PublishedProtocol
  private let setup: PublishedSetup
  private let manager: PublishedProcess
  private var defaults = CursorDefaults()

  /// Starts the manager of an author who lists some others, itself included; its view reads all
  /// objects.
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

  /// The same manager with what it has in memory, on another connection or another copy of the store.
  ///
  /// - Throws: ``SystemFailure`` when that cannot be put back.
  package func resumed(on store: Store) throws(SystemFailure) -> PublishedManager {
    let memory = try manager.memory()
    return try telling { () throws(HistoryError) in
      PublishedManager(self, try PublishedProcess(memory, on: store))
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

  /// Keeps a date as if an author's manager had merged what is no later.
  package func keep(_ date: Date, of author: String) {
    defaults.set(date, of: author, for: setup.owner)
  }

  /// The date that an author's manager has kept.
  package func date(of author: String) -> Date? { defaults.dates(of: setup.owner)[author] }

  /// Makes a pass without the deleting after it: fetches, merges and keeps the date.
  ///
  /// - Returns: how many transactions it has merged.
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

  /// Deletes at a point in time what its cleaner deletes: by command where it has that, else as after
  /// a pass.
  ///
  /// - Returns: whether it has found a date to delete before.
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
