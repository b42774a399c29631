import HistoryStore
import HistoryTypes
import Traces

extension PublishedSystem {
  /// Fetches the requested transactions after the stored position, or from the beginning without one.
  func fetch(_ manager: PublishedProcess, _ log: inout EventLog) throws(SystemFailure) {
    let setup = manager.setup
    let position = shared.positions.position(of: setup.key, in: setup.owner)
    let hasAll = try mappingErrors { () throws(HistoryError) in
      try manager.fetch(after: position, design)
    }
    guard hasAll else { return try reload(manager, &log) }
    log.add(manager.id, .fetched(Self.names(manager.fetched)))
  }

  /// Logs the loss of history, loads the contexts again, and stores the position of the newest
  /// transaction.
  private func reload(
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    log.add(manager.id, .expired)
    let newest = try mappingErrors { () throws(HistoryError) in try manager.reload() }
    shared.positions.set(newest, of: manager.setup.key, in: manager.setup.owner)
    log.add(manager.id, .resynced(cursor: newest.token.transactionName))
  }

  /// Merges the fetched transactions, unless a hook finishes the pass or throws.
  func merge(_ manager: PublishedProcess, _ log: inout EventLog) throws(SystemFailure) {
    if design.hooks == .beforeMerge, !manager.fetched.isEmpty {
      observe(manager.fetched, manager, &log)
      if try finishes(manager) {
        log.add(manager.id, .finished(Self.names(manager.fetched)))
        return manager.skipMerge()
      }
    }
    let merged = try mappingErrors { () throws(HistoryError) in try manager.mergeAll() }
    for pass in merged { log.add(manager.id, .merged(Self.names(pass))) }
  }

  /// Logs which transactions observers receive; transactions without changes reach no observer.
  private func observe(
    _ transactions: [HistoryTransaction],
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) {
    guard manager.setup.hooks.contains(where: \.observes) else { return }
    let reported = transactions.filter { !$0.changes.isEmpty }
    if !reported.isEmpty { log.add(manager.id, .observed(Self.names(reported))) }
  }

  /// Calls the merge hooks in order, and returns whether a hook has finished the merge.
  ///
  /// - Throws: the error of a hook; the pass is then abandoned, and no position is stored.
  private func finishes(_ manager: PublishedProcess) throws(SystemFailure) -> Bool {
    for (index, hook) in manager.setup.hooks.enumerated() where hook.merges {
      guard manager.fails(hook: index) else { continue }
      if hook == .finish { return true }
      manager.abandonPass()
      throw SystemFailure(.failed, PlannedError().description)
    }
    return false
  }

  /// Stores the position of the last fetched transaction, then calls the deduplicator if one is set.
  func record(_ manager: PublishedProcess, _ log: inout EventLog) {
    if design.records == .beforeMerge { manager.dispatchMerge() }
    let done = manager.takeUnrecorded()
    guard let last = done.last else { return }
    let setup = manager.setup
    let position = StoredPosition(token: last.token, date: last.timestamp)
    shared.positions.set(position, of: setup.key, in: setup.owner)
    log.add(manager.id, .recorded(cursor: last.number.description))
    if design.hooks == .afterRecord { observe(done, manager, &log) }
  }

  /// Makes a whole pass; a pass without transactions stores no position and is not counted.
  func pass(_ manager: PublishedProcess, _ log: inout EventLog) throws(SystemFailure) {
    try fetch(manager, &log)
    guard !manager.fetched.isEmpty else { return }
    if design.records == .beforeMerge {
      record(manager, &log)
      try merge(manager, &log)
    } else {
      try merge(manager, &log)
      record(manager, &log)
    }
    try cleanAfterPass(manager, &log)
  }

  private static func names(_ transactions: [HistoryTransaction]) -> [TransactionName] {
    transactions.map { $0.number.description }
  }

  // MARK: Cleaner

  /// Purges if the strategy allows it; the opportunity counts as used even if there is no bound.
  private func cleanAfterPass(
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let now = try host.bench().environment.clock.date
    let strategy = manager.setup.strategy
    guard manager.counter.allows(strategy, design.purgeTurn, now: now) else { return }
    try clean(manager.setup.cleaningAfterPass, manager, &log)
  }

  /// Runs the manual cleaner; throws if the design has none.
  func cleanByCommand(
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    guard let cleaning = manager.setup.cleaningByCommand else { throw unsupported("purge") }
    try clean(cleaning, manager, &log)
  }

  private func clean(
    _ cleaning: PublishedSetup.Cleaning,
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let bench = try host.bench()
    let positions = try positions(cleaning, manager, bench)
    let now = bench.environment.clock.date
    guard let before = cleaning.bound.point(positions, design.position, now: now) else { return }
    try mappingErrors { () throws(HistoryError) in
      try bench.purging(manager.id, &log) { _ throws(HistoryError) in
        try manager.delete(before: before, cleaning, design.deletes, bench.header)
      }
    }
    if design.afterPurge == .forgetsPositions {
      forgetPositions(in: manager.setup.owner, bench.header, &log)
    }
  }

  /// Returns the positions of all authors, processes and consumers that a purge waits for.
  private func positions(
    _ cleaning: PublishedSetup.Cleaning,
    _ manager: PublishedProcess,
    _ bench: StoreBench
  ) throws(SystemFailure) -> [StoredPosition?] {
    let owner = manager.setup.owner
    switch design.waitsFor {
    case .listed, .listedReaders:
      return cleaning.waitsFor.map {
        shared.positions.position(ofAuthor: $0, in: owner, design.position)
      }
    case .registered: return registered(in: owner, bench.header)
    case .registeredAndConsumers:
      let consumers = try mappingErrors { () throws(HistoryError) in
        try manager.positions(of: bench.header.consumers)
      }
      return registered(in: owner, bench.header) + consumers
    }
  }

  /// Returns the positions of the registered processes that store them in an owner's place.
  private func registered(in owner: ActorID?, _ header: PlanHeader) -> [StoredPosition?] {
    header.actors.filter { actor in
      shared.members.contains(actor.id) && PublishedSetup.owner(of: actor, design) == owner
    }.map { actor in
      shared.positions.position(of: PublishedSetup.key(of: actor, design), in: owner)
    }
  }

  private func forgetPositions(in owner: ActorID?, _ header: PlanHeader, _ log: inout EventLog) {
    shared.positions.removeAll(in: owner)
    for member in header.actors where shared.members.contains(member.id) {
      let isShared = PublishedSetup.owner(of: member, design) == nil
      guard owner.map({ $0 == member.id }) ?? isShared else { continue }
      log.add(member.id, .recorded(cursor: nil))
    }
  }
}

extension PublishedProcess {
  /// The identifier of the actor that runs in this process.
  var id: ActorID { process.actor.id }
}
