import Dispatch
import Synchronization

/// The command and the limits of a program under test.
package struct ExternalProgram: Hashable, Sendable {
  /// The command, which `/bin/sh -c` runs.
  package var command: String
  /// The time limit for an answer.
  package var timeout: Duration
  /// The maximum length of a line of output, in bytes (default: 16 MiB).
  package var lineByteCountMax = 16 << 20
  /// The time that the program has to end after its input is closed (default: 1 second).
  package var grace = Duration.seconds(1)

  /// The default time limit for an answer, in seconds.
  package static let secondsByDefault = 10.0

  package init(_ command: String, timeout: Duration = .seconds(secondsByDefault)) {
    self.command = command
    self.timeout = timeout
  }

  /// The prefix of the system name of an external program; the program's command follows it.
  package static let namePrefix = "external:"

  /// Returns the command in a system's name; `nil` if the system is not an external program.
  package static func command(in name: String) -> String? {
    guard name.hasPrefix(namePrefix) else { return nil }
    return String(name.dropFirst(namePrefix.count))
  }
}

/// A connection to a program under test, which answers each line with one line.
package protocol WireChannel: AnyObject {
  /// Sends a line, given without its newline, and returns the line that the program answers.
  ///
  /// - Throws: ``ProgramError`` when no readable line comes in time; the channel is unusable
  ///   afterwards.
  func exchange(_ line: String) throws(ProgramError) -> String

  /// Waits for a line without sending one; returns `nil` if no line comes in time.
  ///
  /// - Throws: ``ProgramError`` when the program has ended or its line cannot be read.
  func receive(within time: Duration) throws(ProgramError) -> String?

  /// Closes the program's input, and kills the program if it does not end.
  func close()

  /// The end of the program's output on standard error; empty if there was none.
  var lastErrors: String { get }
}

/// The reason for a missing answer, as a clause: "it was silent for 10 seconds".
package struct ProgramError: Error, Hashable, Sendable {
  package var clause: String

  package init(_ clause: String) { self.clause = clause }
}

/// A program's output on standard error over all its launches, up to a limit.
package final class StandardErrorText: Sendable {
  /// The maximum number of bytes kept from the start of the output, where the first error usually is.
  private static let byteCountMax = 1 << 20
  /// The number of bytes at the end of the output that are kept for error messages.
  private static let tailByteCount = 1 << 10

  private struct State {
    var kept: [UInt8] = []
    var tail: [UInt8] = []
    var leftOut = 0
  }
  private let state = Mutex(State())

  package init() {}

  /// Adds output of the program, of which only the start and the end are kept.
  ///
  /// The start is limited to 1 MiB, and the end to 1 KiB.
  func append(_ bytes: some Collection<UInt8>) {
    state.withLock { state in
      let room = Self.byteCountMax - state.kept.count
      state.kept += bytes.prefix(room)
      state.leftOut += bytes.count - min(bytes.count, room)
      state.tail = (state.tail + bytes).suffix(Self.tailByteCount)
    }
  }

  /// Clears ``tail``, so that it contains only output of the launch that follows.
  func beginLaunch() { state.withLock { $0.tail = [] } }

  /// The end of the output since the last launch; bytes that are not UTF-8 are shown as U+FFFD.
  package var tail: String { state.withLock { String(decoding: $0.tail, as: UTF8.self) } }

  /// All kept output, with a line that states how many bytes were dropped.
  package var text: String {
    state.withLock { state in
      let text = String(decoding: state.kept, as: UTF8.self)
      return state.leftOut > 0 ? text + "\n[\(state.leftOut) more bytes]\n" : text
    }
  }
}

/// A task executor that runs each job on a thread of its own, for jobs that wait for programs.
///
/// Swift's cooperative pool has one thread per processor. Jobs that block these threads would stop
/// all other tasks.
package final class ThreadPerJob: TaskExecutor {
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A dedicated queue always gets a thread.
    DispatchQueue(label: "history-lab.job").async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
