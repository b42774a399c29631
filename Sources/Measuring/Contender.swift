/// One of the programs that are measured beside each other: ours, the floor or a peer.
package struct Contender {
  /// The name in results and charts.
  package let name: String
  /// How many operations one measurement holds; its time is shared out over them.
  package let operations: Int
  private let body: (inout Stopwatch) throws -> Void

  /// Makes a contender whose closure starts and stops the watch around what counts.
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

  /// Makes a contender from an untimed preparation and the timed run that uses what it made.
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

  /// Takes one measurement.
  ///
  /// - Returns: the time of one operation, in nanoseconds.
  /// - Throws: what the closure throws, and a `MeasuringError` when the watch was never started
  ///   or was left running.
  package func measure(with watch: Stopwatch) throws -> Elapsed {
    var watch = watch
    try body(&watch)
    if watch.isRunning { throw MeasuringError.stillRunning(contender: name) }
    guard watch.elapsed.wall > 0 else { throw MeasuringError.nothingTimed(contender: name) }
    return watch.elapsed.shared(over: operations)
  }
}
