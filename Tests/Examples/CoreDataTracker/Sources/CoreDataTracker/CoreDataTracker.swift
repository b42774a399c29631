import CoreData
import Foundation
import HistoryTesting

/// A tracker on Core Data's persistent history, as apps write it: by token, one container a member.
///
/// Purges delete history that every member's saved token has passed. Each member has its own
/// coordinator on the same file, as separate processes would; they share this process, so crashes
/// are not tested. Core Data sets the timestamps itself, so conditions of the clock are not tested
/// either.
public actor CoreDataTracker: SteppedSystem, PurgingSystem, ResyncingSystem {
  private let model: Model
  private let managed: NSManagedObjectModel
  private let folder: URL
  private var members: [ActorID: CoreDataMember] = [:]
  private var known: Set<ActorID> = []
  private let readerName = "reader of the test"

  /// Creates the tracker with an empty store in the folder of a plan.
  public init(_ environment: HistoryEnvironment) throws {
    model = environment.model
    managed = managedModel(environment.model)
    folder = try environment.folder()
  }

  /// Opens the store for a member, and loads its view.
  public func launch(_ member: ActorID) throws {
    members[member] = try CoreDataMember(member.name, model, managed, in: folder)
    known.insert(member)
  }

  /// Releases a member's container.
  public func stop(_ member: ActorID) { members[member] = nil }

  /// Saves changes through a member's view context.
  public func save(
    _ changes: [PlannedChange],
    by member: ActorID,
    author: String?
  ) throws -> TransactionName? {
    let running = try running(member)
    let before = try last(running)
    try running.save(changes, author: author)
    let after = try last(running)
    return after == before ? nil : after
  }

  /// Fetches the transactions after the member's token; its own are not merged again.
  public func fetch(_ member: ActorID) throws -> [TransactionName] {
    let running = try running(member)
    do { running.fetched = try running.transactions(after: running.merged) } catch {
      throw (error as NSError).code == NSPersistentHistoryTokenExpiredError
        ? HistorySystemError.expired : error
    }
    return running.fetched.filter { isForeign($0, to: member) }.map(\.name)
  }

  /// Merges the fetched transactions into the member's view.
  public func merge(_ member: ActorID) throws -> [TransactionName] {
    let running = try running(member)
    let news = running.fetched.filter { isForeign($0, to: member) }
    running.merge(news)
    running.merged = running.fetched.last?.token ?? running.merged
    running.fetched = []
    return news.map(\.name)
  }

  /// Keeps the token of the last merged transaction.
  public func record(_ member: ActorID) throws {
    let running = try running(member)
    try running.keep(running.merged)
  }

  /// Deletes history before the oldest saved token of a member.
  public func purge(by member: ActorID) throws -> [TransactionName] {
    let running = try running(member)
    let before = try running.transactions(after: nil)
    var bound: (token: NSPersistentHistoryToken, number: Int64)?
    for other in known {
      // A member without a token has merged no transaction.
      guard let token = try CoreDataMember.token(of: other.name, in: folder) else { return [] }
      let position = before.last { $0.token == token }?.transactionNumber ?? 0
      if position < bound?.number ?? .max { bound = (token, position) }
    }
    guard let bound else { return [] }
    try running.deleteHistory(before: bound.token)
    let kept = Set(try running.transactions(after: nil).map(\.name))
    return before.map(\.name).filter { !kept.contains($0) }
  }

  /// Reads the store again, and continues after its newest transaction.
  public func resync(_ member: ActorID) throws { try running(member).reload() }

  /// Returns the transaction of a member's saved token.
  public func cursor(of member: ActorID) throws -> TransactionName? {
    guard let token = try CoreDataMember.token(of: member.name, in: folder) else { return nil }
    let reader = try members[member] ?? CoreDataMember(readerName, model, managed, in: folder)
    return try reader.transactions(after: nil).last { $0.token == token }?.name
  }

  /// Returns the objects in a member's view context.
  public func view(of member: ActorID) throws -> Objects { try running(member).registered() }

  /// Reads the store with a container of its own.
  public func data() throws -> Objects {
    try CoreDataMember(readerName, model, managed, in: folder).load()
  }

  private func running(_ member: ActorID) throws -> CoreDataMember {
    guard let running = members[member] else { throw CocoaError(.featureUnsupported) }
    return running
  }

  private func last(_ member: CoreDataMember) throws -> TransactionName? {
    try member.transactions(after: nil).last?.name
  }

  /// Each member's context has the member's name, whatever the author of a save.
  private func isForeign(
    _ transaction: NSPersistentHistoryTransaction,
    to member: ActorID
  ) -> Bool {
    transaction.contextName != member.name
  }
}

extension NSPersistentHistoryTransaction {
  /// The number as the plan's name of the transaction.
  var name: TransactionName { String(transactionNumber) }
}
