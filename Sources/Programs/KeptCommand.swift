import Foundation
import Synchronization

/// A command that runs to its end, and that is killed once the lab is gone for any reason.
package enum KeptCommand {
  /// The interval between two polls, in microseconds.
  private static let lookUs: UInt32 = 10_000

  /// Runs a command through `/bin/sh -c` in its own session, without input.
  ///
  /// Its output goes to a file descriptor, its errors to standard error. The call blocks its
  /// thread.
  ///
  /// - Returns: its exit code, 128 plus the signal that ended it, or `nil` if it was no longer
  ///   wanted and was killed with all its descendants.
  /// - Throws: ``ProgramError`` when the system provides no process.
  package static func run(
    _ command: String,
    output: Int32,
    whileWanted isWanted: () -> Bool
  ) throws(ProgramError) -> Int32? {
    let silence = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { if silence >= 0 { close(silence) } }
    let id = try ChildProcess.starting.withLock { _ throws(ProgramError) in
      try ChildProcess.spawnKept(
        command,
        input: silence,
        output: output,
        errors: STDERR_FILENO
      )
    }
    while true {
      if let code = ending(of: id) {
        ChildKeeper.forget(id)
        return code
      }
      guard isWanted() else {
        ChildProcess.end(id)
        ChildKeeper.forget(id)
        return nil
      }
      usleep(lookUs)
    }
  }

  /// Returns the exit code of a process: `nil` while it runs, 127 if its status is unavailable.
  private static func ending(of id: pid_t) -> Int32? {
    var status: Int32 = 0
    var result: pid_t
    repeat { result = waitpid(id, &status, WNOHANG) } while result < 0 && errno == EINTR
    guard result != 0 else { return nil }
    guard result == id else { return 127 }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
