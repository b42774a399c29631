import Foundation

/// A process of a stress run, seen from the run.
final class StressChild {
  let name: String
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// How long an answer is waited for, in milliseconds.
  private static let answerMs = 120_000

  /// The process did not answer.
  enum Failure: Error {
    case ended(code: Int32)
    case silent
  }

  /// Starts the process.
  init(_ command: String, store: String, name: String, seed: UInt64) throws {
    self.name = name
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = [StressParticipant.verb, store, name, String(seed)]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  var isRunning: Bool { process.isRunning }

  /// Tells the process what to do; one that is gone is found out when it does not answer.
  func tell(_ word: StressWord) {
    let line = Array("\(word.rawValue)\n".utf8)
    _ = write(input.fileHandleForWriting.fileDescriptor, line, line.count)
  }

  /// Waits for a word.
  func expect(_ word: StressWord) throws(Failure) {
    while try line() != Data(word.rawValue.utf8) {}
  }

  /// Waits for the report.
  func report() throws -> StressReport {
    try JSONDecoder().decode(StressReport.self, from: try line())
  }

  /// Tells the process to end, and waits until it has.
  func end() {
    tell(.end)
    process.waitUntilExit()
  }

  private func line() throws(Failure) -> Data {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(unread[..<end])
        unread = Data(unread[(end + 1)...])
        return line
      }
      let bytes = try available()
      guard !bytes.isEmpty else {
        process.waitUntilExit()
        throw .ended(code: process.terminationStatus)
      }
      unread += bytes
    }
  }

  private func available() throws(Failure) -> Data {
    let file = output.fileHandleForReading
    var request = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
    for _ in 0..<Self.answerMs / 1000 where poll(&request, 1, 1000) > 0 {
      return file.availableData
    }
    process.terminate()
    throw .silent
  }
}
