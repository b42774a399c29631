import HistoryStore
import Measuring
import PersistentHistory

/// A probe that streams a whole history page by page, and measures its memory.
enum StreamProbe {
  /// The result of a probe.
  struct Outcome {
    var transactions: Int64 = 0
    var changes: Int64 = 0
    /// The total time, in nanoseconds.
    var ns: Int64 = 0
    /// The greatest growth of the process's memory in bytes, or `nil` if it was not measured.
    var growthBytes: Int64?
  }

  /// Streams in a separate process, so that the memory of other benchmarks is not counted.
  static func measure(_ command: String, path: String) throws -> Outcome {
    var outcome = Outcome()
    try HelperProcess.start(command, .stream, [path]).finish { numbers in
      guard numbers.count == 4 else { return }
      outcome = Outcome(
        transactions: numbers[0],
        changes: numbers[1],
        ns: numbers[2],
        growthBytes: numbers[3] < 0 ? nil : numbers[3]
      )
    }
    return outcome
  }

  /// Streams according to the arguments, and prints the outcome.
  static func run(_ arguments: [String], _ print: ([Int64]) -> Void) throws {
    guard arguments.count == 1 else { throw HelperProcess.WrongArguments() }
    let outcome = try stream(path: arguments[0])
    print([outcome.transactions, outcome.changes, outcome.ns, outcome.growthBytes ?? -1])
  }

  /// Streams in this process.
  static func stream(path: String) throws -> Outcome {
    let store = try Store(path: path, configuration: StoreTemplate.quietConfiguration)
    let memory = ResidentMemory()
    var outcome = Outcome()
    let start = NanosecondClock.wall.now()
    var reader = try store.reader(HistoryRequest(after: nil))
    while let page = try reader.next() {
      // A transaction that continues on the next page is counted there.
      outcome.transactions += Int64(page.records.count) - (page.rest == nil ? 0 : 1)
      outcome.changes += Int64(page.changes.count)
    }
    outcome.ns = Int64(NanosecondClock.wall.now() - start)
    outcome.growthBytes = memory?.growthBytes
    return outcome
  }
}
