package import Foundation
import HistoryLab
import Programs
import Systems
import Testing

/// The command as a process, with its runs in a folder of the test; waiting for it blocks.
package final class RealRun {
  private let process = Process()
  private let folder: String

  /// Starts the command with its results in a folder; its output is discarded.
  package init(_ command: String, _ words: [String], in folder: String) throws {
    self.folder = folder
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = words + ["--output", folder]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// Waits until a condition holds or the process ends; returns whether it held.
  package func waits(until isSo: () throws -> Bool) rethrows -> Bool {
    while process.isRunning {
      if try isSo() { return true }
      sched_yield()
    }
    return try isSo()
  }

  /// Returns whether a file of the newest run exists.
  package func has(_ file: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/latest/\(file)")
  }

  /// Sends a signal, and waits for the end.
  ///
  /// - Returns: Its exit code, or `nil` if the signal killed it.
  package func end(by signal: Int32) -> Int32? {
    send(signal)
    // Foundation waits until all children of the process have ended too.
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : nil
  }

  /// Sends a signal.
  package func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The running child processes, by process id.
  package func children() throws -> [pid_t] {
    try #require(RunningProcess.all()).filter { $0.parent == process.processIdentifier }.map(\.id)
  }

  /// Returns those of some processes that are running.
  package static func living(of children: [pid_t]) throws -> [pid_t] {
    try #require(RunningProcess.all()).map(\.id).filter(children.contains)
  }

  /// Stops a process, and waits until `/proc` shows all its threads as stopped.
  ///
  /// Only then does it resume when its parent ends.
  package static func stop(_ child: pid_t) throws {
    kill(child, SIGSTOP)
    let threads = "/proc/\(child)/task"
    while let ids = try? FileManager.default.contentsOfDirectory(atPath: threads) {
      let states = ids.map { try? String(contentsOfFile: "\(threads)/\($0)/stat", encoding: .utf8) }
      if states.allSatisfy({ $0?.contains(") T ") ?? true }) { return }
      sched_yield()
    }
  }

  /// Returns those of some processes that have not ended in time; they are killed.
  package static func livingInTheEnd(of children: [pid_t]) throws -> [pid_t] {
    let deadline = ContinuousClock.now + .seconds(20)
    var living = children
    while !living.isEmpty, ContinuousClock.now < deadline { living = try Self.living(of: children) }
    for child in living { kill(child, SIGKILL) }
    return living
  }
}

/// Sends a signal to this thread, which receives it before the call returns.
///
/// The threads of a pool block signals, which the process otherwise handles on its main thread.
package func raiseHere(_ number: Int32) {
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, number)
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  raise(number)
}
