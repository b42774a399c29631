import Foundation
import HistoryStore
import Measuring
import PersistentHistory

/// A process that commits to a store and reports the times, for measuring signals.
enum CommitPeer {
  /// A commit with its times.
  struct Commit {
    /// The transaction's number.
    let number: Int64
    /// The time on the machine's clock after SQLite's commit and before the signal, in ns.
    let doneNs: UInt64
    /// The duration of signalling other processes, in ns.
    let signalNs: UInt64
  }

  /// Starts a process that pauses before each commit, waits for its end, and returns the commits.
  static func commits(
    _ command: String,
    path: String,
    commits: Int,
    pauseUs: Int
  ) throws -> [Commit] {
    let peer = try HelperProcess.start(command, .commit, [path, "\(commits)", "\(pauseUs)"])
    var done: [Commit] = []
    try peer.finish { numbers in
      guard numbers.count == 3 else { return }
      done.append(
        Commit(
          number: numbers[0],
          doneNs: UInt64(bitPattern: numbers[1]),
          signalNs: UInt64(bitPattern: numbers[2])
        )
      )
    }
    return done
  }

  /// Commits according to the arguments, and prints all commits at the end.
  static func run(_ arguments: [String], _ print: ([Int64]) -> Void) throws {
    guard arguments.count == 3, let commits = Int(arguments[1]),
      let pauseUs = UInt32(arguments[2])
    else { throw HelperProcess.WrongArguments() }
    for line in try commit(path: arguments[0], commits, pauseUs) { print(line) }
  }

  private static func commit(
    path: String,
    _ commits: Int,
    _ pauseUs: UInt32
  ) throws -> [[Int64]] {
    let moment = Moment()
    var configuration = StoreTemplate.configuration
    configuration.witness = StoreWitness(begins: { _ in }, ends: { _ in })
    configuration.witness?.signals = { _ in moment.ns = NanosecondClock.wall.now() }
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
      return [result.transaction?.number ?? 0, Int64(moment.ns), Int64(end - moment.ns)]
    }
  }
}

/// The time of the last commit; only the committing thread uses it.
private final class Moment: @unchecked Sendable {
  var ns: UInt64 = 0
}
