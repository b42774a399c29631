package import HistoryStore
package import HistoryTypes
package import ObjectContexts
package import Traces

/// The history manager of a ``TrackingDesign``, on any store and without a plan.
///
/// Benchmarks use the manager to measure what the designs of other projects cost. The manager
/// fetches, merges and purges, but calls no hooks. It keeps positions in memory, whereas the
/// original managers keep them in `UserDefaults`.
package final class PublishedManager {
  private let design: TrackingDesign
  private let setup: PublishedSetup
  private let manager: PublishedProcess
  private var positions = StoredPositions()
  private let header: PlanHeader

  /// Creates the manager of `author`, one of `authors`, and loads all objects into its view.
  ///
  /// - Throws: ``SystemFailure`` when the store cannot be read.
  package init(
    _ design: TrackingDesign,
    author: String,
    of authors: [String],
    on store: Store
  ) throws(SystemFailure) {
    let actors = authors.map { PlannedActor(ActorID($0), author: $0) }
    let actor = PlannedActor(ActorID(author), author: author)
    let header = PlanHeader(model: store.model, actors: actors)
    let setup = try PublishedSetup(actor, header, design)
    self.design = design
    self.header = header
    self.setup = setup
    manager = try mappingErrors { () throws(HistoryError) in
      try PublishedProcess(actor, setup, on: store)
    }
  }

  /// Returns a copy of the manager, with its memory, for another connection or a copy of the store.
  ///
  /// - Throws: ``SystemFailure`` when the memory cannot be restored.
  package func resumed(on store: Store) throws(SystemFailure) -> PublishedManager {
    let snapshot = try manager.snapshot()
    return try mappingErrors { () throws(HistoryError) in
      PublishedManager(self, try PublishedProcess(snapshot, on: store))
    }
  }

  private init(_ other: PublishedManager, _ manager: PublishedProcess) {
    design = other.design
    header = other.header
    setup = other.setup
    positions = other.positions
    self.manager = manager
  }

  /// The view that history is merged into.
  package var view: ObjectContext { manager.process.contexts[0] }

  /// Stores a position for an author, as if the author's manager had merged up to this transaction.
  package func keep(_ last: HistoryTransaction, of author: String) {
    let position = StoredPosition(token: last.token, date: last.timestamp)
    positions.set(position, of: key(author), in: setup.owner)
  }

  private func key(_ author: String) -> StoredPositions.Key {
    PublishedSetup.key(of: PlannedActor(ActorID(author), author: author), design)
  }

  /// Returns the date that is stored as an author's position.
  package func date(of author: String) -> Date? {
    positions.position(of: key(author), in: setup.owner)?.date
  }

  /// Makes a pass without purging: fetches, merges and stores the position.
  ///
  /// - Returns: the number of merged transactions.
  /// - Throws: ``SystemFailure`` when the store cannot be read.
  package func pass() throws(SystemFailure) -> Int {
    let position = positions.position(of: setup.key, in: setup.owner)
    _ = try mappingErrors { () throws(HistoryError) in try manager.fetch(after: position, design) }
    let fetched = manager.fetched
    guard let last = fetched.last else { return 0 }
    if design.records == .beforeMerge { manager.dispatchMerge() }
    _ = try mappingErrors { () throws(HistoryError) in try manager.mergeAll() }
    _ = manager.takeUnrecorded()
    keep(last, of: setup.author)
    return fetched.count
  }

  /// Purges as if `now` were the current time.
  ///
  /// This is the design's purge by command or, if the design has none, its purge after a pass.
  ///
  /// - Returns: `false` if nothing may be deleted, for example because a required position is not
  ///   stored; otherwise `true`, even if the purge deleted no transaction.
  /// - Throws: ``SystemFailure`` when the store cannot be written.
  package func clean(at now: Date) throws(SystemFailure) -> Bool {
    let cleaning = setup.cleaningByCommand ?? setup.cleaningAfterPass
    let known = cleaning.waitsFor.map {
      positions.position(ofAuthor: $0, in: setup.owner, design.position)
    }
    guard let before = cleaning.point(known, design.position, now: now) else { return false }
    try mappingErrors { () throws(HistoryError) in
      try manager.delete(before: before, cleaning, design.deletes, header)
    }
    if design.afterPurge == .forgetsPositions { positions.removeAll(in: setup.owner) }
    return true
  }
}
