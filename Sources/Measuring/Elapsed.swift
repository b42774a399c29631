/// The duration of a measurement in nanoseconds, by both clocks.
package struct Elapsed: Sendable, Hashable, Codable {
  /// The wall time in nanoseconds.
  package var wall: Double
  /// The processor time of the measuring thread in nanoseconds.
  package var cpu: Double

  /// Creates a duration from nanoseconds.
  package init(wall: Double, cpu: Double) {
    self.wall = wall
    self.cpu = cpu
  }

  /// Returns one of the two times, in nanoseconds.
  package func time(_ kind: TimeKind) -> Double {
    switch kind {
    case .wall: wall
    case .cpu: cpu
    }
  }

  /// Divides the times by a number of operations.
  package func shared(over operations: Int) -> Elapsed {
    Elapsed(wall: wall / Double(operations), cpu: cpu / Double(operations))
  }
}

/// The kind of a measured time; the two kinds are never mixed.
package enum TimeKind: String, Sendable, Codable, CaseIterable {
  /// Wall time.
  case wall
  /// Processor time of the measuring thread.
  case cpu
}
