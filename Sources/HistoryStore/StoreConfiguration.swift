public import PersistentHistory
import SQLiteStorage

/// How a store is opened; the defaults are for an app with extensions.
public struct StoreConfiguration: Sendable {
  /// When a commit waits for the disk.
  public enum Durability: Sendable, Hashable {
    /// Commits are atomic; a power-off may lose the last ones.
    case normal
    /// An acknowledged commit survives a power-off.
    case full
  }

  /// How transactions get their timestamps.
  public enum Timestamps: String, Sendable, Hashable {
    /// max(clock, previous + 1 us): number order is time order.
    case monotone
    /// The clock's raw reading, ties and steps back included, as Core Data keeps it.
    case wallClock
  }

  /// When a commit waits for the disk.
  public var durability = Durability.normal
  /// Whether writes leave history (Core Data: `NSPersistentHistoryTrackingKey`).
  ///
  /// Opening with it turns tracking on for good; opening without it a file that has it on gives a
  /// store that can only be read, as Core Data does.
  public var tracksHistory = true
  /// How transactions get their timestamps; decided when the file is created.
  public var timestamps = Timestamps.monotone
  /// How the file keeps its history; decided when the file is created.
  public var layout = HistoryLayout.packed
  /// How long a busy lock is waited for, in milliseconds.
  public var busyTimeoutMs: Int32 = 5000
  /// Whether commits are told to other processes, through a file beside the store that is named like
  /// it with `-signal` at the end; only stores in the platform's own file system can.
  public var signalsChanges = true
  /// How often a watched store is looked at when no signal came, in milliseconds, at least 1: the
  /// longest delay when a writer was killed between its commit and the signal.
  public var changePollMs: Int32 = 2000
  /// The bundle that transactions name, or nothing.
  public var bundleID: String?
  /// The process that transactions name, or nothing.
  public var processID: String?
  /// Authors whose transactions are never purged; a trailing `*` stands for any ending.
  public var protectedAuthors = ["NSCloudKitMirroringDelegate.*"]
  /// How it is told that a member runs already, so that a second process with its name is refused.
  public var memberLocks = MemberLocks.standard
  /// The clock that timestamps are read from.
  public var clock: @Sendable () -> Date = { Date() }
  /// The source of marks, store identities and writers.
  package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// The limit of the page cache in KiB.
  package var cacheSizeKiB = ConnectionOptions().cacheSizeKiB
  /// Frames of the write-ahead log between two tries to copy it into the file.
  package var checkpointFrames = ConnectionOptions().checkpointFrames
  /// The SQLite VFS, or nothing for the platform's own.
  package var vfs: String?
  /// Who is told of a signal besides other processes, on the thread that sends it: the lab.
  package var onSignal: (@Sendable (_ number: Int64) -> Void)?
  /// Observes records, purges, writes and signals.
  package var witness: StoreWitness?
  /// How many transactions one chunk of a purge deletes: it holds the write lock for milliseconds.
  package var purgeChunkCount: Int64 = 1000

  /// Creates the default configuration.
  public init() {}

  /// Whether there is a file for signals.
  var hasSignalFile: Bool { signalsChanges && vfs == nil }

  /// Whether the transactions of an author are never purged.
  package func isProtected(_ author: String?) -> Bool {
    AuthorPatterns.match(author, protectedAuthors)
  }
}

/// Names of authors, where a trailing `*` stands for any ending.
package enum AuthorPatterns {
  /// Whether one of them is the author's.
  package static func match(_ author: String?, _ patterns: some Sequence<String>) -> Bool {
    guard let author else { return false }
    return patterns.contains { pattern in
      pattern.hasSuffix("*") ? author.hasPrefix(pattern.dropLast()) : author == pattern
    }
  }
}
