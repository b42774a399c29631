/// A call that SQLite makes to a file system.
///
/// The raw value is an index into the tables of counters; plans and reports write `name`.
package enum FileCall: Int, CaseIterable, Sendable, Hashable {
  /// Opens or creates a file.
  case open
  /// Deletes a file.
  case delete
  /// Checks whether a file exists.
  case access
  /// Reads bytes at an offset.
  case read
  /// Writes bytes at an offset.
  case write
  /// Sets a file's size.
  case truncate
  /// Makes earlier writes durable.
  case sync
  /// Returns a file's size.
  case size
  /// Raises the lock of a database file, or locks slots of its shared memory.
  case lock
  /// Lowers the lock of a database file, or unlocks slots.
  ///
  /// Never fails.
  case unlock
  /// Checks whether any connection has reserved a database file.
  case checkLock
  /// Maps a region of shared memory.
  case map

  /// The name of the call in plans, traces and reports.
  package var name: String { "\(self)" }

  /// Creates the call that a plan names, or `nil` if there is none of that name.
  package init?(name: String) {
    guard let call = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = call
  }
}
