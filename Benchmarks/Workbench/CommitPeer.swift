import Foundation
import HistoryStore
import Measuring
import PersistentHistory

/// A process that commits to a store and tells when: the other side of a signal.
///
/// It is this command itself under a verb that stands in no help.
package enum CommitPeer {
  private static let verb = "_commit"

  /// One commit: when it was done, and what it took with its signal.
  struct Commit {
    /// The transaction's number.
    let number: Int64
    /// When SQLite had committed and the signal was still to come, on the clock of the machine.
    let doneNs: UInt64
    /// What telling others took.
    let signalNs: UInt64
  }

  /// The path of this command, or nothing in a process that is another one, such as tests.
  static var command: String? {
    guard let path = Bundle.main.executablePath else { return nil }
    let name = URL(fileURLWithPath: path).resolvingSymlinksInPath().lastPathComponent
    return ["history-lab", "HistoryLab"].contains(name) ? path : nil
  }

  // MARK: In the process that measures

  /// Starts the process, which begins to commit at once and pauses after each commit.
  static func start(_ command: String, path: String, commits: Int, pauseUs: Int) throws -> Peer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = [verb, path, "\(commits)", "\(pauseUs)"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    return Peer(process: process, output: output)
  }

  /// A process at work.
  struct Peer {
    fileprivate let process: Process
    fileprivate let output: Pipe

    /// Waits for its end and reads what it did.
    ///
    /// - Throws: ``PeerFailure`` when it failed.
    func finish() throws -> [Commit] {
      let bytes = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw PeerFailure() }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
        let numbers = line.split(separator: " ").compactMap { UInt64($0) }
        guard numbers.count == 3 else { return nil }
        return Commit(number: Int64(numbers[0]), doneNs: numbers[1], signalNs: numbers[2])
      }
    }
  }

  /// The process that commits failed.
  struct PeerFailure: Error {}

  // MARK: In the process that commits

  /// Commits as the arguments say, if they are those of such a process.
  ///
  /// - Returns: the exit code, or nothing when the command has something else to do.
  package static func run(_ arguments: [String]) -> Int32? {
    guard arguments.count == 4, arguments[0] == verb, let commits = Int(arguments[2]),
      let pauseUs = UInt32(arguments[3])
    else { return nil }
    do {
      let lines = try commit(path: arguments[1], commits, pauseUs)
      FileHandle.standardOutput.write(Data(lines.joined(separator: "\n").utf8))
      return 0
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return 70
    }
  }

  private static func commit(
    path: String,
    _ commits: Int,
    _ pauseUs: UInt32
  ) throws -> [String] {
    let moment = Moment()
    var configuration = StoreTemplate.configuration
    configuration.rules.signals = { _ in
      moment.ns = NanosecondClock.wall.now()
      return true
    }
    let store = try Store(path: path, configuration: configuration)
    let item = SampleItem(1)
    return try (0..<commits).map { _ in
      usleep(pauseUs)
      var isDone = false
      let result = try store.batchInsert(into: SampleData.slip, by: BatchAuthor("peer")) { row in
        guard !isDone else { return false }
        row.set(item)
        isDone = true
        return true
      }
      let end = NanosecondClock.wall.now()
      return "\(result.transaction?.number ?? 0) \(moment.ns) \(end - moment.ns)"
    }
  }
}

/// When the last commit was done; the one thread that commits sets and reads it.
private final class Moment: @unchecked Sendable {
  var ns: UInt64 = 0
}
