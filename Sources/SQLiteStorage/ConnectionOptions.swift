/// The options of a connection, including all that SQLite would decide by build-time defaults.
package struct ConnectionOptions: Sendable {
  /// The permitted access to the file.
  package enum Access: Sendable {
    case readOnly
    case readWrite
    case create
    /// A file that no process writes while it is open.
    ///
    /// It is read without locks and without its write-ahead log, and no other files are created
    /// (https://sqlite.org/uri.html#uriimmutable).
    case immutable
  }
  /// The durability of commits (https://sqlite.org/pragma.html#pragma_synchronous).
  package enum Synchronous: Int32, Sendable {
    /// Commits are atomic; the last ones may be lost after a power failure.
    case normal = 1
    /// Acknowledged commits survive a power failure.
    case full = 2
  }

  package var access = Access.create
  package var synchronous = Synchronous.normal
  /// The maximum time to wait for a busy lock, in milliseconds; 0 does not wait.
  package var busyTimeoutMs: Int32 = 5000
  /// The size limit of the page cache, in KiB.
  package var cacheSizeKiB: Int32 = 65536
  /// The name of the VFS, or `nil` for the platform's default.
  package var vfs: String?
  /// The number of log frames between two checkpoint attempts.
  package var checkpointFrames: Int32 = 1000

  package init() {}

  /// The settings in SQL.
  ///
  /// Reasons for deviations from SQLite's defaults: WAL's automatic checkpoint retries at every
  /// commit while a reader is pinned, secure_delete doubles the work of a purge, and the default
  /// cache is 2 MB.
  package var pragmas: String {
    """
    PRAGMA synchronous=\(synchronous.rawValue);
    PRAGMA cache_size=-\(cacheSizeKiB);
    PRAGMA secure_delete=OFF;
    PRAGMA temp_store=MEMORY;
    PRAGMA journal_size_limit=67108864;
    PRAGMA trusted_schema=OFF;
    """
  }
}
