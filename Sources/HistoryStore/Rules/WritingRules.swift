/// The decisions about what a save or batch request writes.
package struct WritingRules: Sendable {
  /// The number of the transaction after the last one.
  package var nextNumber: @Sendable (_ last: Int64) -> Int64 = { $0 + 1 }
  /// The version that rows take which a transaction writes.
  package var rowVersion: @Sendable (_ number: Int64) -> Int64 = { $0 }
  /// How the version of a row must compare with that of the row that an update was made on.
  package var sameVersion = "_version = ?3"
  /// The seconds that a transaction gets in a store whose times rise, when the clock has not moved
  /// on.
  ///
  /// Beyond 2^33 s a microsecond is less than a double resolves: it takes the next double then.
  package var lifted: @Sendable (_ now: Double, _ previous: Double) -> Double = { _, previous in
    max(previous + 1e-6, previous.nextUp)
  }
  /// The author that a transaction names.
  package var author: @Sendable (_ author: String?) -> String? = { $0 }
  /// Whether the data of a write that fails before its history is written are taken back.
  package var isAtomic = true
  /// The edits of a save as they are written.
  package var edits: @Sendable (_ edits: [ObjectEdit]) -> [ObjectEdit] = { $0 }
  /// The columns that an update tells, of those that it sets.
  package var toldColumns = UInt64.max
  /// The columns that an update tells, whether it sets them or not.
  package var inventedColumns: UInt64 = 0
  /// The attributes whose values a delete leaves, of those that the model preserves.
  package var tombstone: @Sendable (_ preserved: UInt64, _ isBatch: Bool) -> UInt64 = { bits, _ in
    bits
  }
  /// How many keys no other connection gets, when one reserves `?2` of them.
  package var reservedKeys = "?2"

  package init() {}
}
