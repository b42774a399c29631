#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file beside a store through which commits are told to whoever watches it.
///
/// It is named like the store with `-signal` at the end, belongs to the user alone (mode 0600) and
/// holds eight bytes: the number of a transaction that was committed, little endian. What counts is
/// that they are written, not what they say: a reader asks the store for its head.
///
/// A signal is a hint. It may be lost with its writer, so none of the calls here fails; the poll of
/// a ``WatchLoop`` makes up for it.
final class SignalFile {
  /// The end of its name.
  static let suffix = "-signal"

  private let path: String
  private var descriptor: Int32 = -1
  /// When it was last made sure that the file that is open is the one that is watched.
  private var checkedAtMs: Int64 = 0
  private static let checkPauseMs: Int64 = 100

  init(besides store: String) { path = store + Self.suffix }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Tells whoever watches that a transaction was committed.
  ///
  /// - Complexity: one system call; ten times a second another one looks whether somebody removed
  ///   the file, which is then made anew.
  func tell(_ number: Int64) {
    if descriptor < 0 { descriptor = Self.open(path) }
    put(number)
    guard isCheckDue, isGone else { return }
    close(descriptor)
    descriptor = Self.open(path)
    put(number)
  }

  /// Makes the file if it is not there.
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

  /// Whether the last look is long enough ago; it would cost as much as half a signal.
  private var isCheckDue: Bool {
    var time = timespec()
    #if canImport(Darwin)
    clock_gettime(CLOCK_MONOTONIC_RAW_APPROX, &time)
    #else
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    #endif
    let nowMs = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    guard nowMs - checkedAtMs >= Self.checkPauseMs else { return false }
    checkedAtMs = nowMs
    return true
  }

  /// Whether somebody removed or replaced the file that is open: nobody watches it any more.
  private var isGone: Bool {
    guard descriptor >= 0 else { return false }
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink == 0
  }
}
