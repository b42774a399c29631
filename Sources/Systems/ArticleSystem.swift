import HistoryStore
import ObjectContexts
import PersistentHistory
package import Traces

/// The manager of the 2021 article: fetcher, merger and cleaner with a date for each author in a
/// shared defaults store.
///
/// Written from its description, to the letter: a fetch takes the transactions of every other author
/// and its own only from the context "batchContext", strictly after the author's date; the date of the
/// last one fetched is kept at once, while the merge waits for the view's queue; an empty fetch keeps
/// nothing. The cleaner deletes strictly before the least date when every author has one, before seven
/// days ago when some have none and the least is older, and then forgets every author's date. A
/// remote-change notification leads to a pass; nothing looks without one.
///
/// It runs on Core Data's tables with the clock's raw readings, as it does where it was published.
package final class ArticleSystem: SystemUnderTest {
  private let cleansAfterPass: Bool
  private let host = ProcessHost<ArticleProcess>(StorePools(layout: .coreData))
  private var memory = Memory()

  /// What outlives every process.
  private struct Memory {
    var defaults = ArticleDefaults()
    /// Who was launched before: in the trace a later launch is no registration.
    var members: Set<ActorID> = []
  }

  /// Creates the system; the cleaner runs by command, or after every pass as well.
  package init(cleansAfterPass: Bool = false) {
    self.cleansAfterPass = cleansAfterPass
  }

  package let capabilities = ArticleSystem.abilities

  /// What the article's manager can be asked to do.
  package static let abilities: Set<Capability> = [
    .steps, .begin, .clock, .crash, .purge, .history, .batch, .nullAuthor, .config, .signals,
  ]

  package func reset(
    _ header: PlanHeader,
    _ environment: SystemEnvironment
  ) throws(SystemFailure) {
    memory = Memory()
    try host.reset(header, environment)
  }

  package func close() { host.close() }

  package func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    defer { host.tellSignals(&log) }
    if try host.performsCommon(action, &log) { return }
    switch action {
    case .launch(let actor): try launch(actor, &log)
    case .stop(let actor): end(actor, .stopped, &log)
    case .crash(let actor): end(actor, .crashed, &log)
    case .retire(let actor): end(actor, .retired, &log)
    case .fetch(let actor): try fetch(actor, &log)
    case .merge(let actor): try merge(actor, &log)
    case .record(let actor): try record(actor, &log)
    case .pass(let actor): try pass(actor, &log)
    case .purge(let actor): try clean(actor, &log)
    case .deliver(let actor, _):
      log.add(actor, .woke)
      try pass(actor, &log)
    default:
      throw SystemFailure(.unsupported, "The article's manager cannot \(action.word).")
    }
  }

  // MARK: Life

  private func launch(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    _ = try host.start(actor) { planned, store throws(HistoryError) in
      try ArticleProcess(planned, on: store)
    }
    let isNew = memory.members.insert(actor).inserted
    log.add(actor, isNew ? .registered(cursor: nil) : .launched(cursor: nil))
  }

  private func end(_ actor: ActorID, _ happening: Happening, _ log: inout EventLog) {
    if happening == .retired { memory.members.remove(actor) }
    host.end(actor, happening, &log)
  }

  // MARK: Fetcher, merger

  /// The authors of the app group as an actor knows them, batch authors included.
  private func authors(_ actor: PlannedActor) throws(SystemFailure) -> [String] {
    let header = try host.bench().header
    let known = actor.allAuthors ?? header.actors.compactMap(\.author)
    return Set(known + (actor.batchAuthors ?? header.batchAuthors)).sorted()
  }

  private func fetch(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let article = try host.process(actor)
    let planned = article.process.actor
    let own = planned.author
    let filter = HistoryFilter.any(
      try authors(planned).map { author in
        author == own
          ? .all([.author(author), .contextName(ArticleProcess.batchContextName)])
          : .author(author)
      }
    )
    let known = memory.defaults.dates(for: planned)
    let date = own.flatMap { known[$0] } ?? Date(timeIntervalSinceReferenceDate: -.infinity)
    let store = article.process.store
    let page = try telling { () throws(HistoryError) in
      try store.fetch(HistoryRequest(after: date, filter: filter, transactionCountMax: .max))
    }
    article.fetched = Array(page.transactions)
    log.add(actor, .fetched(article.fetched.map { String($0.number) }))
  }

  private func merge(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let article = try host.process(actor)
    try telling { () throws(HistoryError) in
      for transaction in article.fetched {
        for context in article.process.contexts {
          try context.merge(CollectionOfOne(transaction))
        }
      }
    }
    log.add(actor, .merged(article.fetched.map { String($0.number) }))
  }

  /// Keeps the date of the last transaction fetched, merged or not.
  private func record(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let article = try host.process(actor)
    let planned = article.process.actor
    guard let last = article.fetched.last, let author = planned.author else { return }
    memory.defaults.set(last.timestamp, of: author, for: planned)
    log.add(actor, .recorded(cursor: String(last.number)))
  }

  /// The date is kept before the merge runs: the merge waits for the view's queue.
  private func pass(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    try fetch(actor, &log)
    guard try !host.process(actor).fetched.isEmpty else { return }
    try record(actor, &log)
    try merge(actor, &log)
    if cleansAfterPass { try clean(actor, &log) }
  }

  // MARK: Cleaner

  private func clean(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let (bench, process) = (try host.bench(), try host.process(actor).process)
    let authors = try authors(process.actor)
    guard let before = lastCommonDate(authors, process.actor, bench) else { return }
    try telling { () throws(HistoryError) in
      try bench.purging(actor, &log) { _ throws(HistoryError) in
        try process.store.deleteHistory(before: before, authors: authors)
      }
    }
    memory.defaults.removeAll(for: process.actor)
    let isOwn = process.actor.cursors == "own"
    for member in bench.header.actors where memory.members.contains(member.id) {
      guard isOwn ? member.id == actor : member.cursors != "own" else { continue }
      log.add(member.id, .recorded(cursor: nil))
    }
  }

  /// The least date when every author has one; seven days ago when some have none and it is older.
  private func lastCommonDate(
    _ authors: [String],
    _ actor: PlannedActor,
    _ bench: StoreBench
  ) -> Date? {
    let dates = memory.defaults.dates(for: actor)
    let known = authors.compactMap { dates[$0] }
    guard let least = known.min() else { return nil }
    if known.count == authors.count { return least }
    let threshold = bench.environment.clock.date.addingTimeInterval(-Self.maximumAge)
    return least < threshold ? threshold : nil
  }

  /// Seven days, in seconds.
  private static let maximumAge = 604_800.0

  // MARK: Snapshots

  package func snapshot() throws(SystemFailure) -> SystemSnapshot {
    try host.snapshot(with: memory)
  }

  package func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {
    memory = try host.restore(snapshot)
  }

  package func digest() throws(SystemFailure) -> UInt64 {
    try host.digest { hash, _ in memory.defaults.digest(into: &hash) }
  }
}
