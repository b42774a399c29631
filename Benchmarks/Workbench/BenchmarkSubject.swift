import HistoryStore

/// A benchmark: an operation that is measured at some history sizes, usually next to plain SQLite.
package struct BenchmarkSubject: Sendable {
  /// The name on command lines, such as `fetch newest 10`.
  package private(set) var name: String
  /// The measured part of the system, such as `Store.fetch`.
  package let part: String
  /// The operation of ``part`` that is measured, such as `after token`.
  package let operation: String
  /// The benchmark's own conditions, such as `10 new`, without shared ones such as `warm, tmpfs`.
  package private(set) var condition: String
  /// A sentence that describes one operation, and the equivalent work of plain SQLite (the floor).
  package let sentence: String
  /// The history sizes of a run at which the benchmark is measured.
  package private(set) var sizes: Sizes
  /// The one condition that differs from the usual conditions; `nil` if none differs.
  package private(set) var axis: BenchmarkAxis?
  /// Whether a measurement takes time proportional to the history, so that fewer rounds are made.
  package private(set) var isLong = false

  /// Whether the benchmark compares the usual stores with stores in the layout of Core Data.
  package private(set) var comparesLayouts = false

  /// The unit of the sizes, such as `members`; `nil` for transactions of history.
  private(set) var sizeUnit: String?

  /// The least number of transactions of history that the benchmark needs.
  package private(set) var leastHistory = 0

  /// The name of this library's store in the results of benchmarks.
  package static let ours = MeasuredWork.store

  /// A selection from the history sizes of a run.
  ///
  /// Each round of the measurement includes all selected sizes.
  package enum Sizes: Sendable {
    /// Every history size of the run: for costs that may grow with history.
    case all
    /// The history sizes up to 100,000 transactions: for work that takes too long with more.
    ///
    /// A quick run of a benchmark that compares layouts stops at 10,000. If every size of the run
    /// is larger, the smallest one is selected.
    case moderate
    /// The smallest, middle and largest history size: for costs that are unlikely to grow with it.
    case three
    /// The largest history size alone: for costs that do not grow with history.
    case largest
    /// Only sizes in ``BenchmarkRun/quickSizes``, or the smallest size if the run has none of them.
    ///
    /// Benchmarks in a condition of ``BenchmarkAxis`` are measured at these sizes.
    case axis
    /// None of the run's history sizes, because the benchmark builds its own stores.
    ///
    /// Such a benchmark takes long: a run measures it only if `--only` or `--also` names it.
    case own
  }

  /// Whether the samples are counts, not times.
  private(set) var isCount = false

  /// The source of the samples: rounds that time all compared programs, or a closure that takes samples.
  private(set) var method: Method
  /// The additional conditions, and a closure that returns the work to measure in a setting.
  private var variation: Variation?

  private struct Variation: Sendable {
    let axes: [BenchmarkAxis]
    let work: @Sendable (BenchmarkSetting) throws -> MeasuredWork
  }

  enum Method: Sendable {
    /// Times the pieces of work that the closure returns, each twice in every round.
    ///
    /// Results give the cost of each relative to that of the work named `floor`.
    case rounds(floor: String, @Sendable (BenchmarkSetting) throws -> [MeasuredWork])
    /// Uses samples that the closure takes, such as times of operations that span processes.
    case samples(@Sendable (BenchmarkSetting) throws -> [SampledRow])
    /// Uses samples that the closure takes, on stores that the closure builds.
    case own(@Sendable (OwnSetting) throws -> [SampledRow])
  }

  init(
    _ name: String,
    part: String,
    operation: String,
    condition: String = "",
    _ sentence: String,
    floor: String = MeasuredWork.floor,
    at sizes: Sizes = .all,
    prepare: @escaping @Sendable (BenchmarkSetting) throws -> [MeasuredWork]
  ) {
    self.name = name
    self.part = part
    self.operation = operation
    self.condition = condition
    self.sentence = sentence
    self.sizes = sizes
    method = .rounds(floor: floor, prepare)
  }

  init(
    _ name: String,
    part: String,
    operation: String,
    condition: String = "",
    _ sentence: String,
    sample: @escaping @Sendable (BenchmarkSetting) throws -> [SampledRow]
  ) {
    self.name = name
    self.part = part
    self.operation = operation
    self.condition = condition
    self.sentence = sentence
    sizes = .largest
    method = .samples(sample)
  }

  init(
    _ name: String,
    part: String,
    operation: String,
    condition: String = "",
    _ sentence: String,
    own: @escaping @Sendable (OwnSetting) throws -> [SampledRow]
  ) {
    self.name = name
    self.part = part
    self.operation = operation
    self.condition = condition
    self.sentence = sentence
    sizes = .own
    method = .own(own)
  }

  /// Returns the benchmark with additional conditions in which the store is measured.
  ///
  /// In each of these conditions, the store is compared with itself under the usual conditions.
  func varying(
    _ axes: [BenchmarkAxis],
    work: @escaping @Sendable (BenchmarkSetting) throws -> MeasuredWork
  ) -> BenchmarkSubject {
    var varied = self
    varied.variation = Variation(axes: axes, work: work)
    return varied
  }

  /// A copy of the benchmark with ``isLong`` set: a measurement takes time linear in the history.
  var long: BenchmarkSubject {
    var long = self
    long.isLong = true
    return long
  }

  /// A copy of the benchmark with ``isCount`` set: its samples are counts, not times.
  var counting: BenchmarkSubject {
    var counting = self
    counting.isCount = true
    return counting
  }

  /// Returns a copy of the benchmark with sizes in the given unit, such as `members`.
  ///
  /// The sizes of other benchmarks are in transactions of history.
  func sized(in unit: String) -> BenchmarkSubject {
    var sized = self
    sized.sizeUnit = unit
    return sized
  }

  /// A copy of the benchmark that compares the usual stores with stores in the layout of Core Data.
  var comparingLayouts: BenchmarkSubject {
    var comparing = self
    comparing.comparesLayouts = true
    return comparing
  }

  /// Returns a copy of the benchmark that needs at least a number of transactions of history.
  func needing(_ transactionCount: Int) -> BenchmarkSubject {
    var needing = self
    needing.leastHistory = transactionCount
    return needing
  }

  /// The conditions in which the benchmark is measured in addition to the usual ones.
  package var axes: [BenchmarkAxis] { variation?.axes ?? [] }

  /// Returns the benchmark in an additional condition; `nil` if the benchmark lacks that condition.
  package func measured(at axis: BenchmarkAxis) -> BenchmarkSubject? {
    guard let variation, axes.contains(axis) else { return nil }
    var varied = self
    varied.name = "\(name) at \(axis.name)"
    varied.condition = condition.isEmpty ? axis.condition : "\(condition), \(axis.condition)"
    varied.sizes = .axis
    varied.axis = axis
    varied.variation = nil
    varied.method = .rounds(floor: axis.base) { setting in
      [
        try variation.work(setting).named(MeasuredWork.store),
        try variation.work(setting.base).named(axis.base),
      ]
    }
    return varied
  }

  /// The benchmark's part, operation and own conditions: `Store.fetch after token, 10 new`.
  ///
  /// The titles of rows in the results start with this text. They may also end with shared conditions,
  /// such as `warm, tmpfs`.
  package var title: String {
    condition.isEmpty ? "\(part) \(operation)" : "\(part) \(operation), \(condition)"
  }

  /// Returns whether a row of the results that has this title belongs to this benchmark.
  ///
  /// A row's title may also end with shared conditions, such as `warm, tmpfs`.
  package func isTitled(_ title: String) -> Bool {
    title == self.title || title.hasPrefix(self.title + ", ")
  }

  /// Whether a run measures the benchmark only if `--only` or `--also` names it.
  package var isNamedOnly: Bool { sizes == .own }

  /// The name of the compared program by whose cost the costs of the others are divided.
  ///
  /// `nil` if the benchmark takes its own samples: only ``Method/rounds(floor:_:)`` gives such ratios.
  var floor: String? {
    if case .rounds(let floor, _) = method { floor } else { nil }
  }
}

/// An additional condition in which some benchmarks are measured.
///
/// The condition differs in one respect from the base condition, which has four authors, the packed
/// layout, warm caches and `synchronous=NORMAL`.
package enum BenchmarkAxis: String, CaseIterable, Sendable {
  case oneAuthor = "authors-1"
  case manyAuthors = "authors-16"
  case coreData
  case cold
  case full
  case captured

  /// The name of the condition on command lines.
  package var name: String { rawValue }

  /// A sentence that describes how the condition differs from the usual conditions.
  package var sentence: String {
    switch self {
    case .oneAuthor: "One author instead of four has written the history."
    case .manyAuthors: "Sixteen authors instead of four have written the history."
    case .coreData: "The history is in the tables of Core Data instead of the packed layout."
    case .cold: "Each measurement opens the store after the system dropped its cache of the file."
    case .full: "Commits wait for the disk (synchronous=FULL instead of NORMAL)."
    case .captured: "The file has triggers that capture what other programs write with plain SQL."
    }
  }

  /// The text for this condition in the titles of result rows, such as `1 author`.
  var condition: String {
    switch self {
    case .oneAuthor: "1 author"
    case .manyAuthors: "16 authors"
    case .coreData: "coreData layout"
    case .cold: "cold cache"
    case .full: "synchronous FULL"
    case .captured: "plain SQL captured"
    }
  }

  /// The name in results of the same work without this condition, measured in the same rounds.
  ///
  /// That work has the usual conditions, such as four authors and warm caches.
  var base: String {
    switch self {
    case .oneAuthor, .manyAuthors: "Store, 4 authors"
    case .coreData: "Store, packed layout"
    case .cold: "Store, warm cache"
    case .full: "Store, synchronous NORMAL"
    case .captured: "Store, plain SQL unwatched"
    }
  }

  /// The number of authors and the layout of the stores that are built for this condition.
  var shape: StoreShape {
    switch self {
    case .oneAuthor: StoreShape(authorCount: 1)
    case .manyAuthors: StoreShape(authorCount: 16)
    case .coreData: StoreShape(layout: .coreData)
    case .cold, .full, .captured: .base
    }
  }

  /// Whether this condition only matters for stores on a disk.
  var needsDisk: Bool { self == .cold || self == .full }

  /// Returns the reason why this condition cannot be measured with stores on a medium.
  ///
  /// The medium is `tmpfs` or `disk`. Returns `nil` if the condition can be measured there.
  func absence(on medium: String) -> String? {
    if needsDisk && medium != ScratchFolder.disk {
      return "the folder for temporary files lies in memory; set TMPDIR to one on a disk"
    }
    #if !os(Linux)
    if self == .cold { return "only Linux can drop a file from its cache on request" }
    #endif
    return nil
  }
}

/// The properties of a store that is built for a run.
struct StoreShape: Hashable {
  /// The number of authors that take turns in writing history.
  var authorCount = 4
  var layout = HistoryLayout.packed

  static let base = StoreShape()

  /// The suffix of the store's file name; empty for the usual shape: four authors, packed layout.
  var suffix: String {
    self == .base ? "" : "-\(authorCount)-\(layout.rawValue)"
  }
}
