import CSQLite
import Synchronization

/// A flag that ends the waits of connections for locks, set from any thread.
package final class StopFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Creates a flag that is not set.
  package init() {}

  /// Whether the waits end.
  package var isSet: Bool {
    get { flag.load(ordering: .acquiring) }
    set { flag.store(newValue, ordering: .releasing) }
  }
}

/// The waiting of a connection for a lock that another connection holds.
///
/// The pauses between the attempts are those of `sqlite3_busy_timeout`, which no flag can end early
/// (https://sqlite.org/c3ref/busy_handler.html).
struct LockWait {
  /// The maximum time to wait, in milliseconds; with 0 there is no wait.
  var timeoutMs: Int32
  /// The flag that ends a wait, if there is one.
  var stop: StopFlag?
  /// The VFS of the connection, whose clock the pauses use.
  private let vfs: UnsafeMutablePointer<sqlite3_vfs>?
  private var waitedMs: Int32 = 0

  private static let pausesMs: [Int32] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

  init(_ connection: OpaquePointer, timeoutMs: Int32) {
    self.timeoutMs = timeoutMs
    var vfs: UnsafeMutablePointer<sqlite3_vfs>?
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_VFS_POINTER, &vfs)
    self.vfs = vfs
  }

  /// Pauses before the next attempt to lock.
  ///
  /// - Parameter attempt: The number of attempts before; 0 starts a wait.
  /// - Returns: Whether to try again; `false` when the wait is over.
  mutating func pause(attempt: Int32) -> Bool {
    if attempt == 0 { waitedMs = 0 }
    let next = Self.pausesMs[min(Int(attempt), Self.pausesMs.count - 1)]
    let pauseMs = min(next, timeoutMs - waitedMs)
    guard pauseMs > 0, stop?.isSet != true else { return false }
    waitedMs += pauseMs
    if let vfs { _ = vfs.pointee.xSleep(vfs, pauseMs * 1000) } else { sqlite3_sleep(pauseMs) }
    return stop?.isSet != true
  }
}

/// The busy handler of a connection; the context is its ``LockWait``.
let waitForLock: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { context, attempt in
  guard let wait = context?.assumingMemoryBound(to: LockWait.self) else { return 0 }
  return wait.pointee.pause(attempt: attempt) ? 1 : 0
}
