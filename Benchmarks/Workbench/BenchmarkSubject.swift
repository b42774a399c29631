/// One benchmark: what is measured beside the floor, at every size of history.
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

  /// The contender that is ours, in every benchmark.
  package static let ours = MeasuredWork.store

  /// What the others are compared with.
  let floor: String
  let prepare: @Sendable (BenchmarkSetting) throws -> [MeasuredWork]
  /// Takes its own samples instead, where one operation spans threads or processes.
  let sample: (@Sendable (BenchmarkSetting) throws -> [SampledRow])?

  init(
    _ name: String,
    part: String,
    operation: String,
    condition: String = "",
    _ sentence: String,
    floor: String = MeasuredWork.floor,
    prepare: @escaping @Sendable (BenchmarkSetting) throws -> [MeasuredWork]
  ) {
    self.name = name
    self.part = part
    self.operation = operation
    self.condition = condition
    self.sentence = sentence
    self.floor = floor
    self.prepare = prepare
    sample = nil
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
    self.sample = sample
    floor = ""
    prepare = { _ in [] }
  }

  /// The part, what it does, and under which conditions: `Store.fetch after token, 10 new`.
  package var title: String {
    condition.isEmpty ? "\(part) \(operation)" : "\(part) \(operation), \(condition)"
  }
}
