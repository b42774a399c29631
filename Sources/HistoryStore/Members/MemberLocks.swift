package import PersistentHistory
import SQLiteStorage

/// How a store tells whether a member runs already, in this process or in another.
///
/// It decides who is refused with ``HistoryError/inUse(_:processID:)``. Where it cannot tell, a later
/// launch supersedes an earlier one, which then writes nothing.
public struct MemberLocks: Sendable {
  /// What was found out about a member.
  package enum Answer: Sendable {
    /// It did not run, and now counts as running while somebody holds this.
    case held(MemberHold)
    /// It runs, in the process with this number if that is known.
    case taken(processID: Int32?)
    /// Nobody can tell.
    case unknown
  }

  /// Tries to make a member count as running.
  package let take: @Sendable (_ member: ActorID, _ store: Store) -> Answer

  package init(_ take: @escaping @Sendable (_ member: ActorID, _ store: Store) -> Answer) {
    self.take = take
  }

  /// A file for each member that runs, beside the store and named like it with `-member-` and the
  /// member's name at the end, locked by its process until that ends, however it does.
  ///
  /// Only stores in the platform's own file system can; on others nobody can tell.
  public static let files = MemberLocks { member, store in
    guard store.configuration.vfs == nil, !store.filePath.isEmpty else { return .unknown }
    return MemberLockFile.take(MemberLockFile.path(of: member, besides: store.filePath))
  }

  /// What a store does unless it is told otherwise: ``files``, but ``none`` on systems that end a process
  /// which keeps a lock on a file of a shared container while it is suspended (0xdead10cc,
  /// https://developer.apple.com/documentation/xcode/sigkill).
  public static var standard: MemberLocks {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    none
    #else
    files
    #endif
  }

  /// Nobody can tell.
  public static let none = MemberLocks { _, _ in .unknown }

  /// A table in memory, for processes that are only simulated.
  package static func inMemory(_ table: MemberLockTable = MemberLockTable()) -> MemberLocks {
    MemberLocks { member, store in table.take("\(store.filePath)\u{0}\(member)") }
  }
}

/// Says that a member runs, as long as anybody holds it.
package final class MemberHold: Sendable {
  private let release: @Sendable () -> Void

  package init(release: @escaping @Sendable () -> Void) { self.release = release }

  deinit { release() }
}

/// The members that run, in memory.
package final class MemberLockTable: @unchecked Sendable {
  private let lock = ConnectionLock()
  // Only touched while the lock is held.
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
