import HistoryStore
import HistoryTypes
import Traces

extension PublishedSystem {
  /// Fetches the requested transactions after the own date, or all of them if it has no date.
  func fetch(_ manager: PublishedProcess, _ log: inout EventLog) throws(SystemFailure) {
    let setup = manager.setup
    let date =
      shared.defaults.dates(of: setup.owner)[setup.author]
      ?? Date(timeIntervalSinceReferenceDate: -.infinity)
    try telling { () throws(HistoryError) in try manager.fetch(after: date) }
    log.add(manager.id, .fetched(Self.names(manager.fetched)))
  }

  /// Merges the fetched transactions, unless a hook finishes the pass or throws.
  func merge(_ manager: PublishedProcess, _ log: inout EventLog) throws(SystemFailure) {
    if rules.hooks == .beforeMerge, !manager.fetched.isEmpty {
      observe(manager.fetched, manager, &log)
      if try finishes(manager) {
        log.add(manager.id, .finished(Self.names(manager.fetched)))
        return manager.skipMerge()
      }
    }
    let merged = try telling { () throws(HistoryError) in try manager.mergeAll() }
    for pass in merged { log.add(manager.id, .merged(Self.names(pass))) }
  }

  /// Logs the delivery of transactions with changes to observers; without any, none is called.
  private func observe(
    _ transactions: [HistoryTransaction],
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) {
    guard manager.setup.hooks.contains(where: \.observes) else { return }
    let reported = transactions.filter { !$0.changes.isEmpty }
    if !reported.isEmpty { log.add(manager.id, .observed(Self.names(reported))) }
  }

  /// Calls the merge hooks in order, and returns whether one of them finished the merge.
  ///
  /// - Throws: the error of a hook; the pass is then abandoned, and no date is stored.
  private func finishes(_ manager: PublishedProcess) throws(SystemFailure) -> Bool {
    for (index, hook) in manager.setup.hooks.enumerated() where hook.merges {
      guard manager.fails(hook: index) else { continue }
      if hook == .finish { return true }
      manager.abandonPass()
      throw SystemFailure(.failed, PlannedError().description)
    }
    return false
  }

  /// Stores the date of the last fetched transaction, then calls the deduplicator if there is one.
  func record(_ manager: PublishedProcess, _ log: inout EventLog) {
    if rules.recordsBeforeMerge { manager.dispatchMerge() }
    let done = manager.takeUnrecorded()
    guard let last = done.last else { return }
    let setup = manager.setup
    shared.defaults.set(last.timestamp, of: setup.author, for: setup.owner)
    log.add(manager.id, .recorded(cursor: last.number.description))
    if rules.hooks == .afterRecord { observe(done, manager, &log) }
  }

  /// Makes a whole pass; an empty one stores no date and does not count for the strategy.
  func pass(_ manager: PublishedProcess, _ log: inout EventLog) throws(SystemFailure) {
    try fetch(manager, &log)
    guard !manager.fetched.isEmpty else { return }
    if rules.recordsBeforeMerge {
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

  /// Purges if the strategy allows it; the opportunity counts as used even without a date.
  private func cleanAfterPass(
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let now = try host.bench().environment.clock.date
    let strategy = manager.setup.strategy
    guard manager.counter.allows(strategy, first: rules.firstPassCleans, now: now) else { return }
    try clean(manager.setup.cleaningAfterPass, manager, &log)
  }

  /// Runs the manual cleaner.
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
    let owner = manager.setup.owner
    let dates = shared.defaults.dates(of: owner)
    let now = bench.environment.clock.date
    guard let before = cleaning.bound.date(dates, of: cleaning.waitsFor, now: now) else { return }
    try telling { () throws(HistoryError) in
      try bench.purging(manager.id, &log) { _ throws(HistoryError) in
        try manager.process.store.deleteHistory(before: before, authors: cleaning.deletes)
      }
    }
    if rules.forgetsDates { forgetDates(of: owner, bench.header, &log) }
  }

  private func forgetDates(of owner: ActorID?, _ header: PlanHeader, _ log: inout EventLog) {
    shared.defaults.removeAll(of: owner)
    for member in header.actors where shared.members.contains(member.id) {
      guard owner.map({ $0 == member.id }) ?? (member.cursors != "own") else { continue }
      log.add(member.id, .recorded(cursor: nil))
    }
  }
}

extension PublishedProcess {
  /// The actor that the process belongs to.
  var id: ActorID { process.actor.id }
}
