package import HistoryTypes
package import Traces

/// The net effect of one write on one object.
///
/// Edits of one object within a write coalesce: an insert and updates are an insert, an insert and
/// a delete are no change, updates and a delete are a delete. A delete and then an insert replace
/// the object: it exists before and after, so the net change is an update of every attribute; a
/// system that keeps them as two objects reports a delete and an insert instead.
package struct NetChange: Hashable, Sendable {
  /// The object.
  package let object: ObjectName
  /// Whether the object existed before the write.
  package let wasThere: Bool
  /// Whether the object exists after the write.
  package internal(set) var isThere: Bool
  /// Whether the object was deleted and inserted again.
  package internal(set) var isReplacement = false
  /// Whether any value differs after the write.
  ///
  /// An update that changed no value may be left out of history.
  package internal(set) var changesValues = false
  /// Whether the object was updated before it was deleted, in the same write.
  package internal(set) var isUpdatedFirst = false
  /// The attributes that updates set, one bit each in the entity's order.
  package internal(set) var columns: UInt64 = 0
  /// The values before the write, if the object was there.
  package let before: Values?

  init(_ object: ObjectName, before: Values?) {
    self.object = object
    self.before = before
    wasThere = before != nil
    isThere = wasThere
  }

  /// The type of the change in history; `nil` if the object existed neither before nor after.
  package var type: ChangeType? {
    switch (wasThere, isThere) {
    case (false, true): .insert
    case (true, true): .update
    case (true, false): .delete
    case (false, false): nil
    }
  }
}
