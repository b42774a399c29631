import HistoryStore
import Measuring

/// The time and memory that a probe needed to build or inspect a store.
struct ProbeOutcome {
  /// The time, in nanoseconds.
  var ns: Int64 = 0
  /// The peak resident memory of the process in bytes, or `nil` if it was not measured.
  var peakBytes: Int64?

  /// Runs a closure and measures its time and the process's memory.
  static func take(_ body: () throws -> Void) throws -> ProbeOutcome {
    let memory = ResidentMemory()
    let start = NanosecondClock.wall.now()
    try body()
    let ns = Int64(NanosecondClock.wall.now() - start)
    return ProbeOutcome(ns: ns, peakBytes: memory?.peakBytes)
  }

  /// Parses the numbers printed by a probe process.
  init(_ numbers: [Int64]) {
    ns = numbers[0]
    peakBytes = numbers[1] < 0 ? nil : numbers[1]
  }

  init(ns: Int64, peakBytes: Int64?) {
    self.ns = ns
    self.peakBytes = peakBytes
  }

  /// The numbers that ``init(_:)`` parses.
  var numbers: [Int64] { [ns, peakBytes ?? -1] }
}

/// A probe that builds a store with a given number of transactions of ten changes.
enum BuildProbe {
  /// Builds in a separate process, so that other memory is not counted.
  static func measure(
    _ command: String,
    path: String,
    transactions: Int,
    seed: UInt64,
    progress: (Int) throws -> Void
  ) throws -> ProbeOutcome {
    var outcome = ProbeOutcome(ns: 0, peakBytes: nil)
    let arguments = [path, "\(transactions)", "\(seed)"]
    try HelperProcess.start(command, .build, arguments).finish { numbers in
      if numbers.count == 1 { try progress(Int(numbers[0])) }
      if numbers.count == 2 { outcome = ProbeOutcome(numbers) }
    }
    return outcome
  }

  /// Builds according to the arguments, and prints the progress and the outcome.
  static func run(_ arguments: [String], _ print: ([Int64]) -> Void) throws {
    guard arguments.count == 3, let transactions = Int(arguments[1]),
      let seed = UInt64(arguments[2])
    else { throw HelperProcess.WrongArguments() }
    let outcome = try build(path: arguments[0], transactions, seed) { print([Int64($0)]) }
    print(outcome.numbers)
  }

  /// Builds in this process.
  static func build(
    path: String,
    _ transactions: Int,
    _ seed: UInt64,
    progress: (Int) throws -> Void
  ) throws -> ProbeOutcome {
    try ProbeOutcome.take {
      try TemplateBuilder(folder: "", seed: seed).write(path, transactions, progress: progress)
    }
  }
}

/// A probe that inspects a store, as `history-lab inspect` does.
enum InspectProbe {
  /// The contents of the store, and the cost of the inspection.
  struct Outcome {
    var cost = ProbeOutcome(ns: 0, peakBytes: nil)
    var transactions: Int64 = 0
    var changes: Int64 = 0
  }

  /// Inspects in a separate process, so that other memory is not counted.
  static func measure(_ command: String, path: String) throws -> Outcome {
    var outcome = Outcome()
    try HelperProcess.start(command, .inspect, [path]).finish { numbers in
      guard numbers.count == 4 else { return }
      outcome = Outcome(
        cost: ProbeOutcome(numbers),
        transactions: numbers[2],
        changes: numbers[3]
      )
    }
    return outcome
  }

  /// Inspects according to the arguments, and prints the outcome.
  static func run(_ arguments: [String], _ print: ([Int64]) -> Void) throws {
    guard arguments.count == 1 else { throw HelperProcess.WrongArguments() }
    let outcome = try inspect(path: arguments[0])
    print(outcome.cost.numbers + [outcome.transactions, outcome.changes])
  }

  /// Inspects in this process.
  static func inspect(path: String) throws -> Outcome {
    var outcome = Outcome()
    outcome.cost = try ProbeOutcome.take {
      let census = try StoreInspector().census(of: path)
      outcome.transactions = Int64(census.transactions)
      outcome.changes = Int64(census.changes)
    }
    return outcome
  }
}
