import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A function that writes text, and returns the reason if the write failed, otherwise `nil`.
package typealias TextSink = @Sendable (String) -> String?

/// Writes text to an open file until a write fails.
package final class FileSink: Sendable {
  private let descriptor: Int32
  /// Whether a write has failed; later text is then dropped, because the output would have a gap.
  private let isBroken = Mutex(false)

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes the whole text as one piece, even if other threads write at the same time.
  ///
  /// Returns the reason of a failure, otherwise `nil`. A closed pipe, as after `| head`, counts as
  /// success.
  package func write(_ text: String) -> String? {
    isBroken.withLock { isBroken in
      guard !isBroken else { return nil }
      let code = writeAll(text)
      isBroken = code != 0
      return code == 0 || code == EPIPE ? nil : String(cString: strerror(code))
    }
  }

  /// Returns 0 after success, or the code of the first error.
  private func writeAll(_ text: String) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, !rest.isEmpty {
        let written = systemWrite(descriptor, start, rest.count)
        if written >= 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        } else if errno == EAGAIN {
          waitUntilWritable()
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  private func waitUntilWritable() {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, 1000)
  }
}

/// Calls the system function `write`, which the method of the same name hides.
private func systemWrite(_ file: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, start, count)
}

/// The signals that request the end of the command: SIGINT, which ctrl-C sends, and SIGTERM.
package enum Interruption {
  /// The number of received signals that request the end of the command.
  private static let requests = Atomic<Int>(0)

  /// Whether a signal has requested that the command end at the next possible point.
  package static var isRequested: Bool { requests.load(ordering: .relaxed) > 0 }

  /// A C callback that SQLite calls while a statement runs; after a signal, it stops the statement.
  ///
  /// It returns 1 (stop) if ``isRequested`` is `true`, else 0.
  package static let stopCheck: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { _ in
    Interruption.isRequested ? 1 : 0
  }

  /// Installs handlers for SIGINT and SIGTERM that request the end of the command.
  ///
  /// The second signal ends the process at once with exit code 130. SIGPIPE is ignored, so that writing
  /// to a closed pipe fails with an error.
  package static func install() {
    // A signal handler must not initialize globals, so the counter is created before the handler.
    _ = isRequested
    // The parent process may have blocked these signals, so they are unblocked.
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

/// The error of work that SIGINT or SIGTERM has interrupted.
package struct Interrupted: Error, CustomStringConvertible {
  package init() {}

  package var description: String { "it was interrupted" }
}
