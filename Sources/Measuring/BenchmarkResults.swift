import Basics

/// The results of one run of the benchmarks, as stored in `results.json`.
///
/// The key `results` carries the version of the format. A reader accepts its own version and older
/// ones, and rejects newer ones with an error.
package struct BenchmarkResults: Sendable, Hashable, Codable {
  /// The version of the format that this program writes.
  package static let formatVersion = 1

  /// The machine, software and time of the measurement.
  package var environment: RunEnvironment
  /// The rows in the order of measuring.
  package var rows: [BenchmarkRow]
  /// The parts of a run that were merged into these results, or `nil` if one process measured all.
  package var parts: [RunPart]?

  package init(environment: RunEnvironment, rows: [BenchmarkRow], parts: [RunPart]? = nil) {
    self.environment = environment
    self.rows = rows
    self.parts = parts
  }

  private enum CodingKeys: String, CodingKey {
    case version = "results"
    case environment
    case rows
    case parts
  }

  /// Decodes results of a supported version.
  ///
  /// - Throws: `DecodingError`, including for an unsupported version.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _ = try container.version(of: "results", newest: Self.formatVersion, forKey: .version)
    environment = try container.decode(RunEnvironment.self, forKey: .environment)
    rows = try container.decode([BenchmarkRow].self, forKey: .rows)
    parts = try container.decodeIfPresent([RunPart].self, forKey: .parts)
  }

  /// Encodes the results with their version.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.formatVersion, forKey: .version)
    try container.encode(environment, forKey: .environment)
    try container.encode(rows, forKey: .rows)
    try container.encodeIfPresent(parts, forKey: .parts)
  }

  /// The history sizes, smallest first.
  package var historySizes: [Int] {
    Set(rows.filter { $0.sizeUnit == nil }.map(\.historySize)).sorted()
  }

  /// The titles of the benchmarks, in the order of their first row.
  package var titles: [String] { rows.map(\.title).uniqued }

  /// The titles of the benchmarks that were measured in the base condition; if none, all titles.
  ///
  /// In the base condition, ``BenchmarkRow/axis`` is `nil`.
  package var baseTitles: [String] {
    let base = BenchmarkResults(environment: environment, rows: rows.filter { $0.axis == nil })
    return base.rows.isEmpty ? titles : base.titles
  }

  /// Returns one contender's samples in one benchmark on one metric, by history size.
  ///
  /// - Returns: The curve, or `nil` if there are no samples.
  package func curve(title: String, contender: String, metric: Metric) -> CostCurve? {
    CostCurve(
      rows.filter { $0.contender == contender && $0.metric == metric && $0.title == title },
      metric: metric
    )
  }
}

/// The samples of one contender in one operation at one history size, on one metric.
///
/// The results of a run consist of rows. A contender is a measured program, such as this project's
/// store or plain SQLite in C.
package struct BenchmarkRow: Sendable, Hashable, Codable {
  /// The part of the system that is measured, such as `Store.fetch`.
  package var subject: String
  /// The operation that is measured, such as `after token`.
  package var operation: String
  /// The conditions of the measurement, such as `10 new, warm, tmpfs`.
  ///
  /// In the example, ten transactions are new, the cache is warm and the store is in memory.
  package var condition: String
  /// The name of the contender: this project's store, plain SQLite in C (the floor), or another library.
  package var contender: String
  /// The size of history, in transactions unless ``sizeUnit`` names another unit.
  package var historySize: Int
  package var metric: Metric
  /// All samples in the order of measuring, in the metric's unit.
  package var samples: [Double]
  /// The percentiles of the samples, or `nil` if there are no samples.
  package var summary: SampleSummary?
  /// The median with its confidence interval, or `nil` for rows that were not measured in rounds.
  package var median: Interval?
  /// The cost relative to another contender's cost in the same rounds, or `nil` if not compared.
  package var ratio: RatioEstimate?
  /// The seed of the random order in which the contenders were measured.
  @HexCoded package var seed: UInt64
  /// The reason why there are no samples, or `nil` if there are any.
  package var notMeasured: String?
  /// The reason why a counted value may differ from run to run, or `nil` if the value must be the same.
  package var varies: String?

  /// The benchmark's difference from the base condition, such as `cold`; `nil` in the base condition.
  ///
  /// The base condition has four authors, the packed layout, warm caches and `synchronous=NORMAL`.
  /// The text of ``condition`` includes the difference.
  package var axis: String?
  /// The unit of ``historySize``, such as `members`; `nil` for transactions.
  package var sizeUnit: String?

  /// Creates a row from samples; there must be at least one.
  package init(
    subject: String,
    operation: String,
    condition: String,
    contender: String,
    historySize: Int,
    metric: Metric,
    samples: [Double],
    median: Interval? = nil,
    ratio: RatioEstimate? = nil,
    seed: UInt64
  ) {
    self.subject = subject
    self.operation = operation
    self.condition = condition
    self.contender = contender
    self.historySize = historySize
    self.metric = metric
    self.samples = samples
    self.median = median
    self.ratio = ratio
    self.seed = seed
    summary = SampleSummary(samples)
  }

  /// Creates a row without samples, which has the reason why nothing was measured.
  package init(
    subject: String,
    operation: String,
    condition: String,
    contender: String,
    historySize: Int,
    metric: Metric,
    notMeasured reason: String,
    seed: UInt64
  ) {
    self.subject = subject
    self.operation = operation
    self.condition = condition
    self.contender = contender
    self.historySize = historySize
    self.metric = metric
    self.seed = seed
    samples = []
    notMeasured = reason
  }

  /// Whether the row's samples must be the same in every run of the same program.
  package var isExact: Bool {
    metric.kind == .exact && varies == nil && notMeasured == nil
  }

  /// Whether the row comes from the untimed pass that counts work, such as page reads.
  package var isCountedBeside: Bool {
    (Metric.counted + Metric.allocator + [.residentGrowth]).contains(metric)
  }

  /// The unit of the size, in the plural: ``sizeUnit``, or `transactions` if that is `nil`.
  package var sizeName: String { sizeUnit ?? "transactions" }

  /// The subject, operation and condition, such as `Store.fetch after token, 10 new, warm, tmpfs`.
  package var title: String {
    let name = operation.isEmpty ? subject : "\(subject) \(operation)"
    return condition.isEmpty ? name : "\(name), \(condition)"
  }
}

/// The quantity that a row measures, and its unit; only metrics of one kind are compared.
package struct Metric: Sendable, Hashable, Codable {
  /// The kinds of metric, which differ in how reliable they are on a busy machine.
  package enum Kind: String, Sendable, Codable {
    /// A count, which is the same in every run unless ``BenchmarkRow/varies`` gives a reason.
    case exact
    /// Processor time of the measuring thread.
    case cpu
    case wall
  }

  /// The name in results: `wall`, `cpu`, or the name of the count.
  package var name: String
  package var kind: Kind
  /// The unit of the values.
  package var unit: String

  package init(name: String, kind: Kind, unit: String) {
    self.name = name
    self.kind = kind
    self.unit = unit
  }

  /// Wall time, in nanoseconds.
  package static let wall = Metric(name: "wall", kind: .wall, unit: "ns")

  /// Processor time of the measuring thread, in nanoseconds.
  package static let cpu = Metric(name: "cpu", kind: .cpu, unit: "ns")

  /// The greatest resident memory, in bytes, as counted by the system.
  package static let peakMemory = Metric(name: "peak memory", kind: .exact, unit: "B")

  /// The growth from the initial to the greatest resident memory, in bytes.
  package static let memoryGrowth = Metric(name: "memory growth", kind: .exact, unit: "B")

  /// The bytes that one change takes in the store's file.
  package static let bytesPerChange = Metric(name: "bytes a change", kind: .exact, unit: "B")

  /// The commits that were not reported to processes that watch the store.
  package static let missed = Metric(name: "missed", kind: .exact, unit: "commits")

  /// Returns the metric of a measured time.
  package static func time(_ kind: TimeKind) -> Metric { kind == .wall ? wall : cpu }
}

extension Metric {
  /// The instructions of SQLite's virtual machine in all completed statements.
  package static let vmSteps = Metric(name: "VM steps", kind: .exact, unit: "steps")

  /// The machine instructions of a process, without those of the kernel.
  package static let instructions = Metric(
    name: "instructions",
    kind: .exact,
    unit: "instructions"
  )

  /// The pages that SQLite requested, from its cache or from the file.
  package static let pageReads = Metric(name: "page reads", kind: .exact, unit: "pages")

  /// The pages that SQLite wrote, including those to the write-ahead log.
  package static let pageWrites = Metric(name: "page writes", kind: .exact, unit: "pages")

  /// The rows that were inserted, updated or deleted, including rows of history.
  package static let rowsWritten = Metric(name: "rows written", kind: .exact, unit: "rows")

  /// The system calls that read or write.
  package static let systemCalls = Metric(name: "system calls", kind: .exact, unit: "calls")

  /// The bytes that system calls read, from files and elsewhere.
  package static let bytesRead = Metric(name: "bytes read", kind: .exact, unit: "B")

  /// The bytes that system calls wrote, to files and elsewhere.
  package static let bytesWritten = Metric(name: "bytes written", kind: .exact, unit: "B")

  /// The allocations of all threads.
  package static let allocations = Metric(name: "allocations", kind: .exact, unit: "allocations")

  /// The bytes that the measuring thread allocated; the allocator rounds each allocation up.
  package static let allocatedBytes = Metric(name: "allocated bytes", kind: .exact, unit: "B")

  /// The growth of the allocated bytes not yet freed; growth after much work is a leak.
  package static let liveBytes = Metric(name: "live bytes", kind: .exact, unit: "B")

  /// The growth of the resident memory during one measurement.
  package static let residentGrowth = Metric(name: "resident growth", kind: .exact, unit: "B")

  /// The metrics of the untimed pass that counts work, except those of memory.
  package static let counted = [
    vmSteps, pageReads, pageWrites, rowsWritten, systemCalls, bytesRead, bytesWritten,
  ]

  /// The metrics of memory that the operating system assigns in pages.
  ///
  /// These metrics are counted, but may differ from run to run.
  package static let varying = [peakMemory, memoryGrowth, residentGrowth]

  /// The metrics of allocated memory, which are counted only under jemalloc.
  package static let allocator = [allocations, allocatedBytes, liveBytes]
}

/// The version of a file format: a program reads its own version and older ones.
package enum FormatVersion {
  /// Returns the reason why this program cannot read a document's version; `nil` if it can.
  package static func refusal(of document: String, _ found: Int, newest: Int) -> String? {
    if (1...newest).contains(found) { return nil }
    let versions = newest == 1 ? "version 1" : "versions 1 to \(newest)"
    return "\(document) of version \(found); this program reads \(versions)"
  }
}

extension KeyedDecodingContainer {
  /// Decodes the version of a document.
  ///
  /// - Throws: `DecodingError`, including for an unsupported version.
  package func version(of document: String, newest: Int, forKey key: Key) throws -> Int {
    let found = try decode(Int.self, forKey: key)
    if let refusal = FormatVersion.refusal(of: document, found, newest: newest) {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: refusal)
    }
    return found
  }
}

/// A 64-bit number encoded as `"0x2a"`, because JSON readers in other languages round numbers.
@propertyWrapper
package struct HexCoded: Sendable, Hashable, Codable {
  /// The 64-bit number, which is encoded as hexadecimal text.
  package var wrappedValue: UInt64

  package init(wrappedValue: UInt64) { self.wrappedValue = wrappedValue }

  /// Decodes the number from hexadecimal text such as `"0x2a"`.
  ///
  /// - Throws: `DecodingError` for any other text.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard text.hasPrefix("0x"), let number = UInt64(text.dropFirst(2), radix: 16) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\(text) is not a number like 0x2a"
      )
    }
    wrappedValue = number
  }

  /// Encodes the number as hexadecimal text.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode("0x" + String(wrappedValue, radix: 16))
  }
}
