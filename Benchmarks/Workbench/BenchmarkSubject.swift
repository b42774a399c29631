/// One benchmark: what is measured beside the floor, at some sizes of history.
package struct BenchmarkSubject: Sendable {
  /// The name on command lines: `fetch newest 10`.
  package let name: String
  /// The part of the system: `Store.fetch`.
  package let part: String
  /// What it does: `after token`.
  package let operation: String
  /// Under which conditions, without those that all benchmarks share: `10 new`.
  package let condition: String
  /// What one operation is, and what the floor does instead, in a sentence.
  package let sentence: String
  /// At which of a run's sizes it is measured.
  package let sizes: Sizes

  /// The contender that is ours, in every benchmark.
  package static let ours = MeasuredWork.store

  /// Sizes of history.
  package enum Sizes: Sendable {
    /// Every size, in the same rounds: what may grow with history.
    case all
    /// The largest alone: what has no reason to.
    case largest
    /// None: it builds its own stores, takes long, and is measured only when someone names it.
    case own
  }

  /// How it is measured.
  let method: Method

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

  /// The part, what it does, and under which conditions: `Store.fetch after token, 10 new`.
  package var title: String {
    condition.isEmpty ? "\(part) \(operation)" : "\(part) \(operation), \(condition)"
  }

  /// Whether it is measured only when someone names it.
  package var isNamedOnly: Bool { sizes == .own }

  /// The contender that the others are compared with, in rounds.
  var floor: String? {
    if case .rounds(let floor, _) = method { floor } else { nil }
  }
}
