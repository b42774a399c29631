public import Foundation
public import HistoryTypes
public import PropertyTesting
package import Systems
public import Traces

/// A real system under test: a tracker with its store, mostly an actor.
///
///     actor MyTracker: HistorySystem, PurgingSystem {
///       init(_ environment: HistoryEnvironment) async throws { ... }
///       func launch(_ member: ActorID) async throws { ... }
///       ...
///     }
///
/// Each plan gets a new instance, which plays all members of the plan. A system that can do more
/// conforms to further protocols, such as ``PurgingSystem``: plans contain a command only if the
/// system conforms to its protocol.
///
/// The methods are called one after another. An error that a method throws is a failed command,
/// and the plan gives no reason for one: ``HistorySystemError/expired`` excepted, it is a bug.
public protocol HistorySystem: Sendable {
  /// Creates the system for one plan, with an empty store and without running members.
  init(_ environment: HistoryEnvironment) async throws

  /// Starts a member: registers it on the first launch, and loads its view.
  func launch(_ member: ActorID) async throws

  /// Stops a member normally; it stays a member, and is launched again later.
  func stop(_ member: ActorID) async throws

  /// Saves changes through a member's view as one transaction.
  ///
  /// An insert of an object that exists, and an update or a delete of one that does not, are
  /// skipped.
  ///
  /// - Returns: the transaction's name, or `nil` if the save had no effect.
  func save(
    _ changes: [PlannedChange],
    by member: ActorID,
    author: String?
  ) async throws -> TransactionName?

  /// Fetches what is new for a member, merges it into the member's view and records its cursor.
  func pass(_ member: ActorID) async throws -> PassReport

  /// Returns the last transaction that the store has recorded as merged by a member.
  ///
  /// The record is read from where it survives a stop. It is read after each command, so that
  /// recording may also take place later than the pass.
  func cursor(of member: ActorID) async throws -> TransactionName?

  /// Returns the objects that a running member has in memory.
  func view(of member: ActorID) async throws -> Objects

  /// Returns the objects in the store.
  func data() async throws -> Objects

  /// Closes the store after a plan. The default does nothing.
  func close() async
}

extension HistorySystem {
  /// Does nothing.
  public func close() async {}
}

/// The effects of a pass.
public struct PassReport: Hashable, Sendable {
  /// The transactions that were merged into the member's view, in order.
  public var merged: [TransactionName]
  /// The transactions that the pass purged from history.
  public var purged: [TransactionName]

  /// Creates a report.
  public init(merged: [TransactionName], purged: [TransactionName] = []) {
    self.merged = merged
    self.purged = purged
  }
}

/// An error that is no bug by itself.
public enum HistorySystemError: Error, Hashable, Sendable {
  /// The member needs transactions that are no longer in history.
  case expired
}

/// A system that fetches, merges and records as separate steps, which other members' commands may
/// separate.
///
/// Its pass is these three steps, unless it implements ``HistorySystem/pass(_:)``.
public protocol SteppedSystem: HistorySystem {
  /// Fetches the transactions that are new for a member.
  func fetch(_ member: ActorID) async throws -> [TransactionName]
  /// Merges the fetched transactions into the member's view.
  func merge(_ member: ActorID) async throws -> [TransactionName]
  /// Records the last transaction that the member has merged.
  func record(_ member: ActorID) async throws
}

extension SteppedSystem {
  /// Fetches, merges and records.
  public func pass(_ member: ActorID) async throws -> PassReport {
    _ = try await fetch(member)
    let merged = try await merge(member)
    try await record(member)
    return PassReport(merged: merged)
  }
}

/// A system whose members purge history on request.
public protocol PurgingSystem: HistorySystem {
  /// Deletes the transactions that need not be kept any longer.
  ///
  /// - Returns: the names of the deleted transactions.
  func purge(by member: ActorID) async throws -> [TransactionName]
}

/// A system whose members can lose their memory at any time.
public protocol CrashingSystem: HistorySystem {
  /// Discards everything that a member has in memory.
  ///
  /// Tasks of the member end with a real process. Here they do not end by themselves: the system
  /// must ignore them.
  func crash(_ member: ActorID) async throws
}

/// A system whose members can unregister.
public protocol RetiringSystem: HistorySystem {
  /// Unregisters a member and stops it; it may be launched again as a new member.
  func retire(_ member: ActorID) async throws
}

/// A system whose members can start over after history that they need was purged.
public protocol ResyncingSystem: HistorySystem {
  /// Reloads a member's view, and moves its cursor to the newest transaction.
  ///
  /// It is called after a pass has thrown ``HistorySystemError/expired``.
  func resync(_ member: ActorID) async throws
}

/// A system that can list its history.
public protocol ListingSystem: HistorySystem {
  /// Returns the transactions in history, in order.
  func history() async throws -> [CommittedTransaction]
}

/// A system that reads ``HistoryEnvironment/now`` wherever it needs the time.
///
/// Only such a system can be tested under conditions of the clock, such as
/// ``HistoryCondition/ties``.
public protocol ClockedSystem: HistorySystem {}

extension HistorySystem {
  /// The capabilities, derived from the protocols that the type conforms to.
  package static var abilities: Set<Capability> {
    var abilities: Set<Capability> = []
    if Self.self is any SteppedSystem.Type { abilities.insert(.steps) }
    if Self.self is any PurgingSystem.Type { abilities.insert(.purge) }
    if Self.self is any CrashingSystem.Type { abilities.insert(.crash) }
    if Self.self is any ResyncingSystem.Type { abilities.insert(.resync) }
    if Self.self is any ListingSystem.Type { abilities.insert(.history) }
    if Self.self is any ClockedSystem.Type { abilities.insert(.clock) }
    return abilities
  }
}

/// The surroundings of a system during one plan: members, model, time, executor and files.
///
///     init(_ environment: HistoryEnvironment) async throws {
///       executor = environment.executor
///       store = try MyStore(at: environment.folder().appending(path: "my.store"))
///     }
public struct HistoryEnvironment: Sendable {
  /// The members that the plan may launch.
  public let members: [ActorID]
  /// The entities of the objects that the plan saves.
  public let model: Model
  /// The seed of everything that the system draws at random.
  public let seed: UInt64
  /// The executor to run the system's tasks on.
  public let executor: SeededExecutor
  private let clock: PlanClock
  private let path: String

  init(_ header: PlanHeader, _ environment: SystemEnvironment, _ executor: SeededExecutor) {
    members = header.actors.map(\.id)
    model = header.model
    seed = environment.seed
    self.executor = executor
    clock = environment.clock
    path = environment.path + ".files"
  }

  /// The time of the plan, which passes only when the plan says so.
  public var now: Date { clock.date }

  /// Returns a folder for the files of this plan, which is deleted afterwards.
  ///
  /// - Throws: an error of the file system when the folder cannot be created.
  public func folder() throws -> URL {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }
}
