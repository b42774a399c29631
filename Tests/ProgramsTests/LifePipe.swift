import Foundation
import TestSupport

/// A named pipe that processes keep open while they live; its end shows that all have ended.
final class LifePipe {
  private let folder: TemporaryFolder
  private let file: Int32

  /// A shell command that keeps it open in all processes that the shell starts.
  var command: String { "exec 9>'\(folder.path("life"))'" }

  init() throws {
    folder = try TemporaryFolder()
    guard mkfifo(folder.path("life"), 0o600) == 0 else { throw POSIXError(.EIO) }
    file = open(folder.path("life"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
  }

  deinit { close(file) }

  /// Blocks until no process keeps it open or some time has passed; returns whether none does.
  func ends(within time: Duration) -> Bool {
    let deadline = ContinuousClock.now + time
    while case let left = deadline - ContinuousClock.now, left > .zero {
      var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      _ = poll(&request, 1, Int32((left / .milliseconds(1)).rounded(.up)))
      var byte: UInt8 = 0
      if read(file, &byte, 1) == 0 { return true }
    }
    return false
  }

  /// A file of the pipe's folder.
  func path(_ name: String) -> String { folder.path(name) }
}
