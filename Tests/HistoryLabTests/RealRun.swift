import Foundation
import Systems
import Testing

@testable import HistoryLab

/// The command itself as a process, with its runs in a folder of the test; waiting for it blocks.
final class RealRun {
  private let process = Process()
  private let folder: String

  /// Starts the command with its output in a folder; what it says is let go.
  init(_ command: String, _ words: [String], in folder: String) throws {
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

  /// Waits until something holds, as long as the process runs; whether it then held.
  func waits(until isSo: () throws -> Bool) rethrows -> Bool {
    while process.isRunning {
      if try isSo() { return true }
      sched_yield()
    }
    return try isSo()
  }

  /// Whether a file of the newest run is there.
  func has(_ file: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/latest/\(file)")
  }

  /// Sends a signal, and waits for the end.
  ///
  /// - Returns: its exit code, or nothing when the signal ended it on the spot.
  func end(by signal: Int32) -> Int32? {
    send(signal)
    // Foundation waits as long as anybody lives whom the process has started.
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : nil
  }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The running processes that the process has started, by their numbers.
  func children() throws -> [pid_t] {
    try #require(RunningProcess.all()).filter { $0.parent == process.processIdentifier }.map(\.id)
  }

  /// Those of some processes that have not ended.
  static func living(of children: [pid_t]) throws -> [pid_t] {
    try #require(RunningProcess.all()).map(\.id).filter(children.contains)
  }

  /// Stops a process, and waits until all its threads are stopped where `/proc` shows that: only then
  /// does the end of its parent let it go on.
  static func stop(_ child: pid_t) throws {
    kill(child, SIGSTOP)
    let threads = "/proc/\(child)/task"
    while let ids = try? FileManager.default.contentsOfDirectory(atPath: threads) {
      let states = ids.map { try? String(contentsOfFile: "\(threads)/\($0)/stat", encoding: .utf8) }
      if states.allSatisfy({ $0?.contains(") T ") ?? true }) { return }
      sched_yield()
    }
  }

  /// Those of some processes that have not ended in time; they are killed.
  static func livingInTheEnd(of children: [pid_t]) throws -> [pid_t] {
    let deadline = ContinuousClock.now + .seconds(20)
    var living = children
    while !living.isEmpty, ContinuousClock.now < deadline { living = try Self.living(of: children) }
    for child in living { kill(child, SIGKILL) }
    return living
  }
}
