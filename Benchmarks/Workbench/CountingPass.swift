import BenchmarkFloor
import Foundation
import Measuring
import SQLiteStorage

/// A pass that counts what each compared program of a benchmark does in one measurement.
///
/// The pass counts page reads, system calls and allocations, for example. It measures no times,
/// because counting makes the work slower, especially with an allocator that keeps counts.
struct CountingPass {
  let subject: BenchmarkSubject
  /// The settings, one per history size of the benchmark.
  let settings: [BenchmarkSetting]
  let seed: UInt64
  /// The conditions that results list after the benchmark's own, as text such as `warm, tmpfs`.
  let condition: String
  /// The reason given if allocations cannot be counted.
  var withoutAllocations = "this process cannot be started again under jemalloc"

  /// The number of uncounted first measurements, which fill caches and prepare statements.
  private static let warmUp = 2

  /// Counts the work of each compared program at each history size.
  ///
  /// Returns no rows for a benchmark that is not measured in rounds.
  func rows() throws -> [BenchmarkRow] {
    guard case .rounds(_, let prepare) = subject.method else { return [] }
    let allocations = AllocationCounter()
    let io = ThreadIO()
    let sources = [io?.source, SQLiteCounts.source, allocations?.source].compactMap(\.self)
    let meter = WorkMeter(sources)
    var rows: [BenchmarkRow] = []
    for setting in settings {
      BenchmarkRandom.restart()
      try SQLiteCounts.counting {
        for work in try prepare(setting) { rows += try count(work, meter, setting.historySize) }
      }
      try setting.scratch.removeCopies()
    }
    if io == nil {
      rows += missing([.systemCalls, .bytesRead, .bytesWritten], "only Linux counts it")
    }
    if allocations == nil { rows += missing(Metric.allocator, withoutAllocations) }
    for index in rows.indices { rows[index].axis = subject.axis?.name }
    return rows
  }

  private func count(
    _ work: MeasuredWork,
    _ meter: WorkMeter,
    _ size: Int
  ) throws -> [BenchmarkRow] {
    let contender = Contender(work.contender, operations: work.operations) {
      _ = try work.measure(&$0)
    }
    for _ in 0..<Self.warmUp { _ = try contender.measure(with: Stopwatch(counting: meter)) }
    _ = meter.take()
    let memory = ResidentMemory()
    _ = try contender.measure(with: Stopwatch(counting: meter))
    let growth = memory?.growthBytes
    var rows = zip(meter.metrics, meter.take()).map { metric, sum in
      row(work.contender, size, metric, Double(sum) / Double(work.operations))
    }
    for index in rows.indices { rows[index].varies = work.varies }
    if let growth {
      var row = row(work.contender, size, .residentGrowth, Double(growth))
      row.varies = SampledRow.memoryVaries
      rows.append(row)
    }
    return rows
  }

  private func row(
    _ contender: String,
    _ size: Int,
    _ metric: Metric,
    _ value: Double
  ) -> BenchmarkRow {
    BenchmarkRow(
      subject: subject.part,
      operation: subject.operation,
      condition: subject.fullCondition(condition),
      contender: contender,
      historySize: size,
      metric: metric,
      samples: [value],
      seed: seed
    )
  }

  private func missing(_ metrics: [Metric], _ reason: String) -> [BenchmarkRow] {
    metrics.map { metric in
      BenchmarkRow(
        subject: subject.part,
        operation: subject.operation,
        condition: subject.fullCondition(condition),
        contender: BenchmarkSubject.ours,
        historySize: settings.last?.historySize ?? 0,
        metric: metric,
        notMeasured: reason,
        seed: seed
      )
    }
  }
}

extension BenchmarkSubject {
  /// Returns the text of the benchmark's own conditions and the shared ones: `10 new, warm, tmpfs`.
  func fullCondition(_ shared: String) -> String {
    [condition, shared].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

/// A separate process that counts a benchmark's work, with an allocator that counts allocations.
enum CountingProcess {
  /// The file in the scratch folder that receives the counts of a benchmark.
  private static let file = "/counted.json"

  /// The prebuilt stores of one history size; the process does the counted work on copies.
  struct Place: Codable {
    var template: StoreTemplate
    var base: StoreTemplate?
    var other: StoreTemplate?
  }

  /// The arguments of a process that counts a benchmark's work.
  struct Request: Codable {
    var subject: String
    var folder: String
    var medium: String
    var stores: [Place]
    @HexCoded var seed: UInt64
    var repetitionDivisor: Int
    var condition: String
    var withoutAllocations: String
  }

  /// Counts the work of a benchmark in a separate process.
  static func rows(
    _ pass: CountingPass,
    _ scratch: ScratchFolder,
    _ command: String
  ) throws
    -> [BenchmarkRow]
  {
    let request = Request(
      subject: pass.subject.name,
      folder: scratch.path,
      medium: scratch.medium,
      stores: pass.settings.map {
        Place(template: $0.template, base: $0.baseTemplate, other: $0.otherLayout)
      },
      seed: pass.seed,
      repetitionDivisor: pass.settings.first?.repetitionDivisor ?? 1,
      condition: pass.condition,
      withoutAllocations: JemallocLibrary.absence
    )
    let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    try HelperProcess.start(command, .count, [text], environment: environment).finish { _ in }
    let path = scratch.path + file
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    try FileManager.default.removeItem(atPath: path)
    return try JSONDecoder().decode([BenchmarkRow].self, from: data)
  }

  /// The environment variables of a counting process.
  ///
  /// The variables load jemalloc if it was found, and make the order of sets and dictionaries the
  /// same in every process.
  static var environment: [String: String] {
    let jemalloc = JemallocLibrary.find()?.environment ?? [:]
    return jemalloc.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
  }

  /// Counts the work of the benchmark that the argument names, and writes the rows to the folder.
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 1 else { throw HelperProcess.WrongArguments() }
    let request = try JSONDecoder().decode(Request.self, from: Data(arguments[0].utf8))
    guard let subject = Subjects.named(request.subject) else {
      throw HelperProcess.WrongArguments()
    }
    let scratch = ScratchFolder(existing: request.folder, medium: request.medium)
    let pass = CountingPass(
      subject: subject,
      settings: request.stores.map { store in
        var setting = BenchmarkSetting(
          historySize: store.template.historySize,
          template: store.template,
          scratch: scratch,
          repetitionDivisor: request.repetitionDivisor
        )
        setting.axis = subject.axis
        setting.baseTemplate = store.base
        setting.otherLayout = store.other
        return setting
      },
      seed: request.seed,
      condition: request.condition,
      withoutAllocations: request.withoutAllocations
    )
    let data = try JSONEncoder().encode(try pass.rows())
    try data.write(to: URL(fileURLWithPath: request.folder + file))
  }
}

/// The jemalloc library, which keeps counts of allocations.
struct JemallocLibrary {
  private let path: String

  /// The reason why allocations are not counted if jemalloc was not found, with a suggestion.
  static let absence =
    "jemalloc was not found; get it with apt-get install libjemalloc2 or brew install jemalloc, or "
    + "set HISTORY_LAB_JEMALLOC to the path of the library"

  /// Finds jemalloc at the path in `HISTORY_LAB_JEMALLOC`, else at one of its usual paths.
  static func find() -> JemallocLibrary? {
    let named = ProcessInfo.processInfo.environment["HISTORY_LAB_JEMALLOC"]
    let found = ([named].compactMap(\.self) + usual).first {
      FileManager.default.fileExists(atPath: $0)
    }
    return found.map { JemallocLibrary(path: $0) }
  }

  /// The environment variables that load jemalloc into a new process, and that configure it.
  var environment: [String: String] {
    #if canImport(Darwin)
    let preload = "DYLD_INSERT_LIBRARIES"
    #else
    let preload = "LD_PRELOAD"
    #endif
    return [preload: path, "MALLOC_CONF": AllocationCounter.configuration]
  }

  #if canImport(Darwin)
  private static let usual = [
    "/opt/homebrew/lib/libjemalloc.2.dylib", "/usr/local/lib/libjemalloc.2.dylib",
  ]
  #else
  private static let usual = [
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
    "/usr/local/lib",
  ].map { $0 + "/libjemalloc.so.2" }
  #endif
}

extension SQLiteCounts {
  /// The counts of the connections recorded by ``counting(_:)``, as a source for a meter.
  static var source: WorkMeter.Source {
    WorkMeter.Source([.vmSteps, .pageReads, .pageWrites, .rowsWritten]) { numbers in
      var counts = SQLiteCounts()
      counts_read(&counts)
      numbers[0] = counts.vm_steps
      numbers[1] = counts.page_reads
      numbers[2] = counts.page_writes
      numbers[3] = counts.rows
    }
  }

  /// Held while counting: only one thread can count at a time.
  private static let lock = NSLock()

  /// Counts the work of the connections that this thread opens in a closure.
  ///
  /// - Throws: ``FloorError`` if SQLite does not register the automatic extension that counts, or the
  ///   error of the closure.
  static func counting<Answer>(_ body: () throws -> Answer) throws -> Answer {
    lock.lock()
    defer { lock.unlock() }
    let code = counts_start()
    guard code == 0 else {
      throw FloorError(
        code: code,
        message: "SQLite did not register the functions that count its work"
      )
    }
    defer { counts_stop() }
    return try body()
  }
}
