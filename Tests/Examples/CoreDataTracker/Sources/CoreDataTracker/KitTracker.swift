#if canImport(CoreData)
import CoreData
import Foundation
import HistoryTesting

/// The decisions of PersistentHistoryTrackingKit 2 on Core Data, with cleaning after each merge.
///
/// It is written by the kit's documented behavior: each app or extension has an author of its own
/// and, under that author, the date of the last transaction that it has merged. A pass fetches what
/// other authors wrote after that date, merges it, records the date of the last fetched
/// transaction, and deletes what is older than the dates of all authors, once each has one.
/// `Date`s are compared strictly. To test the kit itself, call its processor in `pass(_:)`.
public actor KitTracker: PurgingSystem {
  private let model: Model
  private let managed: NSManagedObjectModel
  private let folder: URL
  /// The authors that every member lists.
  private let authors: [String]
  private var members: [ActorID: CoreDataMember] = [:]
  /// The date of each author: the shared defaults of the app group.
  private var dates: [String: Date] = [:]
  /// The last merged transaction of each author, for reports only.
  private var merged: [String: TransactionName] = [:]

  /// Creates the tracker with an empty store in the folder of a plan.
  public init(_ environment: HistoryEnvironment) throws {
    model = environment.model
    managed = managedModel(environment.model)
    folder = try environment.folder()
    authors = environment.members.map(\.name)
  }

  /// Opens the store for a member and loads its view; the kit starts without a pass.
  public func launch(_ member: ActorID) throws {
    members[member] = try CoreDataMember(member.name, model, managed, in: folder)
  }

  /// Releases a member's container.
  public func stop(_ member: ActorID) { members[member] = nil }

  /// Saves changes under the member's own author, as the kit requires.
  public func save(
    _ changes: [PlannedChange],
    by member: ActorID,
    author: String?
  ) throws -> TransactionName? {
    let running = try running(member)
    let before = try running.transactions(after: nil).last?.transactionNumber
    try running.save(changes, author: member.name)
    let after = try running.transactions(after: nil).last
    return after?.transactionNumber == before ? nil : after?.name
  }

  /// Fetches, merges, records and cleans, as the kit does for each remote change.
  public func pass(_ member: ActorID) throws -> PassOutcome {
    let running = try running(member)
    let others = authors.filter { $0 != member.name }
    let news = try running.transactions(after: dates[member.name] ?? .distantPast, by: others)
    guard let last = news.last else { return PassOutcome(merged: []) }
    running.mergeRemotely(news)
    dates[member.name] = last.timestamp
    merged[member.name] = last.name
    return PassOutcome(merged: news.map(\.name), purged: try clean(running))
  }

  /// Cleans by hand: before the least date of the authors that have one.
  public func purge(by member: ActorID) throws -> [TransactionName] {
    guard let bound = dates.values.min() else { return [] }
    return try deleteHistory(before: bound, through: running(member))
  }

  /// Returns the last transaction that a member has merged.
  public func cursor(of member: ActorID) -> TransactionName? { merged[member.name] }

  /// Returns the objects in a member's view context.
  public func view(of member: ActorID) throws -> Objects { try running(member).registered() }

  /// Reads the store with a container of its own.
  public func data() throws -> Objects {
    try CoreDataMember("reader of the test", model, managed, in: folder).load()
  }

  /// Cleans after a merge: before the least date, if each author has one.
  private func clean(_ member: CoreDataMember) throws -> [TransactionName] {
    let required = authors.map { dates[$0] }
    guard !required.contains(nil), let bound = required.compactMap(\.self).min() else { return [] }
    return try deleteHistory(before: bound, through: member)
  }

  private func deleteHistory(
    before date: Date,
    through member: CoreDataMember
  ) throws -> [TransactionName] {
    let before = try member.transactions(after: nil).map(\.name)
    try member.deleteHistory(before: date, by: authors)
    let kept = Set(try member.transactions(after: nil).map(\.name))
    return before.filter { !kept.contains($0) }
  }

  private func running(_ member: ActorID) throws -> CoreDataMember {
    guard let running = members[member] else { throw CocoaError(.featureUnsupported) }
    return running
  }
}

extension CoreDataMember {
  /// Fetches the transactions of some authors after a date, oldest first.
  fileprivate func transactions(
    after date: Date,
    by authors: [String]
  ) throws -> [NSPersistentHistoryTransaction] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: date)
    request.resultType = .transactionsAndChanges
    request.fetchRequest = Self.transactions(of: authors)
    return try execute(request)?.result as? [NSPersistentHistoryTransaction] ?? []
  }

  /// Deletes the transactions of some authors strictly before a date.
  fileprivate func deleteHistory(before date: Date, by authors: [String]) throws {
    let request = NSPersistentHistoryChangeRequest.deleteHistory(before: date)
    request.fetchRequest = Self.transactions(of: authors)
    _ = try execute(request)
  }

  private static func transactions(
    of authors: [String]
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    let request = NSPersistentHistoryTransaction.fetchRequest
    request?.predicate = NSPredicate(format: "author IN %@", argumentArray: [authors])
    return request
  }
}
#endif
