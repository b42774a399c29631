import HistoryStore

/// A benchmark: an operation that is measured at some history sizes, usually next to plain SQLite.
package struct BenchmarkSubject: Sendable {
  /// The name on command lines: `fetch newest 10`.
  package private(set) var name: String
  /// The part of the system: `Store.fetch`.
  package let part: String
  /// The operation that is measured: `after token`.
  package let operation: String
  /// The conditions, without those that all benchmarks share: `10 new`.
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

  /// The unit of the sizes if they are not transactions of history: `members`.
  private(set) var sizeUnit: String?

  /// The least number of transactions of history that the benchmark needs.
  package private(set) var leastHistory = 0

  /// The name of this library's store among the contenders of every benchmark.
  package static let ours = MeasuredWork.store

  /// A selection of history sizes.
  package enum Sizes: Sendable {
    /// Every size, in the same rounds: for costs that may grow with history.
    case all
    /// At most 100,000 transactions, in the same rounds: for work that takes too long with more.
    case moderate
    /// The smallest, the middle and the largest: for costs that are unlikely to grow with history.
    case three
    /// The largest alone: for costs that do not grow with history.
    case largest
    /// Only sizes in ``BenchmarkRun/quickSizes``, or the smallest size if the run has none of them.
    ///
    /// Benchmarks in a condition of ``BenchmarkAxis`` are measured at these sizes.
    case axis
    /// None: the benchmark builds its own stores and takes long.
    ///
    /// A run measures such a benchmark only if `--only` or `--also` names it.
    case own
  }

  /// Whether the samples are counts, not times.
  private(set) var isCount = false

  /// The method of measurement.
  private(set) var method: Method
  /// The additional conditions in which the store is measured, and the store's work in them.
  private var variation: Variation?

  private struct Variation: Sendable {
    let axes: [BenchmarkAxis]
    let work: @Sendable (BenchmarkSetting) throws -> MeasuredWork
  }

  enum Method: Sendable {
    /// Measures contenders in rounds, and compares them with a floor: a contender that counts as 1.
    case rounds(floor: String, @Sendable (BenchmarkSetting) throws -> [MeasuredWork])
    /// Takes its own samples, because one operation spans threads or processes.
    case samples(@Sendable (BenchmarkSetting) throws -> [SampledRow])
    /// Takes its own samples on stores that it builds itself.
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

  /// The part, operation and conditions: `Store.fetch after token, 10 new`.
  package var title: String {
    condition.isEmpty ? "\(part) \(operation)" : "\(part) \(operation), \(condition)"
  }

  /// Returns whether a row with a title belongs to this benchmark.
  package func isTitled(_ title: String) -> Bool {
    title == self.title || title.hasPrefix(self.title + ", ")
  }

  /// Whether a run measures the benchmark only if `--only` or `--also` names it.
  package var isNamedOnly: Bool { sizes == .own }

  /// The contender with which the others are compared, or `nil` if the benchmark has no rounds.
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

  /// The text for the condition in the titles of rows.
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

  /// The name of the contender that does the same work under the usual conditions, in the same rounds.
  var base: String {
    switch self {
    case .oneAuthor, .manyAuthors: "Store, 4 authors"
    case .coreData: "Store, packed layout"
    case .cold: "Store, warm cache"
    case .full: "Store, synchronous NORMAL"
    case .captured: "Store, plain SQL unwatched"
    }
  }

  /// The shape of the stores that are built for the condition.
  var shape: StoreShape {
    switch self {
    case .oneAuthor: StoreShape(authorCount: 1)
    case .manyAuthors: StoreShape(authorCount: 16)
    case .coreData: StoreShape(layout: .coreData)
    case .cold, .full, .captured: .base
    }
  }

  /// Whether the condition only matters for stores on a disk.
  var needsDisk: Bool { self == .cold || self == .full }

  /// Returns the reason why the condition cannot be measured on `tmpfs` or `disk`; `nil` if it can be.
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

  /// The suffix of the store's file name; empty for the base shape.
  var suffix: String {
    self == .base ? "" : "-\(authorCount)-\(layout.rawValue)"
  }
}
