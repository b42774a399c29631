import Foundation
import HistoryTesting

/// The log of "Your first bug", whose purge waits for the slowest actor.
struct FixedLog: HistoryLog {
  private(set) var held: [LoggedTransaction] = []
  private var cursors: [ActorID: Int] = [:]

  mutating func join(_ actor: ActorID, head: Int) { cursors[actor] = head }

  mutating func leave(_ actor: ActorID) { cursors[actor] = nil }

  mutating func append(_ transaction: LoggedTransaction) { held.append(transaction) }

  func cursor(of actor: ActorID) -> Int { cursors[actor] ?? 0 }

  func news(for actor: ActorID) -> [LoggedTransaction] {
    held.filter { $0.number > cursor(of: actor) && $0.writer != actor }
  }

  mutating func record(_ actor: ActorID, through number: Int) { cursors[actor] = number }

  mutating func purge() -> [LoggedTransaction] {
    let bound = cursors.values.min() ?? 0
    let purged = held.filter { $0.number <= bound }
    held.removeAll { $0.number <= bound }
    return purged
  }
}

/// An in-memory tracker with every optional capability of a real system.
actor PlainTracker: HistorySystem, PurgingSystem, SteppedSystem, CrashingSystem, RetiringSystem,
  ListingSystem, ClockedSystem
{
  /// A seeded bug.
  enum Mistake: CaseIterable {
    case none
    case purgesTooMuch
    case forgetsOwnSaves
    case recordsBeforeMerging
    case losesRowsOnLaunch
    case fetchesNothing
    case throwing

    /// The bugs that one of our invariants detects, each by its checker.
    static let allCases: [Mistake] = [
      .purgesTooMuch, .forgetsOwnSaves, .recordsBeforeMerging, .losesRowsOnLaunch,
    ]

    var checker: String {
      switch self {
      case .purgesTooMuch: "PurgeSafety"
      case .forgetsOwnSaves, .losesRowsOnLaunch: "Convergence"
      case .recordsBeforeMerging: "CursorProgress"
      default: ""
      }
    }
  }

  private let environment: HistoryEnvironment
  private let mistake: Mistake
  private var rows: Objects = [:]
  private var views: [ActorID: Objects] = [:]
  private var cursors: [ActorID: Int] = [:]
  private var fetched: [ActorID: (news: [CommittedTransaction], head: Int)] = [:]
  private var merged: [ActorID: Int] = [:]
  private var log: [CommittedTransaction] = []
  private var head = 0

  init(_ environment: HistoryEnvironment) { self.init(environment, .none) }

  init(_ environment: HistoryEnvironment, _ mistake: Mistake) {
    self.environment = environment
    self.mistake = mistake
  }

  func launch(_ member: ActorID) throws {
    if mistake == .throwing { throw HistorySystemError.expired }
    cursors[member] = cursors[member] ?? head
    merged[member] = cursors[member]
    views[member] = mistake == .losesRowsOnLaunch ? [:] : rows
    fetched[member] = nil
  }

  func stop(_ member: ActorID) { views[member] = nil }

  func crash(_ member: ActorID) { views[member] = nil }

  func retire(_ member: ActorID) {
    views[member] = nil
    cursors[member] = nil
  }

  func save(_ changes: [PlannedChange], by member: ActorID, author: String?) -> String? {
    let net = changes.apply(to: &rows)
    guard !net.isEmpty else { return nil }
    head += 1
    for change in net where mistake != .forgetsOwnSaves {
      views[member]?[change.object] = rows[change.object]
    }
    log.append(
      CommittedTransaction(
        name: String(head),
        author: author,
        writer: member.name,
        timestamp: environment.now.timeIntervalSinceReferenceDate,
        changes: net
      )
    )
    return String(head)
  }

  func fetch(_ member: ActorID) -> [String] {
    let news = log.filter { number($0) > cursors[member] ?? 0 && $0.writer != member.name }
    fetched[member] = (mistake == .fetchesNothing ? [] : news, head)
    if mistake == .recordsBeforeMerging { cursors[member] = head }
    return news.map(\.name)
  }

  func merge(_ member: ActorID) -> [String] {
    guard let (news, head) = fetched[member] else { return [] }
    fetched[member] = nil
    for change in news.flatMap(\.changes) { views[member]?[change.object] = rows[change.object] }
    merged[member] = head
    return news.map(\.name)
  }

  func record(_ member: ActorID) { cursors[member] = merged[member] }

  func purge(by member: ActorID) -> [String] {
    let bound = (mistake == .purgesTooMuch ? cursors.values.max() : cursors.values.min()) ?? 0
    let purged = log.filter { number($0) <= bound }
    log.removeAll { number($0) <= bound }
    return purged.map(\.name)
  }

  func cursor(of member: ActorID) -> String? {
    cursors[member].flatMap { $0 > 0 ? String($0) : nil }
  }

  func view(of member: ActorID) -> Objects { views[member] ?? [:] }

  func data() -> Objects { rows }

  func history() -> [CommittedTransaction] { log }

  private func number(_ transaction: CommittedTransaction) -> Int { Int(transaction.name) ?? 0 }
}
