public import HistoryTypes
public import Traces

/// A history-tracking design as a value: it decides what members merge and what purges delete.
///
///     struct MyLog: HistoryLog {
///       private(set) var held: [LoggedTransaction] = []
///       private var cursors: [ActorID: Int] = [:]
///
///       mutating func join(_ actor: ActorID, head: Int) { cursors[actor] = head }
///       ...
///     }
///
/// The lab simulates the data, the views, the saves and the crashes. So a design can be tested
/// before a store exists.
public protocol HistoryLog: Hashable, Sendable {
  /// Creates an empty history.
  init()

  /// Adds an actor as a member; the actor's view contains all transactions up to the number `head`.
  mutating func join(_ actor: ActorID, head: Int)

  /// Removes a member that retires.
  mutating func leave(_ actor: ActorID)

  /// Adds a transaction that was just committed.
  mutating func append(_ transaction: LoggedTransaction)

  /// Returns the transactions that an actor must merge in its next pass, in order.
  func news(for actor: ActorID) -> [LoggedTransaction]

  /// Records that an actor has merged all transactions that it must merge, up to a number.
  mutating func record(_ actor: ActorID, through number: Int)

  /// Returns the number up to which a member has merged; 0 if it has merged none.
  func cursor(of actor: ActorID) -> Int

  /// Deletes and returns the transactions that no member needs any longer.
  mutating func purge() -> [LoggedTransaction]

  /// The transactions in history, in order.
  var held: [LoggedTransaction] { get }
}

/// A transaction in a `HistoryLog`.
public struct LoggedTransaction: Hashable, Sendable {
  /// The transaction's number; the first is 1, and numbers are not reused.
  public let number: Int
  /// The actor whose view saved the transaction, and therefore already contains the changes.
  public let writer: ActorID
  /// The transaction's author, time and changes.
  public let commit: CommittedTransaction
}

/// A design with a deliberate bug, for examples and for tests of the lab itself.
///
/// The purge deletes every transaction that the fastest member has merged, so slower members lose
/// updates.
package struct GreatestCursorLog: HistoryLog {
  package private(set) var held: [LoggedTransaction] = []
  private var cursors: [ActorID: Int] = [:]

  package init() {}

  package mutating func join(_ actor: ActorID, head: Int) { cursors[actor] = head }

  package mutating func leave(_ actor: ActorID) { cursors[actor] = nil }

  package mutating func append(_ transaction: LoggedTransaction) { held.append(transaction) }

  package func news(for actor: ActorID) -> [LoggedTransaction] {
    held.filter { $0.number > cursor(of: actor) && $0.writer != actor }
  }

  package mutating func record(_ actor: ActorID, through number: Int) {
    cursors[actor] = max(cursor(of: actor), number)
  }

  package func cursor(of actor: ActorID) -> Int { cursors[actor] ?? 0 }

  package mutating func purge() -> [LoggedTransaction] {
    let bound = cursors.values.max() ?? 0
    let gone = held.filter { $0.number <= bound }
    held.removeAll { $0.number <= bound }
    return gone
  }
}

/// The effect of one save on the objects of a store.
package struct SaveEffect: Sendable {
  /// The objects that the save inserted, updated or deleted, sorted.
  ///
  /// An object that the save inserted and deleted again is included, although it has no net change.
  package let touched: [ObjectName]
  /// The net changes of the save, sorted by object.
  package let changes: [CommittedChange]
  /// The attributes that were set for each object.
  private let columns: [ObjectName: Set<String>]

  fileprivate init(_ columns: [ObjectName: Set<String>], _ before: Objects, _ after: Objects) {
    self.columns = columns
    touched = columns.keys.sorted()
    changes = Self.changes(columns, before, after)
  }

  /// Returns the save's net changes, computed from the store's content before and after the save.
  package func changes(from before: Objects, to after: Objects) -> [CommittedChange] {
    Self.changes(columns, before, after)
  }

  private static func changes(
    _ columns: [ObjectName: Set<String>],
    _ before: Objects,
    _ after: Objects
  ) -> [CommittedChange] {
    columns.sorted { $0.key < $1.key }.compactMap { object, columns in
      switch (before[object], after[object]) {
      case (nil, nil): nil
      case (nil, let values?): CommittedChange(.insert, object, values: values)
      case (_?, nil): CommittedChange(.delete, object)
      case (_?, let values?):
        CommittedChange(
          .update,
          object,
          columns: columns.sorted(),
          values: values.filter { columns.contains($0.key) }
        )
      }
    }
  }
}

extension Objects {
  /// Applies the changes of one save in order.
  ///
  /// An insert is skipped if the object exists. An update or a delete is skipped if the object does not
  /// exist.
  package mutating func apply(_ changes: [PlannedChange]) -> SaveEffect {
    let before = self
    var columns: [ObjectName: Set<String>] = [:]
    for change in changes where (self[change.object] != nil) == (change.type != .insert) {
      switch change.type {
      case .insert: self[change.object] = change.values
      case .update: self[change.object]?.merge(change.values) { _, new in new }
      case .delete: self[change.object] = nil
      }
      columns[change.object, default: []].formUnion(change.values.keys)
    }
    return SaveEffect(columns, before, self)
  }
}
