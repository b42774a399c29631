package import PersistentHistory
import SQLiteStorage

/// A method of detecting whether a member already runs, in this process or another.
///
/// It decides when a launch fails with ``HistoryError/inUse(_:processID:)``. Where it cannot detect
/// that, a later launch supersedes an earlier one, whose writes then fail.
public struct MemberLocks: Sendable {
  /// The outcome of an attempt to mark a member as running.
  package enum Answer: Sendable {
    /// The member did not run; it now counts as running while the hold exists.
    case held(MemberHold)
    /// The member runs, in the process with this number if known.
    case taken(processID: Int32?)
    /// The answer cannot be determined.
    case unknown
  }

  /// Tries to mark a member as running.
  package let take: @Sendable (_ member: ActorID, _ store: Store) -> Answer

  package init(_ take: @escaping @Sendable (_ member: ActorID, _ store: Store) -> Answer) {
    self.take = take
  }

  /// Locks a file for each running member, next to the store.
  ///
  /// The file's name is the store's with `-member-` and the member's name appended. Its process
  /// keeps it locked until the process ends in any way. Only stores in the platform's own file
  /// system support this; for others the answer is unknown.
  public static let files = MemberLocks { member, store in
    guard store.configuration.vfs == nil, !store.filePath.isEmpty else { return .unknown }
    return MemberLockFile.take(MemberLockFile.path(of: member, besides: store.filePath))
  }

  /// The default of a store: ``files``, or ``none`` on iOS, tvOS, watchOS and visionOS.
  ///
  /// Those systems terminate a process that keeps a lock on a file of a shared container while it
  /// is suspended (0xdead10cc, https://developer.apple.com/documentation/xcode/sigkill).
  public static var standard: MemberLocks {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    none
    #else
    files
    #endif
  }

  /// Detects no running member: the answer is always unknown.
  public static let none = MemberLocks { _, _ in .unknown }

  /// Locks in a table in memory, for simulated processes.
  package static func inMemory(_ table: MemberLockTable = MemberLockTable()) -> MemberLocks {
    MemberLocks { member, store in table.take("\(store.filePath)\u{0}\(member)") }
  }
}

/// A token that marks a member as running while any reference to it exists.
package final class MemberHold: Sendable {
  private let release: @Sendable () -> Void

  package init(release: @escaping @Sendable () -> Void) { self.release = release }

  deinit { release() }
}

/// The running members, in memory.
package final class MemberLockTable: @unchecked Sendable {
  private let lock = ConnectionLock()
  // Accessed only while the lock is held.
  private var names: Set<String> = []

  package init() {}

  func take(_ name: String) -> MemberLocks.Answer {
    guard lock.withLock({ names.insert(name).inserted }) else { return .taken(processID: nil) }
    return .held(MemberHold { self.release(name) })
  }

  private func release(_ name: String) {
    lock.withLock { _ = names.remove(name) }
  }
}
