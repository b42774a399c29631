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
/// days ago when some have none and the least is older, and then forgets every author's date.
///
/// It runs on Core Data's tables with the clock's raw readings, as it does where it was published.
package final class ArticleSystem: SystemUnderTest {
  private let cleansAfterPass: Bool
  private var pools = StorePools(layout: .coreData)
  private var opened: StoreBench?
  private var running: [ActorID: ArticleProcess] = [:]
  /// The shared defaults store, which outlives every process.
  private var dates: [String: Date] = [:]
  /// Who was launched before: in the trace a later launch is no registration.
  private var members: Set<ActorID> = []

  /// Creates the system; the cleaner runs by command, or after every pass as well.
  package init(cleansAfterPass: Bool = false) {
    self.cleansAfterPass = cleansAfterPass
  }

  package let capabilities: Set<Capability> = [
    .steps, .begin, .clock, .crash, .purge, .history, .batch, .nullAuthor,
  ]

  package func reset(
    _ header: PlanHeader,
    _ environment: SystemEnvironment
  ) throws(SystemFailure) {
    running.removeAll()
    dates.removeAll()
    members.removeAll()
    opened = try StoreBench(header, environment, pools.pool(header, environment))
  }

  private func bench() throws(SystemFailure) -> StoreBench {
    guard let opened else { throw SystemFailure(.failed, "There is no store yet: reset first.") }
    return opened
  }

  private func running(_ actor: ActorID) throws(SystemFailure) -> ArticleProcess {
    guard let process = running[actor] else {
      throw SystemFailure(.failed, "\(actor) is not running.")
    }
    return process
  }

  package func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    let bench = try bench()
    switch action {
    case .write(let write):
      try running(write.actor).process.write(write, &bench.objects, &log)
    case .batch(let batch):
      try running(batch.actor).process.batch(batch, bench.objects, &log)
    case .begin(let write): try running(write.actor).process.staged = write
    case .commit(let actor): try running(actor).process.commitStaged(&bench.objects, &log)
    case .launch(let actor): try launch(actor, bench, &log)
    case .stop(let actor): end(actor, .stopped, &log)
    case .crash(let actor): end(actor, .crashed, &log)
    case .retire(let actor): end(actor, .retired, &log)
    case .fetch(let actor): try fetch(actor, &log)
    case .merge(let actor): try merge(actor, &log)
    case .record(let actor): try record(actor, &log)
    case .pass(let actor): try pass(actor, &log)
    case .purge(let actor): try clean(actor, &log)
    case .view(let actor, let context):
      log.add(
        actor,
        .viewed(context: context, try running(actor).process.viewObjects(bench.objects))
      )
    case .data: log.add(nil, .data(try bench.data()))
    case .history: log.add(nil, .history(try bench.history()))
    case .clock: break
    case .resync, .consume, .deliver, .poll:
      throw SystemFailure(.unsupported, "The article's manager cannot \(action.word).")
    }
  }

  // MARK: Life

  private func launch(
    _ actor: ActorID,
    _ bench: StoreBench,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let (planned, store) = (try bench.planned(actor), try bench.connect())
    running[actor] = try telling { () throws(HistoryError) in
      try ArticleProcess(planned, on: store)
    }
    log.add(
      actor,
      members.insert(actor).inserted ? .registered(cursor: nil) : .launched(cursor: nil)
    )
  }

  private func end(_ actor: ActorID, _ happening: Happening, _ log: inout EventLog) {
    running[actor] = nil
    if happening == .retired { members.remove(actor) }
    log.add(actor, happening)
  }

  // MARK: Fetcher, merger

  /// The authors of the app group, batch authors included.
  private func authors() throws(SystemFailure) -> [String] {
    let header = try bench().header
    return Set(header.actors.compactMap(\.author) + header.batchAuthors).sorted()
  }

  private func fetch(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let article = try running(actor)
    let own = article.process.actor.author
    let filter = HistoryFilter.any(
      try authors().map { author in
        author == own
          ? .all([.author(author), .contextName(ArticleProcess.batchContextName)])
          : .author(author)
      }
    )
    let date = own.flatMap { dates[$0] } ?? Date(timeIntervalSinceReferenceDate: -.infinity)
    let store = article.process.store
    let page = try telling { () throws(HistoryError) in
      try store.fetch(HistoryRequest(after: date, filter: filter, transactionCountMax: .max))
    }
    article.fetched = Array(page.transactions)
    log.add(actor, .fetched(article.fetched.map { String($0.number) }))
  }

  private func merge(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let article = try running(actor)
    try telling { () throws(HistoryError) in
      for transaction in article.fetched {
        try article.process.view.merge(CollectionOfOne(transaction))
      }
    }
    log.add(actor, .merged(article.fetched.map { String($0.number) }))
  }

  /// Keeps the date of the last transaction fetched, merged or not.
  private func record(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let article = try running(actor)
    guard let last = article.fetched.last, let author = article.process.actor.author else { return }
    dates[author] = last.timestamp
    log.add(actor, .recorded(cursor: String(last.number)))
  }

  /// The date is kept before the merge runs: the merge waits for the view's queue.
  private func pass(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    try fetch(actor, &log)
    guard try !running(actor).fetched.isEmpty else { return }
    try record(actor, &log)
    try merge(actor, &log)
    if cleansAfterPass { try clean(actor, &log) }
  }

  // MARK: Cleaner

  private func clean(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let authors = try authors()
    guard let before = try lastCommonDate(authors) else { return }
    let (bench, store) = (try bench(), try running(actor).process.store)
    try telling { () throws(HistoryError) in
      try bench.purging(actor, &log) { _ throws(HistoryError) in
        try store.deleteHistory(before: before, authors: authors)
      }
    }
    dates.removeAll()
    for member in bench.header.actors where members.contains(member.id) {
      log.add(member.id, .recorded(cursor: nil))
    }
  }

  /// The least date when every author has one; seven days ago when some have none and it is older.
  private func lastCommonDate(_ authors: [String]) throws(SystemFailure) -> Date? {
    let known = authors.compactMap { dates[$0] }
    guard let least = known.min() else { return nil }
    if known.count == authors.count { return least }
    let threshold = try bench().environment.clock.date.addingTimeInterval(-Self.maximumAge)
    return least < threshold ? threshold : nil
  }

  /// Seven days, in seconds.
  private static let maximumAge = 604_800.0

  // MARK: Snapshots

  private struct Memory {
    let bench: StoreBench.Memory
    let processes: [ActorID: ArticleProcess.Memory]
    let dates: [String: Date]
    let members: Set<ActorID>
  }

  package func snapshot() throws(SystemFailure) -> SystemSnapshot {
    let bench = try bench()
    return SystemSnapshot(
      restoreFiles: bench.environment.saveFiles(),
      memory: Memory(
        bench: bench.memory,
        processes: running.mapValues(\.memory),
        dates: dates,
        members: members
      )
    )
  }

  package func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {
    guard let memory = snapshot.memory as? Memory else {
      throw SystemFailure(.failed, "The snapshot is of another system.")
    }
    let bench = try bench()
    running.removeAll()
    try bench.restore(memory.bench, snapshot.restoreFiles)
    dates = memory.dates
    members = memory.members
    for (actor, process) in memory.processes {
      running[actor] = ArticleProcess(process, on: try bench.connect())
    }
  }

  package func close() {
    running.removeAll()
    opened = nil
    pools.close()
  }

  package func digest() throws(SystemFailure) -> UInt64 {
    let bench = try bench()
    var hash = Digest()
    try bench.digest(into: &hash)
    for (author, date) in dates.sorted(by: { $0.key < $1.key }) {
      hash.add(author)
      hash.add(date.timeIntervalSinceReferenceDate)
    }
    for actor in running.keys.sorted() {
      hash.add(actor.name)
      let article = try running(actor)
      for transaction in article.fetched { hash.add(Int(transaction.number)) }
      article.process.digest(into: &hash, bench.objects)
    }
    return hash.value
  }
}
