public import Foundation
public import HistoryTypes
public import PropertyTesting
package import Systems
public import Traces

/// A real system under test: a tracker with its store, in most cases a Swift actor.
///
///     actor MyTracker: HistorySystem, PurgingSystem {
///       init(_ environment: HistoryEnvironment) async throws { ... }
///       func launch(_ member: ActorID) async throws { ... }
///       ...
///     }
///
/// Each plan gets a new instance, which performs the commands of all members of the plan. Optional
/// features have protocols that refine this one, such as ``PurgingSystem``. Plans contain a command
/// of an optional feature only if the system conforms to the protocol of that feature.
///
/// The methods are called one after another. A method that throws makes its command fail. Plans
/// inject no failures, so every error except ``HistorySystemError/expired`` is a bug.
public protocol HistorySystem: Sendable {
  /// Creates the system for one plan, with an empty store and without running members.
  init(_ environment: HistoryEnvironment) async throws

  /// Starts a member: registers it on the first launch, and loads its view (its objects in memory).
  func launch(_ member: ActorID) async throws

  /// Stops a member normally; the member stays registered and will be launched again.
  func stop(_ member: ActorID) async throws

  /// Changes a member's objects in memory (its view), and saves the changes as one transaction.
  ///
  /// An insert must be skipped if the object exists. An update or a delete must be skipped if the object
  /// does not exist.
  ///
  /// - Parameters:
  ///   - changes: The changes, in order; `apply(to:)` computes their net effect.
  ///   - member: The member that saves; it is running.
  ///   - author: The author to record, which may be that of another member; `nil` for none.
  /// - Returns: the transaction's name; `nil` if the save changed nothing.
  /// - Throws: Any error; the command then fails.
  func save(
    _ changes: [PlannedChange],
    by member: ActorID,
    author: String?
  ) async throws -> TransactionName?

  /// Fetches a member's new transactions, merges them into the member's view, and records its cursor.
  func pass(_ member: ActorID) async throws -> PassOutcome

  /// Returns the recorded cursor of a member: the last transaction that it has merged; `nil` if
  /// none.
  ///
  /// Read the cursor from storage that outlives a stop of the member. This method is called after
  /// each command, so the system may record a cursor even after ``pass(_:)`` has returned.
  func cursor(of member: ActorID) async throws -> TransactionName?

  /// Returns the objects that a running member has in memory.
  func view(of member: ActorID) async throws -> Objects

  /// Returns the objects in the store.
  func data() async throws -> Objects

  /// Closes the store after a plan. The default does nothing.
  func close() async
}

extension HistorySystem {
  /// Does nothing; a system with resources to release implements this method.
  public func close() async {}
}

/// The transactions that one pass of a member merged and purged.
///
/// In a pass, a member fetches new transactions, merges them and records its cursor.
public struct PassOutcome: Hashable, Sendable {
  /// The transactions that were merged into the member's view, in order.
  public var merged: [TransactionName]
  /// The transactions that the pass deleted from history.
  public var purged: [TransactionName]

  /// Creates the outcome of a pass; by default, no transactions are purged.
  public init(merged: [TransactionName], purged: [TransactionName] = []) {
    self.merged = merged
    self.purged = purged
  }
}

/// An error that a ``HistorySystem`` may throw without a bug being reported.
public enum HistorySystemError: Error, Hashable, Sendable {
  /// The member needs transactions that are no longer in history.
  case expired
}

/// A system that fetches, merges and records a cursor in separate calls.
///
/// Between two of these calls, other members can act.
///
/// The default implementation of ``HistorySystem/pass(_:)`` performs these three steps.
public protocol SteppedSystem: HistorySystem {
  /// Fetches the transactions that are new for a member.
  func fetch(_ member: ActorID) async throws -> [TransactionName]
  /// Merges the fetched transactions into the member's view.
  func merge(_ member: ActorID) async throws -> [TransactionName]
  /// Records the last transaction that the member has merged.
  func record(_ member: ActorID) async throws
}

extension SteppedSystem {
  /// Performs the three steps of a pass: fetches, merges and records.
  ///
  /// - Throws: The error of the step that fails.
  public func pass(_ member: ActorID) async throws -> PassOutcome {
    _ = try await fetch(member)
    let merged = try await merge(member)
    try await record(member)
    return PassOutcome(merged: merged)
  }
}

/// A system whose members purge history on request.
public protocol PurgingSystem: HistorySystem {
  /// Deletes the transactions that no member needs any longer.
  ///
  /// - Returns: the names of the deleted transactions.
  func purge(by member: ActorID) async throws -> [TransactionName]
}

/// A system whose members can lose their in-memory state at any time, as in a crash.
public protocol CrashingSystem: HistorySystem {
  /// Discards the in-memory state of a member, as a crash of its process would.
  ///
  /// In a real crash, the member's tasks end with its process. In a test these tasks continue, so
  /// the system must ignore their effects.
  func crash(_ member: ActorID) async throws
}

/// A system whose members can unregister.
public protocol RetiringSystem: HistorySystem {
  /// Unregisters a member and stops it; it may be launched again as a new member.
  func retire(_ member: ActorID) async throws
}

/// A system whose members can reload the data if a purge has deleted history that they need.
public protocol ResyncingSystem: HistorySystem {
  /// Reloads a member's view from the data, and moves its cursor to the newest transaction.
  ///
  /// This method is called after a pass has thrown ``HistorySystemError/expired``.
  func resync(_ member: ActorID) async throws
}

/// A system that can list the transactions in its history.
public protocol ListingSystem: HistorySystem {
  /// Returns the transactions in history, in order.
  func history() async throws -> [CommittedTransaction]
}

/// A system that reads the time only from ``HistoryEnvironment/now``.
///
/// Conditions of the clock, such as ``HistoryCondition/ties``, require a system that conforms to this
/// protocol.
public protocol ClockedSystem: HistorySystem {}

extension HistorySystem {
  /// The capabilities that the system offers to the lab, derived from its protocol conformances.
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

/// The environment of a system during one plan: members, model, time, executor and files.
///
///     init(_ environment: HistoryEnvironment) async throws {
///       executor = environment.executor
///       store = try MyStore(at: environment.folder().appending(path: "my.store"))
///     }
public struct HistoryEnvironment: Sendable {
  /// The members that the plan may launch.
  public let members: [ActorID]
  /// The entities of the objects that the plan inserts.
  public let model: Model
  /// The seed for all random values of the system.
  public let seed: UInt64
  /// The executor on which the system's tasks must run.
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

  /// The current time of the plan; only the plan's commands advance it.
  public var now: Date { clock.date }

  /// Returns a folder for the files of this plan; the folder is deleted after the plan.
  ///
  /// - Throws: an error of the file system when the folder cannot be created.
  public func folder() throws -> URL {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }
}
