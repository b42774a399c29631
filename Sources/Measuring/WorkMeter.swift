/// Counts what a piece of work does, beside the clocks of a stopwatch.
///
/// What it reads it reads into memory that is there already: with nothing between begin and end every
/// count is zero.
package final class WorkMeter {
  /// Something that keeps counts which only rise.
  package struct Source {
    /// What it counts, in the order of reading.
    package let metrics: [Metric]
    /// Reads all counts into memory that has room for them, without allocating.
    let read: (UnsafeMutableBufferPointer<Int64>) -> Void

    /// Makes a source.
    package init(
      _ metrics: [Metric],
      read: @escaping (UnsafeMutableBufferPointer<Int64>) -> Void
    ) {
      self.metrics = metrics
      self.read = read
    }
  }

  private let sources: [Source]
  private let before: UnsafeMutableBufferPointer<Int64>
  private let after: UnsafeMutableBufferPointer<Int64>
  private let sums: UnsafeMutableBufferPointer<Int64>

  /// Makes a meter whose sums are zero.
  ///
  /// What is easily disturbed by the reading of others comes last among the sources: it is read last
  /// before the work and first after it.
  package init(_ sources: [Source]) {
    self.sources = sources
    let count = sources.reduce(0) { $0 + $1.metrics.count }
    before = .allocate(capacity: count)
    after = .allocate(capacity: count)
    sums = .allocate(capacity: count)
    for numbers in [before, after, sums] { numbers.initialize(repeating: 0) }
  }

  deinit {
    for numbers in [before, after, sums] { numbers.deallocate() }
  }

  /// What is counted.
  package var metrics: [Metric] { sources.flatMap(\.metrics) }

  /// Begins to count.
  func begin() {
    var first = 0
    for source in sources {
      source.read(.init(rebasing: before[first..<first + source.metrics.count]))
      first += source.metrics.count
    }
  }

  /// Ends counting, and adds to the sums.
  func end() {
    var last = after.count
    for source in sources.reversed() {
      let first = last - source.metrics.count
      source.read(.init(rebasing: after[first..<last]))
      last = first
    }
    for index in sums.indices { sums[index] += after[index] - before[index] }
  }

  /// The sums since the last call, in the order of the metrics; they begin again at zero.
  package func take() -> [Int64] {
    defer { sums.update(repeating: 0) }
    return Array(sums)
  }
}
