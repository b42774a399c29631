import Foundation
import Systems

/// A process of a stress run, which is one life of one actor, as seen by the run.
final class StressChild {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = ""
  private(set) var isStopped = false

  /// Starts the process with its standard error redirected to a file.
  init(_ command: String, _ role: StressRole, errors: FileHandle) throws {
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = [StressParticipant.verb, try role.argument()]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    process.terminationHandler = { ChildKeeper.forget($0.processIdentifier) }
    try process.run()
    // It leads its own process group. The keeper ends it, since a stopped process would not notice
    // that this process is gone.
    try ChildKeeper.keep(process.processIdentifier)
    let descriptor = output.fileHandleForReading.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  deinit { kill() }

  var isRunning: Bool { process.isRunning }

  /// The cause of the end: the signal that killed the process, or its exit code.
  var ending: (isSignal: Bool, code: Int32) {
    (process.terminationReason == .uncaughtSignal, process.terminationStatus)
  }

  /// Sends an order; if the process is gone, the failed write is ignored.
  func tell(_ order: StressOrder) {
    let line = Array("\(order.line)\n".utf8)
    _ = write(input.fileHandleForWriting.fileDescriptor, line, line.count)
  }

  /// Returns the words received since the last call, without waiting.
  func words() -> [StressWord] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let descriptor = output.fileHandleForReading.fileDescriptor
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { break }
      unread += String(decoding: bytes[..<count], as: UTF8.self)
    }
    var lines = unread.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    unread = lines.removeLast()
    return lines.compactMap(StressWord.init)
  }

  /// Closes the process's standard input, and waits until the process has ended.
  func leave() {
    input.fileHandleForWriting.closeFile()
    waitForEnd()
  }

  func waitForEnd() { process.waitUntilExit() }

  // MARK: Signals

  /// Kills the process with SIGKILL.
  func kill() { send(SIGKILL) }

  /// Stops the process with SIGSTOP.
  func stop() {
    isStopped = true
    send(SIGSTOP)
  }

  /// Continues the process with SIGCONT.
  func goOn() {
    isStopped = false
    send(SIGCONT)
  }

  private func send(_ signal: Int32) {
    if process.isRunning { _ = Foundation.kill(process.processIdentifier, signal) }
  }
}
