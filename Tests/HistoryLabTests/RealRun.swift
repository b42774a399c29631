import Foundation

@testable import HistoryLab

/// The command itself as a process, with its runs in a folder of the test.
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

  /// Those that the process has started and that have not ended, by their numbers.
  func children() throws -> [pid_t] {
    try Self.processes().filter { $0.parent == process.processIdentifier && !$0.isDead }.map(\.id)
  }

  /// Those of some processes that have not ended.
  static func living(of children: [pid_t]) throws -> [pid_t] {
    try processes().filter { children.contains($0.id) && !$0.isDead }.map(\.id)
  }

  /// Those of some processes that have not ended within a second; they are killed.
  static func livingAfterASecond(of children: [pid_t]) throws -> [pid_t] {
    let deadline = ContinuousClock.now + .seconds(1)
    var living = children
    while !living.isEmpty, ContinuousClock.now < deadline { living = try Self.living(of: children) }
    for child in living { kill(child, SIGKILL) }
    return living
  }

  private struct Listed {
    let id: pid_t
    let parent: pid_t
    /// Whether nobody has only taken note of its end.
    let isDead: Bool
  }

  private static func processes() throws -> [Listed] {
    let list = Process()
    let output = Pipe()
    list.executableURL = URL(fileURLWithPath: "/bin/ps")
    list.arguments = ["-A", "-o", "pid=,ppid=,stat="]
    list.standardOutput = output
    try list.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(),
      as: UTF8.self
    )
    list.waitUntilExit()
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 3, let id = pid_t(words[0]), let parent = pid_t(words[1]) else {
        return nil
      }
      return Listed(id: id, parent: parent, isDead: words[2].hasPrefix("Z"))
    }
  }
}
