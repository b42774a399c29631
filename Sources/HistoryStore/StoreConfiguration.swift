public import HistoryTypes
import SQLiteStorage

/// The options for opening a store; the defaults suit an app with extensions.
public struct StoreConfiguration: Sendable {
  /// The effect of a power failure on commits.
  public enum Durability: Sendable, Hashable {
    /// Commits are atomic; the last commits before a power failure may be lost.
    case normal
    /// No acknowledged commit is lost in a power failure.
    case full
  }

  /// The source of transaction timestamps.
  public enum Timestamps: String, Sendable, Hashable {
    /// The clock value, or the previous timestamp plus 1 us if the clock value is not later.
    ///
    /// Timestamps therefore increase.
    case monotone
    /// The raw clock value, including ties and steps back, as in Core Data.
    case wallClock
  }

  /// The durability of commits.
  ///
  /// The default is ``Durability/normal``.
  public var durability = Durability.normal
  /// Whether writes are recorded in history (Core Data: `NSPersistentHistoryTrackingKey`).
  ///
  /// The default is `true`. Opening a file with `true` turns tracking on permanently. If a file
  /// with tracking is opened with `false`, it can only be read, as in Core Data.
  public var tracksHistory = true
  /// The source of timestamps, fixed when the file is created.
  ///
  /// The default is ``Timestamps/monotone``.
  public var timestamps = Timestamps.monotone
  /// The layout of history, fixed when the file is created.
  ///
  /// The default is ``HistoryLayout/packed``.
  public var layout = HistoryLayout.packed
  /// The maximum time to wait for a lock that another connection holds.
  ///
  /// The default is 5 seconds.
  ///
  /// SQLite: [sqlite3_busy_timeout](https://sqlite.org/c3ref/busy_timeout.html).
  public var busyTimeout = Duration.seconds(5)
  /// Whether commits are signalled to other processes.
  ///
  /// The default is `true`. The signal is a file next to the store, with `-signal` appended to the
  /// store's name. A store with a custom SQLite VFS has no such file.
  public var signalsChanges = true
  /// The interval at which a watch polls the store for commits without a signal; at least 1 ms.
  ///
  /// If a writer is killed between its commit and the signal, the commit is noticed after at most
  /// this interval. The default is 2 seconds.
  public var changePollInterval = Duration.seconds(2)
  /// The rule for writes by programs that write to the file without this library.
  ///
  /// The rule is stored in the file and applies to all programs. The default is `nil`, which leaves
  /// the file's rule unchanged; a new file starts with ``ForeignWrites/unwatched``. The option has
  /// an effect only in stores with history.
  public var foreignWrites: ForeignWrites?
  /// The protection of the store's files while the device is locked, on Apple's systems.
  ///
  /// The default is ``FileProtection/system``. The option applies to files that this store creates.
  public var fileProtection = FileProtection.system
  /// The bundle identifier that transactions record; the default is `nil`, for none.
  public var bundleID: String?
  /// The process name that transactions record; the default is `nil`, for none.
  public var processID: String?
  /// The authors whose transactions are never purged; a trailing `*` matches any suffix.
  ///
  /// The default is `NSCloudKitMirroringDelegate.*`, under which Core Data's mirror of CloudKit writes.
  public var protectedAuthors = ["NSCloudKitMirroringDelegate.*"]
  /// The method that detects a running member, so that a second launch under the same name is refused.
  ///
  /// The default is ``MemberLocks/standard``.
  public var memberLocks = MemberLocks.standard
  /// The clock for timestamps; the default is the system's clock.
  public var clock: @Sendable () -> Date = { Date() }
  /// The source of random bits for store IDs, context IDs and transactions' marks.
  ///
  /// A token repeats its transaction's mark, which shows whether the token is from this history.
  package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// The maximum size of the page cache in KiB.
  package var cacheSizeKiB = ConnectionOptions().cacheSizeKiB
  /// The number of write-ahead log frames after which a commit copies the log into the file.
  package var checkpointFrames = ConnectionOptions().checkpointFrames
  /// Whether all reads happen in one read transaction and so return one snapshot.
  package var isPinned = false
  /// The name of the SQLite VFS, or `nil` for the platform's own.
  package var vfs: String?
  /// A callback that receives the number of the newest transaction of each commit to history.
  ///
  /// The callback runs on the committing thread, after the signal file, if any, is written. The
  /// default is `nil`.
  package var onSignal: (@Sendable (_ number: Int64) -> Void)?
  /// An observer of the store's commits, signals, purges, and updates of member cursors.
  package var actionObserver: StoreActionObserver?
  /// The maximum number of transactions in one chunk of a purge.
  ///
  /// A chunk of the default size holds the write lock for milliseconds.
  package var purgeChunkCount: Int64 = 1000

  /// Creates the default configuration.
  public init() {}

  /// The poll interval in milliseconds, at least 1, as `poll` expects it.
  var changePollMs: Int32 { max(1, changePollInterval.clampedMilliseconds) }

  /// Whether the store has a signal file.
  var hasSignalFile: Bool { signalsChanges && vfs == nil }

  /// Returns whether the transactions of an author are never purged.
  package func isProtected(_ author: String?) -> Bool {
    AuthorPatterns.match(author, protectedAuthors)
  }
}

/// Patterns of author names, in which a trailing `*` matches any suffix.
package enum AuthorPatterns {
  /// The authors under which `NSPersistentCloudKitContainer` writes.
  package static let cloudKitMirror = "NSCloudKitMirroringDelegate.*"

  /// Returns whether any pattern matches an author.
  package static func match(_ author: String?, _ patterns: some Sequence<String>) -> Bool {
    guard let author else { return false }
    return patterns.contains { pattern in
      pattern.hasSuffix("*") ? author.hasPrefix(pattern.dropLast()) : author == pattern
    }
  }
}
