import HistoryTypes
import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file next to a store that signals commits to processes that watch the file.
///
/// Its name is the store's with `-signal` appended. Only its owner can access the file (mode 0600).
/// The file contains eight bytes: the number of a committed transaction, little endian. Watchers
/// react to the write and ignore the number: they read the newest position from the store.
///
/// Signals may be lost, for example if the writer is terminated after its commit. The methods
/// therefore report no errors, and a ``WatchLoop`` not only waits for signals but polls the store.
final class SignalFile {
  static let suffix = "-signal"

  private let path: String
  private var descriptor: Int32 = -1
  /// The time of the last check for a deleted or replaced file, in ``CoarseClock`` milliseconds.
  private var checkedAtMs: Int64 = 0
  private static let checkPauseMs: Int64 = 100

  init(nextTo store: String) { path = store + Self.suffix }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Signals that a transaction was committed.
  ///
  /// - Complexity: one system call. At most ten times a second, another call checks whether the
  ///   file was deleted. A deleted file is created again.
  func signal(_ number: Int64) {
    if descriptor < 0 { descriptor = Self.open(path) }
    put(number)
    guard isCheckDue, isGone else { return }
    close(descriptor)
    descriptor = Self.open(path)
    put(number)
  }

  /// Creates the file if it does not exist.
  static func create(_ path: String) {
    let descriptor = open(path)
    if descriptor >= 0 { close(descriptor) }
  }

  private static func open(_ path: String) -> Int32 {
    #if canImport(Darwin)
    Darwin.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    #elseif canImport(Glibc)
    Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    #else
    Musl.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    #endif
  }

  private func put(_ number: Int64) {
    var bytes = number.littleEndian
    _ = pwrite(descriptor, &bytes, MemoryLayout<Int64>.size, 0)
  }

  /// Whether the check for a deleted file is due; a check costs as much as half a signal.
  private var isCheckDue: Bool {
    let nowMs = CoarseClock.milliseconds
    guard nowMs - checkedAtMs >= Self.checkPauseMs else { return false }
    checkedAtMs = nowMs
    return true
  }

  /// Whether the open file was deleted or replaced, so that no process watches it any longer.
  private var isGone: Bool {
    guard descriptor >= 0 else { return false }
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink == 0
  }
}

extension StoreCore {
  /// Signals a committed transaction to other processes, which can already read it.
  func signal(_ written: WrittenTransaction) {
    configuration.actionObserver?.signals(written.token.number)
    signalFile?.signal(written.token.number)
    configuration.onSignal?(written.token.number)
  }
}

/// The file and configuration of a store that is watched.
struct WatchedFile: Sendable {
  /// The store's file, without symbolic links.
  let path: String
  /// The path of the signal file, or `nil` if the store has none.
  let signalPath: String?
  /// The configuration that the store was opened with.
  let configuration: StoreConfiguration

  init(_ store: Store) {
    path = store.filePath
    configuration = store.configuration
    signalPath =
      configuration.hasSignalFile && !path.isEmpty ? path + SignalFile.suffix : nil
  }

  /// The maximum time in milliseconds between two polls of the store.
  var pollMs: Int32 { configuration.changePollMs }
}

/// The reasons why a wait ended; empty after a timeout or an interrupt.
struct WatchWake: OptionSet {
  let rawValue: Int32

  /// A commit was signalled.
  static let signal = WatchWake(rawValue: 1)
  /// A watched file was removed, renamed or replaced, or signals may have been lost.
  static let replaced = WatchWake(rawValue: 2)
}
