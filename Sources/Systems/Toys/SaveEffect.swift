import HistoryTypes
package import Traces

/// The effect of one save on the objects of a store.
package struct SaveEffect: Sendable {
  /// The objects that a change was applied to, sorted, with or without a net change.
  package let touched: [ObjectName]
  /// The net changes, sorted by object.
  package let changes: [CommittedChange]
  /// The attributes that were set for each object.
  private let columns: [ObjectName: Set<String>]

  fileprivate init(_ columns: [ObjectName: Set<String>], _ before: Objects, _ after: Objects) {
    self.columns = columns
    touched = columns.keys.sorted()
    changes = Self.changes(columns, before, after)
  }

  /// Returns the net changes of the same save on a store that reports its content afterwards.
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
  /// An insert of an object that exists, and an update or a delete of one that does not, are
  /// skipped.
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
