import Foundation
import Systems

/// A process of a stress run, seen from the run: one life of one actor.
final class StressChild {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = ""
  private(set) var isStopped = false

  /// Starts the process; what it says on standard error goes to a file.
  init(_ command: String, _ role: StressRole, errors: FileHandle) throws {
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = [StressParticipant.verb, try role.argument()]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    process.terminationHandler = { ChildKeeper.forget($0.processIdentifier) }
    try process.run()
    // It leads a group of its own. One that is stopped cannot find that this process is gone.
    try ChildKeeper.keep(process.processIdentifier)
    let descriptor = output.fileHandleForReading.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  deinit { kill() }

  var isRunning: Bool { process.isRunning }

  /// How it ended: the signal that killed it, or its exit code.
  var ending: (isSignal: Bool, code: Int32) {
    (process.terminationReason == .uncaughtSignal, process.terminationStatus)
  }

  /// Tells the process what to do; one that is gone is found out otherwise.
  func tell(_ order: StressOrder) {
    let line = Array("\(order.line)\n".utf8)
    _ = write(input.fileHandleForWriting.fileDescriptor, line, line.count)
  }

  /// The words that it has said since somebody asked, without waiting.
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

  /// Lets it find that nobody tells it anything any more, and waits until it has ended.
  func leave() {
    input.fileHandleForWriting.closeFile()
    waitForEnd()
  }

  /// Waits until it has ended.
  func waitForEnd() { process.waitUntilExit() }

  // MARK: Signals

  /// Ends it on the spot.
  func kill() { send(SIGKILL) }

  /// Lets it stand still.
  func stop() {
    isStopped = true
    send(SIGSTOP)
  }

  /// Lets it go on.
  func goOn() {
    isStopped = false
    send(SIGCONT)
  }

  private func send(_ signal: Int32) {
    if process.isRunning { _ = Foundation.kill(process.processIdentifier, signal) }
  }
}
