/// One benchmark: what is measured beside the floor, at some sizes of history.
package struct BenchmarkSubject: Sendable {
  /// The name on command lines: `fetch newest 10`.
  package private(set) var name: String
  /// The part of the system: `Store.fetch`.
  package let part: String
  /// What it does: `after token`.
  package let operation: String
  /// Under which conditions, without those that all benchmarks share: `10 new`.
  package private(set) var condition: String
  /// What one operation is, and what the floor does instead, in a sentence.
  package let sentence: String
  /// At which of a run's sizes it is measured.
  package private(set) var sizes: Sizes
  /// What is other than at the base point, if anything is.
  package private(set) var axis: BenchmarkAxis?
  /// Whether one measurement takes as long as history is, so that fewer of them must be enough.
  package private(set) var isLong = false

  /// Whether it works with stores in the layout of Core Data besides.
  package private(set) var comparesLayouts = false

  /// The smallest history that it can be measured on, in transactions.
  package private(set) var leastHistory = 0

  /// The contender that is ours, in every benchmark.
  package static let ours = MeasuredWork.store

  /// Sizes of history.
  package enum Sizes: Sendable {
    /// Every size, in the same rounds: what may grow with history.
    case all
    /// At most a hundred thousand transactions, in the same rounds: what would take too long with more.
    case moderate
    /// The smallest, the middle and the largest: what has little reason to grow with history.
    case three
    /// The largest alone: what has none.
    case largest
    /// Those at which the conditions are varied, one at a time.
    case axis
    /// None: it builds its own stores, takes long, and is measured only when someone names it.
    case own
  }

  /// Whether it takes samples that are counts, not times.
  private(set) var isCount = false

  /// How it is measured.
  private(set) var method: Method
  /// The conditions in which it is measured besides, and how ours is measured in them.
  private var variation: Variation?

  private struct Variation: Sendable {
    let axes: [BenchmarkAxis]
    let work: @Sendable (BenchmarkSetting) throws -> MeasuredWork
  }

  enum Method: Sendable {
    /// In rounds, beside a floor that the others are compared with.
    case rounds(floor: String, @Sendable (BenchmarkSetting) throws -> [MeasuredWork])
    /// By samples that it takes itself, where one operation spans threads or processes.
    case samples(@Sendable (BenchmarkSetting) throws -> [SampledRow])
    /// The same on stores that it builds itself.
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

  /// The same benchmark, which is measured in other conditions besides: ours there beside ours at the
  /// base point.
  func varying(
    _ axes: [BenchmarkAxis],
    work: @escaping @Sendable (BenchmarkSetting) throws -> MeasuredWork
  ) -> BenchmarkSubject {
    var varied = self
    varied.variation = Variation(axes: axes, work: work)
    return varied
  }

  /// The same benchmark, one measurement of which takes as long as history is.
  var long: BenchmarkSubject {
    var long = self
    long.isLong = true
    return long
  }

  /// The same benchmark, whose own samples are counts.
  var counting: BenchmarkSubject {
    var counting = self
    counting.isCount = true
    return counting
  }

  /// The same benchmark, which works with stores in the layout of Core Data besides.
  var comparingLayouts: BenchmarkSubject {
    var comparing = self
    comparing.comparesLayouts = true
    return comparing
  }

  /// The same benchmark, which works on so many transactions of the history that it finds.
  func needing(_ transactionCount: Int) -> BenchmarkSubject {
    var needing = self
    needing.leastHistory = transactionCount
    return needing
  }

  /// The conditions in which it is measured besides those of the base point.
  package var axes: [BenchmarkAxis] { variation?.axes ?? [] }

  /// The benchmark in another condition; nothing where it is not measured in that.
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

  /// The part, what it does, and under which conditions: `Store.fetch after token, 10 new`.
  package var title: String {
    condition.isEmpty ? "\(part) \(operation)" : "\(part) \(operation), \(condition)"
  }

  /// Whether a row with a title is of this benchmark.
  package func isTitled(_ title: String) -> Bool {
    title == self.title || title.hasPrefix(self.title + ", ")
  }

  /// Whether it is measured only when someone names it.
  package var isNamedOnly: Bool { sizes == .own }

  /// The contender that the others are compared with, in rounds.
  var floor: String? {
    if case .rounds(let floor, _) = method { floor } else { nil }
  }
}
