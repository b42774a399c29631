/// A program that is measured in turn with others: ours, the floor or a peer.
package struct Contender {
  /// The name in results and charts.
  package let name: String
  /// The number of operations in one measurement; its time is divided by this number.
  package let operations: Int
  private let body: (inout Stopwatch) throws -> Void

  /// Creates a contender whose closure starts and stops the watch around the measured work.
  package init(
    _ name: String,
    operations: Int = 1,
    body: @escaping (inout Stopwatch) throws -> Void
  ) {
    precondition(operations > 0, "\(name): a measurement of \(operations) operations")
    self.name = name
    self.operations = operations
    self.body = body
  }

  /// Creates a contender from an untimed preparation and a timed run that uses its result.
  package init<Prepared>(
    _ name: String,
    operations: Int = 1,
    prepare: @escaping () throws -> Prepared,
    run: @escaping (Prepared) throws -> Void
  ) {
    self.init(name, operations: operations) { watch in
      let prepared = try prepare()
      try watch.time { try run(prepared) }
    }
  }

  /// Performs one measurement.
  ///
  /// - Returns: the time of one operation, in nanoseconds.
  /// - Throws: what the closure throws, or a `MeasuringError` if the watch was never started or is
  ///   still running.
  package func measure(with watch: Stopwatch) throws -> Elapsed {
    var watch = watch
    try body(&watch)
    if watch.isRunning { throw MeasuringError.stillRunning(contender: name) }
    guard watch.elapsed.wall > 0 else { throw MeasuringError.nothingTimed(contender: name) }
    return watch.elapsed.shared(over: operations)
  }
}
