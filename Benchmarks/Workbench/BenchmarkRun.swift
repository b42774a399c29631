package import Measuring

/// A run of benchmarks over stores of several sizes.
package struct BenchmarkRun: Sendable {
  /// The benchmarks to measure.
  package var subjects: [BenchmarkSubject]
  /// The sizes of history, in transactions of ten changes.
  package var historySizes: [Int]
  /// The seed of all random choices of the run.
  package var seed: UInt64
  /// The number of rounds of each benchmark.
  package var budget: RoundBudget
  /// The number by which the repetitions within one measurement are divided, to save time.
  ///
  /// The default is 1, for precise results.
  package var repetitionDivisor = 1
  /// Whether time is measured.
  ///
  /// The default is `true`. If `false`, only exact values are counted, which takes a fraction of
  /// the time.
  package var measuresTime = true
  /// Whether a separate pass counts what the benchmarks do, such as page reads and allocations.
  ///
  /// The default is `true`.
  package var countsWork = true
  /// The path of the executable that counts in a separate process if ``countsWork`` is `true`.
  ///
  /// The path is `nil` if this process runs a different program, such as a test runner. The run then
  /// counts in this process, and the counts include the rest of that program's work.
  package var command = HelperProcess.command
  /// Whether the run first times the same work twice, to find how precise its times are.
  ///
  /// The default is `true`.
  package var checksNoise = true
  /// Whether the run must finish in about a minute.
  ///
  /// The default is `false`. If `true`, stores in the layout of Core Data are small, because they
  /// take ten times as long to build.
  package var isQuick = false
  /// The writes per second of the benchmarks that start writes at planned times (``OpenLoop``).
  ///
  /// If the rate is `nil`, these benchmarks first measure the rate of back-to-back writes, and then
  /// use a half and nine tenths of it.
  package var plannedRate: Double?
  /// The folder in which a folder for the stores is created.
  ///
  /// `nil`, the default, selects `/dev/shm` if it is writable, else the folder for temporary files.
  /// For stores that must be on a disk, `nil` always selects the folder for temporary files.
  package var scratchParent: String?

  /// The history sizes of a quick run.
  package static let quickSizes = [1_000, 10_000, 100_000]
  /// The history sizes of a full run.
  package static let allSizes = [
    1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 350_000, 600_000, 1_000_000,
  ]

  package init(
    subjects: [BenchmarkSubject] = Subjects.usual,
    historySizes: [Int],
    seed: UInt64,
    budget: RoundBudget
  ) {
    self.subjects = subjects
    self.historySizes = historySizes
    self.seed = seed
    self.budget = budget
  }

  /// The events that a run reports.
  package enum Event: Sendable {
    /// The number of transactions written to stores since the last event of this kind.
    case built(transactions: Int)
    /// The check of how precise the times are (``checksNoise``) has finished, with these rows.
    case checkedNoise([BenchmarkRow])
    /// A benchmark starts.
    case began(BenchmarkSubject)
    /// A measurement of the current benchmark starts.
    case measures
    /// A long task has done this many more of its units (``LongWork/unit``), such as stores built.
    case advanced(LongWork, by: Int)
    /// A benchmark was measured at all sizes.
    case measured(BenchmarkSubject, [BenchmarkRow])
  }

  /// Builds the stores, measures all benchmarks, and removes the stores, also after an error.
  ///
  /// The `observe` closure receives every event; an error that it throws ends the run.
  ///
  /// - Throws: An error of the store, of SQLite in C (the floor) or of `observe`, or a
  ///   ``BenchmarkDisagreement`` if a compared program did different work than the floor.
  package func run(_ observe: @escaping (Event) throws -> Void) throws {
    BenchmarkRandom.restart()
    let stores = try BenchmarkStores(self)
    let result = Result { try measureAll(stores, observe) }
    try stores.remove()
    try result.get()
  }

  private func measureAll(
    _ stores: BenchmarkStores,
    _ observe: @escaping (Event) throws -> Void
  ) throws {
    try stores.build { try observe(.built(transactions: $0)) }
    if checksNoise && measuresTime {
      let check = try NoiseCheck(stores.memory)
      let condition = "warm, \(stores.memory.medium)"
      try observe(.checkedNoise(try check.rows(seed: seed, condition: condition)))
    }
    for subject in subjects {
      try observe(.began(subject))
      let scratch = stores.scratch(for: subject)
      let session = SubjectSession(
        subject: subject,
        settings: stores.settings(for: subject),
        own: OwnSetting(scratch: scratch, seed: seed, repetitionDivisor: repetitionDivisor) {
          try observe(.advanced($0, by: $1))
        },
        seed: seed ^ subject.name.fingerprint,
        condition: subject.sharedCondition(on: scratch.medium),
        measures: { try observe(.measures) }
      )
      let rows = try measured(session)
      try scratch.removeCopies()
      try observe(.measured(subject, rows + (countsWork ? try counted(session, stores) : [])))
    }
  }

  /// Measures the benchmark in rounds; if the run measures no time, returns only exact counts.
  private func measured(_ session: SubjectSession) throws -> [BenchmarkRow] {
    let budget = budget.adapted(to: session.subject)
    if measuresTime { return try session.rows(budget) }
    guard session.subject.isCount else { return [] }
    return try session.rows(budget).filter(\.isExact)
  }

  /// Counts the benchmark's work, in a separate process if this program can be started again.
  ///
  /// Returns no rows for a condition that needs a disk, because such a condition changes times, not
  /// counts.
  private func counted(
    _ session: SubjectSession,
    _ stores: BenchmarkStores
  ) throws -> [BenchmarkRow] {
    let subject = session.subject
    guard subject.floor != nil, subject.axis?.needsDisk != true else { return [] }
    let pass = CountingPass(
      subject: subject,
      settings: session.settings,
      seed: session.seed,
      condition: session.condition
    )
    guard let command else { return try pass.rows() }
    let rows = try CountingProcess.rows(pass, stores.memory, command)
    try stores.memory.removeCopies()
    return rows
  }

  /// Returns the history sizes at which a benchmark is measured, smallest first.
  package func sizes(of subject: BenchmarkSubject) -> [Int] {
    let sizes = Set(historySizes).sorted()
    switch subject.sizes {
    case .all: return sizes
    case .moderate:
      let most = isQuick && subject.comparesLayouts ? Self.smallSize : Self.moderateSize
      return Self.some(of: sizes) { $0 <= most }
    case .three:
      let places: Set = [0, sizes.count / 2, sizes.count - 1]
      return sizes.indices.filter(places.contains).map { sizes[$0] }
    case .largest: return sizes.suffix(1)
    case .axis: return Self.some(of: sizes, where: Self.quickSizes.contains)
    case .own: return []
    }
  }

  /// The greatest history size of a benchmark whose work takes too long with more history.
  private static let moderateSize = 100_000
  /// The greatest history size of a store that must be built within a second.
  private static let smallSize = 10_000

  /// Returns the sizes that satisfy a predicate, or the smallest size if none does.
  private static func some(of sizes: [Int], where passes: (Int) -> Bool) -> [Int] {
    let some = sizes.filter(passes)
    return some.isEmpty ? Array(sizes.prefix(1)) : some
  }

  /// The stores to build before the first benchmark: for each shape, the sizes in transactions.
  ///
  /// A shape (``StoreShape``) is a number of authors and a layout of the history.
  var neededStores: [StoreShape: Set<Int>] {
    subjects.reduce(into: [:]) { needed, subject in
      let sizes = sizes(of: subject)
      guard !sizes.isEmpty else { return }
      for shape in subject.shapes { needed[shape, default: []].formUnion(sizes) }
    }
  }

  /// The number of transactions written before the first benchmark starts.
  package var transactionCount: Int {
    neededStores.values.reduce(0) { $0 + ($1.max() ?? 0) }
  }
}

extension RoundBudget {
  /// Returns the budget for a benchmark.
  ///
  /// The budget has fewer rounds if a round takes time proportional to the history, and a third of
  /// the time if the benchmark is measured in an additional condition (``BenchmarkAxis``).
  fileprivate func adapted(to subject: BenchmarkSubject) -> RoundBudget {
    var budget = self
    if subject.isLong { budget.minimum = min(minimum, Self.longMinimum) }
    if subject.axis != nil { budget.nanoseconds = nanoseconds.map { $0 / 3 } }
    return budget
  }

  private static let longMinimum = 4
}

extension String {
  /// A hash of the text that is the same in every process (FNV-1a).
  ///
  /// The hash gives each benchmark its own order of measuring, independent of the other benchmarks
  /// in the run.
  fileprivate var fingerprint: UInt64 {
    utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }
}

/// The samples of one metric under one name, from a benchmark that takes its own samples.
///
/// Such a benchmark has the method `samples` or `own` (``BenchmarkSubject/Method``).
struct SampledRow {
  let contender: String
  let metric: Metric
  /// The samples, such as the times of single commits, or the reason why there are none.
  let outcome: Outcome
  /// The size of history; `nil` for the size that the run measures.
  var historySize: Int?

  /// The samples, or a sentence with the reason why there are none.
  enum Outcome {
    case samples([Double])
    case notMeasured(String)

    /// Returns the outcome for a memory size in bytes; `nil` means that it was not measured.
    static func memory(_ bytes: Int64?) -> Outcome {
      guard let bytes else {
        return .notMeasured("only Linux counts memory, and only for a separate process")
      }
      return .samples([Double(bytes)])
    }
  }

  /// Returns a row of the results with these samples, or with the reason why there are none.
  ///
  /// `topic` names the benchmark, its conditions and the history size.
  func row(about topic: RowTopic, seed: UInt64) -> BenchmarkRow {
    switch outcome {
    case .samples(let samples) where !samples.isEmpty: found(samples, topic, seed)
    case .samples: missing("the benchmark took no sample", topic, seed)
    case .notMeasured(let reason): missing(reason, topic, seed)
    }
  }

  /// The reason why resident memory, unlike most counts, differs from run to run.
  static let memoryVaries = "the operating system decides when it gives and takes pages of memory"

  private func found(
    _ samples: [Double],
    _ topic: RowTopic,
    _ seed: UInt64
  ) -> BenchmarkRow {
    var row = BenchmarkRow(
      subject: topic.subject,
      operation: topic.operation,
      condition: topic.condition,
      contender: contender,
      historySize: topic.historySize,
      metric: metric,
      samples: samples,
      seed: seed
    )
    if Metric.varying.contains(metric) { row.varies = Self.memoryVaries }
    return row
  }

  private func missing(_ reason: String, _ topic: RowTopic, _ seed: UInt64) -> BenchmarkRow {
    BenchmarkRow(
      subject: topic.subject,
      operation: topic.operation,
      condition: topic.condition,
      contender: contender,
      historySize: topic.historySize,
      metric: metric,
      notMeasured: reason,
      seed: seed
    )
  }
}
