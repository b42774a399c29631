/// How a connection is opened: everything that SQLite would otherwise decide by its build's defaults.
package struct ConnectionOptions: Sendable {
  /// What may be done with the file.
  package enum Access: Sendable {
    case readOnly
    case readWrite
    case create
    /// A file that nobody writes meanwhile: it is read without locks, its write-ahead log is left
    /// out, and nothing is made beside it (https://sqlite.org/uri.html#uriimmutable).
    case immutable
  }
  /// When a commit waits for the disk (https://sqlite.org/pragma.html#pragma_synchronous).
  package enum Synchronous: Int32, Sendable {
    /// Commits are atomic; the last ones may be lost in a power-off.
    case normal = 1
    /// A commit that was acknowledged survives a power-off.
    case full = 2
  }

  package var access = Access.create
  package var synchronous = Synchronous.normal
  /// How long a busy lock is waited for, in milliseconds; 0 answers at once.
  package var busyTimeoutMs: Int32 = 5000
  /// The page cache's limit in KiB.
  package var cacheSizeKiB: Int32 = 65536
  /// The name of the VFS, or nothing for the platform's own.
  package var vfs: String?
  /// Frames of the write-ahead log between two tries to check point it.
  package var checkpointFrames: Int32 = 1000

  package init() {}

  /// The settings in SQL, with the reasons for what differs from SQLite's defaults: WAL's own
  /// automatic checkpoint retries at every commit while a reader is pinned, secure_delete doubles
  /// the work of a purge, and the default cache is 2 MB.
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
