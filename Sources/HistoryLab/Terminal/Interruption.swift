import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A wish from outside that the command ends: SIGINT, as ctrl-C sends it, or SIGTERM.
enum Interruption {
  /// How often it was asked to end.
  private static let requests = Atomic<Int>(0)

  /// Whether the work should end in order, at the next point where it can.
  static var isRequested: Bool { requests.load(ordering: .relaxed) > 0 }

  /// The same question, as SQLite asks it while a statement runs.
  static let stopCheck: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { _ in
    Interruption.isRequested ? 1 : 0
  }

  /// Makes signals ask instead of kill; the second one ends the process at once with code 130.
  ///
  /// SIGPIPE is ignored, so that a reader that goes away is an error of one write.
  static func install() {
    // The handler may only touch what is already there: the counter is made before it can run.
    _ = isRequested
    // Whoever started the process may have them blocked.
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

/// The person has had enough.
struct Interrupted: Error, CustomStringConvertible {
  var description: String { "it was interrupted" }
}
