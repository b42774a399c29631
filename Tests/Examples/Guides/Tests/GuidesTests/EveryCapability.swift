import Foundation
import HistoryTesting

/// An in-memory tracker that offers every optional command of a real system.
actor EveryCapability: HistorySystem, SteppedSystem, PurgingSystem, CrashingSystem, RetiringSystem,
  ResyncingSystem, ListingSystem, ClockedSystem
{
  private let environment: HistoryEnvironment
  private let purgesEarly: Bool
  private let files: URL
  private var rows: Objects = [:]
  private var views: [ActorID: Objects] = [:]
  private var cursors: [ActorID: Int] = [:]
  private var fetched: [ActorID: (news: [CommittedTransaction], head: Int)] = [:]
  private var merged: [ActorID: Int] = [:]
  private var log: [CommittedTransaction] = []
  private var head = 0
  private var purgedThrough = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    environment.executor.asUnownedSerialExecutor()
  }

  init(_ environment: HistoryEnvironment) throws { try self.init(environment, purgesEarly: false) }

  init(_ environment: HistoryEnvironment, purgesEarly: Bool) throws {
    (self.environment, self.purgesEarly) = (environment, purgesEarly)
    precondition(!environment.members.isEmpty && !environment.model.entities.isEmpty)
    files = try environment.folder()
    try Data("\(environment.seed)".utf8).write(to: files.appending(path: "seed"))
  }

  func launch(_ member: ActorID) {
    cursors[member] = cursors[member] ?? head
    merged[member] = cursors[member]
    views[member] = rows
    fetched[member] = nil
  }

  func stop(_ member: ActorID) { views[member] = nil }

  func crash(_ member: ActorID) { views[member] = nil }

  func retire(_ member: ActorID) { (views[member], cursors[member]) = (nil, nil) }

  func save(_ changes: [PlannedChange], by member: ActorID, author: String?) -> TransactionName? {
    let net = changes.apply(to: &rows)
    guard !net.isEmpty else { return nil }
    head += 1
    for change in net { views[member]?[change.object] = rows[change.object] }
    let time = environment.now.timeIntervalSinceReferenceDate
    log.append(
      CommittedTransaction(name: "\(head)", author: author, timestamp: time, changes: net)
    )
    return "\(head)"
  }

  func fetch(_ member: ActorID) throws -> [TransactionName] {
    let cursor = cursors[member] ?? 0
    if cursor < purgedThrough { throw HistorySystemError.expired }
    let news = log.filter { number($0) > cursor }
    fetched[member] = (news, head)
    return news.map(\.name)
  }

  func merge(_ member: ActorID) -> [TransactionName] {
    guard let (news, head) = fetched.removeValue(forKey: member) else { return [] }
    for object in news.flatMap(\.changes).map(\.object) { views[member]?[object] = rows[object] }
    merged[member] = head
    return news.map(\.name)
  }

  func record(_ member: ActorID) { cursors[member] = merged[member] }

  func resync(_ member: ActorID) {
    views[member] = rows
    (cursors[member], merged[member]) = (head, head)
  }

  func purge(by member: ActorID) -> [TransactionName] {
    let bound = (purgesEarly ? cursors.values.max() : cursors.values.min()) ?? 0
    purgedThrough = max(purgedThrough, bound)
    defer { log.removeAll { number($0) <= bound } }
    return log.filter { number($0) <= bound }.map(\.name)
  }

  func cursor(of member: ActorID) -> TransactionName? {
    cursors[member].flatMap { $0 > 0 ? "\($0)" : nil }
  }

  func view(of member: ActorID) -> Objects { views[member] ?? [:] }

  func data() -> Objects { rows }

  func history() -> [CommittedTransaction] { log }

  func close() { try? FileManager.default.removeItem(at: files) }

  private func number(_ transaction: CommittedTransaction) -> Int { Int(transaction.name) ?? 0 }
}
