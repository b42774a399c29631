/// A meter that counts the effects of some work, used with a stopwatch.
///
/// It reads counts into preallocated memory, so that all counts are zero if no work is done between
/// begin and end.
package final class WorkMeter {
  /// A source of counts that only rise.
  package struct Source {
    /// The metrics, in the order of reading.
    package let metrics: [Metric]
    /// Reads all counts into memory that has room for them, without allocating.
    let read: (UnsafeMutableBufferPointer<Int64>) -> Void

    /// Creates a source.
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

  /// Creates a meter whose sums are zero.
  ///
  /// Put sources that are easily disturbed by reading the others last: they are read last before
  /// the work and first after it.
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

  /// The metrics of all sources, in the order of reading.
  package var metrics: [Metric] { sources.flatMap(\.metrics) }

  /// Starts counting.
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

  /// Returns the sums since the last call, in the order of the metrics, and resets them to zero.
  package func take() -> [Int64] {
    defer { sums.update(repeating: 0) }
    return Array(sums)
  }
}
