public import Foundation
public import HistoryStore
public import HistoryTypes
public import ObjectContexts

extension HistoryTracker {
  /// Registers an observer, which receives changes of an entity's objects before the merge.
  ///
  /// The observer is called once for each group of changes of one transaction, entity and
  /// operation. The groups of a transaction come in the order of their first changes, and the
  /// observers of a group are called in registration order. A group is delivered again if the
  /// observer threw and the call is retried, or if the process restarted before the cursor was
  /// recorded. Use ``HookContext/key-swift.property`` to recognize repeated deliveries.
  ///
  /// ```swift
  /// try await tracker.registerObserver(entity: "Item", operation: .delete) { group in
  ///   for context in group { try await index.remove(context.objectIDURL) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - operation: The operation whose changes the observer receives.
  ///   - policy: The reaction to an observer that throws. The default is ``HookFailurePolicy/retry``.
  ///   - callback: The observer, called with one group of changes at a time.
  /// - Returns: The identity by which ``removeObserver(id:)`` removes the observer.
  /// - Throws: ``HistoryError/Code/unknownEntity`` if the model has no such entity.
  @discardableResult
  public func registerObserver(
    entity: String,
    operation: ChangeType,
    onFailure policy: HookFailurePolicy = .retry,
    callback: @escaping HookCallback
  ) throws(HistoryError) -> HookID {
    let id = try core.addObserver(entity: entity, operation: operation, onFailure: policy)
    observers[id] = callback
    return id
  }

  /// Removes an observer; its pending changes are not delivered.
  ///
  /// - Returns: Whether the observer was registered.
  @discardableResult
  public func removeObserver(id: HookID) -> Bool {
    observers[id] = nil
    return core.removeObserver(id)
  }

  /// Removes the observers of one operation on the objects of an entity.
  ///
  /// - Throws: ``HistoryError/Code/unknownEntity`` if the model has no such entity.
  public func removeObserver(entity: String, operation: ChangeType) throws(HistoryError) {
    for id in try core.removeObservers(entity: entity, operation: operation) { observers[id] = nil }
  }

  /// Removes every observer of this tracker; their pending changes are not delivered.
  public func removeAllObservers() {
    core.hooks.removeAllObservers()
    observers.removeAll()
  }

  /// Registers a merge hook before `other`, or after all others if `other` is `nil`.
  ///
  /// The hooks are called in order before the transactions of a page are merged, until one returns
  /// `.finish`. If a hook throws and its policy is not ``HookFailurePolicy/skip``, the pass fails. A
  /// later pass then calls the hooks again for the same transactions, from the first hook on.
  ///
  /// - Parameters:
  ///   - other: The merge hook that is called directly after the new one. The default `nil` registers
  ///     the new hook as the last.
  ///   - policy: The reaction to a hook that throws. The default is ``HookFailurePolicy/retry``.
  ///   - callback: The hook, called with the transactions of one page at a time.
  /// - Returns: The identity by which ``removeMergeHook(id:)`` removes the hook.
  /// - Throws: ``HistoryError/Code/unknownHook`` if `other` is not registered.
  @discardableResult
  public func registerMergeHook(
    before other: HookID? = nil,
    onFailure policy: HookFailurePolicy = .retry,
    callback: @escaping MergeHookCallback
  ) throws(HistoryError) -> HookID {
    let id = try core.addMergeHook(before: other, onFailure: policy)
    mergeHooks[id] = callback
    return id
  }

  /// Removes a merge hook, which is not called from then on.
  ///
  /// - Returns: Whether the merge hook was registered.
  @discardableResult
  public func removeMergeHook(id: HookID) -> Bool {
    mergeHooks[id] = nil
    return core.removeMergeHook(id)
  }

  /// Removes every merge hook of this tracker; none of them is called from then on.
  public func removeAllMergeHooks() {
    core.hooks.removeAllMergeHooks()
    mergeHooks.removeAll()
  }
}

/// The input of a merge hook: the transactions of one page, and the contexts to merge them into.
public struct MergeHookInput: Sendable {
  /// The transactions to merge, in commit order; never empty.
  public let transactions: [HistoryTransaction]
  /// The contexts of the tracker, before the merge.
  public let contexts: [ObjectContext]
  /// The member that merges.
  public let member: MemberID
}

/// The decision of a merge hook about how the merge continues.
///
/// In PersistentHistoryTrackingKit, the type has the same name, and ``proceed`` is `goOn`.
public enum MergeHookResult: Sendable, Hashable {
  /// Calls the next hook, or merges the transactions if this was the last hook.
  case proceed
  /// Skips the remaining hooks and the merge; the hook has merged the transactions itself.
  ///
  /// The cursor advances nevertheless, so transactions that the hook left out are never merged.
  case finish
}

/// A merge hook, called before the transactions of a page are merged.
public typealias MergeHookCallback =
  @Sendable (_ input: MergeHookInput) async throws ->
  MergeHookResult

/// The identity of an observer or a merge hook of one tracker; a removed hook's identity is not reused.
public struct HookID: Hashable, Sendable, CustomStringConvertible {
  let number: Int

  /// A short name for logs.
  public var description: String { "hook \(number)" }
}

/// One object that a transaction changed, as passed to an observer.
///
/// Core Data: an `NSPersistentHistoryChange` together with its `NSPersistentHistoryTransaction`.
///
/// The value is a view into the fetched page; names and values are created on access.
public struct HookContext: Sendable {
  /// The identity of a delivery, by which an observer can recognize a repetition.
  ///
  /// An observer may receive the same key again: if the observer threw and the call is retried, or
  /// if the process restarted before the cursor was recorded.
  public struct Key: Hashable, Sendable, Codable {
    /// The member that receives the change.
    public let member: MemberID
    /// The number of the transaction.
    public let number: TransactionNumber

    /// Creates the key of a transaction's delivery to a member.
    public init(member: MemberID, number: TransactionNumber) {
      self.member = member
      self.number = number
    }
  }

  /// The change as recorded in history.
  public let change: HistoryChange
  /// The transaction that contains the change.
  public let transaction: HistoryTransaction
  let member: MemberID

  /// The key by which an observer can recognize a repeated delivery.
  public var key: Key { Key(member: member, number: transaction.number) }
  /// The name of the object's entity; empty if the model does not contain the entity.
  public var entityName: String { change.entityName ?? "" }
  /// The operation: insert, update or delete.
  public var operation: ChangeType { change.type }
  /// The identity of the object.
  public var objectID: ObjectID { change.objectID }
  /// The object's URL, which identifies the object outside of the store.
  ///
  /// Core Data: `NSManagedObjectID.uriRepresentation()`.
  ///
  /// `nil` if the model does not contain the object's entity.
  public var objectIDURL: URL? {
    let uri = ObjectURI(store: transaction.storeID, entity: entityName, key: objectID.key)
    return entityName.isEmpty ? nil : URL(string: uri.description)
  }
  /// The names of the attributes that an update set.
  public var updatedProperties: [String] { change.updatedProperties }
  /// The preserved values of a deleted object, each with its original type, such as `Date`.
  public var tombstone: [String: Value]? { change.tombstone }
  /// The time at which the transaction was written, by the store's clock.
  public var timestamp: Date { transaction.timestamp }
  /// The author of the transaction, or `nil` if it has none.
  public var author: String? { transaction.author }
}

/// An observer, called with each group of changes of one transaction, one entity and one operation.
public typealias HookCallback = @Sendable (_ group: [HookContext]) async throws -> Void

/// A hook call in progress, visible as a task-local value to the code that the hook calls.
struct HookCall: Hashable, Sendable {
  @TaskLocal static var current: HookCall?

  let tracker: ObjectIdentifier
  let number: Int
}

/// The reaction of a tracker to a hook that throws.
public enum HookFailurePolicy: Sendable, Hashable {
  /// The pass fails and is retried, with increasing delays, until the hook succeeds or is removed.
  ///
  /// The cursor does not move, so no change is missed. Meanwhile the history after the cursor is
  /// kept, and no member's purge goes beyond the cursor. Each attempt is reported, with the time
  /// since the first failure.
  case retry
  /// The failed call is reported and abandoned; the other hooks and the merge continue.
  case skip
  /// The pass fails and the tracker stops without moving its cursor, until it is started again.
  case stop
}

/// A hook call that threw.
public struct HookFailure: Sendable, Hashable {
  /// The identity of the hook that threw, as returned when the hook was registered.
  public let hook: HookID
  /// The purpose of the hook, such as `insert of Item` or `merge`.
  public let name: String
  /// The reaction to the failure: the pass is retried, the call skipped, or the tracker stopped.
  public let policy: HookFailurePolicy
  /// The number of the first transaction passed to the hook in the call that threw.
  public let transaction: TransactionNumber
  /// A description of the error that the hook threw.
  public let reason: String
  /// The number of consecutive calls of the hook that threw, including this one.
  public let attemptCount: Int
  /// The time since the first of the consecutive failed calls that ``attemptCount`` counts.
  public let lasting: Duration
}

extension HookFailure: CustomStringConvertible {
  /// A sentence that describes the failure and its effect.
  public var description: String {
    let happened =
      "The hook for \(name) (\(hook)) threw while handling transaction \(transaction): \(reason)."
    return switch policy {
    case .skip: "\(happened) The pass continues without this call."
    case .stop: "\(happened) The tracker stops."
    case .retry:
      "\(happened) It has thrown \(attemptCount.counted("time")) in \(lasting). Transactions from "
        + "\(transaction) on are not purged until the hook succeeds or is removed."
    }
  }
}

/// The consecutive failures of each hook: their number, and the time of the first one.
struct HookFailures: Sendable {
  private struct Streak: Sendable {
    var attemptCount = 0
    let since: Duration
  }

  private var hookFailures: [HookID: Streak] = [:]

  /// Counts a call that threw.
  ///
  /// Returns the number of consecutive failures of the hook, and the time since the first of them.
  mutating func note(
    _ hook: HookID,
    at now: Duration
  ) -> (attemptCount: Int, lasting: Duration) {
    var streak = hookFailures[hook] ?? Streak(since: now)
    streak.attemptCount += 1
    hookFailures[hook] = streak
    return (streak.attemptCount, now - streak.since)
  }

  /// Clears the failures of a hook that succeeded or was removed.
  mutating func forget(_ hook: HookID) {
    if !hookFailures.isEmpty { hookFailures[hook] = nil }
  }
}
