import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A request from outside to end the command: SIGINT, as ctrl-C sends it, or SIGTERM.
enum Interruption {
  /// The number of requests so far.
  private static let requests = Atomic<Int>(0)

  /// Whether the work should end in an orderly way at the next possible point.
  static var isRequested: Bool { requests.load(ordering: .relaxed) > 0 }

  /// The callback form of `isRequested`, which SQLite polls while a statement runs.
  static let stopCheck: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { _ in
    Interruption.isRequested ? 1 : 0
  }

  /// Installs handlers for SIGINT and SIGTERM that request the end of the command.
  ///
  /// The second signal ends the process at once with code 130. SIGPIPE is ignored, so that a closed
  /// pipe is an error of one write.
  static func install() {
    // A signal handler must not initialize globals: create the counter before it can run.
    _ = isRequested
    // The parent process may have blocked these signals.
    var wanted = sigset_t()
    sigemptyset(&wanted)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in Interruption.receive() }
      sigaddset(&wanted, number)
    }
    pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  private static func receive() {
    let before = requests.add(1, ordering: .relaxed).oldValue
    if before > 0 { _exit(130) }
  }
}

/// An error that reports that the user interrupted the command.
struct Interrupted: Error, CustomStringConvertible {
  var description: String { "it was interrupted" }
}
