import Foundation
import HistoryInspection
import HistoryStore
import HistoryTypes
import Measuring

/// A store file with a history of one size, built once and copied for each contender.
struct StoreTemplate: Codable {
  /// The size of history, in transactions.
  let historySize: Int
  let path: String

  /// The default configuration with fixed names, and with random numbers of ``BenchmarkRandom``.
  static var configuration: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.bundleID = "com.example.app"
    configuration.processID = "app"
    configuration.random = BenchmarkRandom.next
    return configuration
  }

  /// The configuration without the signal to other processes, and without member locks.
  ///
  /// The signal has its own benchmark. Raw C (the floor) has no counterpart of a member's lock file, which
  /// a store creates once per launch.
  static var quietConfiguration: StoreConfiguration {
    var configuration = configuration
    configuration.signalsChanges = false
    configuration.memberLocks = .none
    return configuration
  }
}

/// A builder of stores that grows one store and copies it at each size.
struct TemplateBuilder {
  let folder: String
  let seed: UInt64
  let shape: StoreShape
  var configuration = StoreTemplate.configuration

  init(folder: String, seed: UInt64, shape: StoreShape = .base) {
    self.folder = folder
    self.seed = seed
    self.shape = shape
    configuration.layout = shape.layout
    // Like Core Data, store the clock's raw values as timestamps.
    if shape.layout == .coreData { configuration.timestamps = .wallClock }
  }

  /// Writes one store whose history has a number of transactions.
  func write(_ path: String, _ transactions: Int, progress: (Int) throws -> Void) throws {
    try grow(path, from: 0, to: transactions, progress)
  }

  /// Builds a store for each size.
  ///
  /// The `progress` closure receives the number of transactions added since its last call.
  ///
  /// - Complexity: writes each transaction of the largest store once.
  func build(
    sizes: [Int],
    progress: (Int) throws -> Void
  ) throws -> [StoreTemplate] {
    guard !sizes.isEmpty else { return [] }
    let growing = folder + "/growing.sqlite"
    var held = 0
    var templates: [StoreTemplate] = []
    for size in Set(sizes).sorted() {
      try grow(growing, from: held, to: size, progress)
      let path = Self.path(of: size, in: folder, shape)
      try FileManager.default.copyItem(atPath: growing, toPath: path)
      templates.append(StoreTemplate(historySize: size, path: path))
      held = size
    }
    try FileManager.default.removeItem(atPath: growing)
    return templates
  }

  static func path(of size: Int, in folder: String, _ shape: StoreShape = .base) -> String {
    folder + "/template-\(size)\(shape.suffix).sqlite"
  }

  /// Opens the store, extends its history and closes it, which checkpoints its log.
  private func grow(
    _ path: String,
    from held: Int,
    to size: Int,
    _ progress: (Int) throws -> Void
  ) throws {
    let store = try Store(
      path: path,
      model: try SampleData.model(),
      configuration: configuration
    )
    if held == 0 { try load(store) }
    var writer = try HistoryWriter(
      store,
      seed: seed &+ UInt64(held),
      authorCount: shape.authorCount
    )
    var left = size - held
    while left > 0 {
      let part = min(left, 1000)
      try writer.append(part)
      try progress(part)
      // A purge keeps the newest transaction, so the one that loaded the data is purged only now.
      if held == 0 && left == size { try forgetLoading(store) }
      left -= part
    }
  }

  private func load(_ store: Store) throws {
    let items = SampleData.items(SampleData.itemCount)
    var next = 0
    _ = try store.batchInsert(into: SampleData.item, by: BatchAuthor(nil)) { row in
      guard next < items.count else { return false }
      row.set(items[next])
      next += 1
      return true
    }
  }

  /// Purges the transaction that loaded the data, so that all of the history has the same shape.
  private func forgetLoading(_ store: Store) throws {
    let page = try store.fetch(HistoryRequest(after: nil, transactionCountMax: 2))
    if let second = page.transactions.last { try store.purge(before: second.token) }
  }
}

extension RowWriter {
  /// Sets all attributes of a row.
  mutating func set(_ item: SampleItem) {
    set(item.name, at: 0)
    set(item.kind, at: 1)
    set(item.quantity, at: 2)
    set(item.price, at: 3)
    set(item.changed, at: 4)
  }
}

/// The time and memory that a probe needed to build or inspect a store.
struct ProbeOutcome {
  /// The duration of building or inspecting the store, in nanoseconds.
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

  /// Parses the outcome that a probe process prints, from its first two numbers: see ``numbers``.
  init(_ numbers: [Int64]) {
    ns = numbers[0]
    peakBytes = numbers[1] < 0 ? nil : numbers[1]
  }

  init(ns: Int64, peakBytes: Int64?) {
    self.ns = ns
    self.peakBytes = peakBytes
  }

  /// The duration and the peak memory (-1 if not measured), as a probe process prints them.
  var numbers: [Int64] { [ns, peakBytes ?? -1] }
}

/// A probe that builds a store with a given number of transactions of ten changes.
enum BuildProbe {
  /// Builds a store in a separate process, so that memory of other benchmarks is not counted.
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

  /// Builds the store that the arguments describe, and prints its progress, then time and memory.
  static func run(_ arguments: [String], _ print: ([Int64]) -> Void) throws {
    guard arguments.count == 3, let transactions = Int(arguments[1]),
      let seed = UInt64(arguments[2])
    else { throw HelperProcess.WrongArguments() }
    let outcome = try build(path: arguments[0], transactions, seed) { print([Int64($0)]) }
    print(outcome.numbers)
  }

  /// Builds a store, and measures the time and the memory of this process.
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
  /// The numbers of the store's transactions and changes, and the cost of inspecting the store.
  struct Outcome {
    var cost = ProbeOutcome(ns: 0, peakBytes: nil)
    var transactions: Int64 = 0
    var changes: Int64 = 0
  }

  /// Inspects a store in a separate process, so that memory of other benchmarks is not counted.
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

  /// Inspects the store that the arguments name, and prints four numbers.
  ///
  /// The numbers are the duration in nanoseconds, the peak memory in bytes (-1 if not measured),
  /// and the store's numbers of transactions and changes.
  static func run(_ arguments: [String], _ print: ([Int64]) -> Void) throws {
    guard arguments.count == 1 else { throw HelperProcess.WrongArguments() }
    let outcome = try inspect(path: arguments[0])
    print(outcome.cost.numbers + [outcome.transactions, outcome.changes])
  }

  /// Counts a store's transactions and changes, and measures the time and memory of doing so.
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
