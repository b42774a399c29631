/// One of the calls that SQLite makes to a file system.
///
/// The raw value indexes the tables of counters; `name` is what plans and reports write.
package enum FileCall: Int, CaseIterable, Sendable, Hashable {
  /// Open or create a file.
  case open
  /// Remove a file.
  case delete
  /// Ask whether a file exists.
  case access
  /// Read bytes at an offset.
  case read
  /// Write bytes at an offset.
  case write
  /// Set a file's size.
  case truncate
  /// Make what was written durable.
  case sync
  /// Ask for a file's size.
  case size
  /// Raise the lock of a database file, or take slots of its shared memory.
  case lock
  /// Lower the lock of a database file, or give slots back. Never fails.
  case unlock
  /// Ask whether anyone has reserved a database file.
  case checkLock
  /// Map a region of shared memory.
  case map

  /// The word for it in plans, traces and reports.
  package var name: String { "\(self)" }

  /// Names the call that a word in a plan stands for; nil if it stands for none.
  package init?(name: String) {
    guard let call = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = call
  }
}
