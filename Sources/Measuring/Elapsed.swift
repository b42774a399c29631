/// What one measurement took, in nanoseconds, on both clocks.
package struct Elapsed: Sendable, Hashable, Codable {
  /// Nanoseconds on the wall.
  package var wall: Double
  /// Nanoseconds of the measuring thread on a processor.
  package var cpu: Double

  /// Makes a reading from nanoseconds.
  package init(wall: Double, cpu: Double) {
    self.wall = wall
    self.cpu = cpu
  }

  /// Picks one of the two times, in nanoseconds.
  package func time(_ kind: TimeKind) -> Double {
    switch kind {
    case .wall: wall
    case .cpu: cpu
    }
  }

  /// Shares the time out over several operations.
  package func shared(over operations: Int) -> Elapsed {
    Elapsed(wall: wall / Double(operations), cpu: cpu / Double(operations))
  }
}

/// Which of the two measured times is meant; they are never mixed.
package enum TimeKind: String, Sendable, Codable, CaseIterable {
  /// Time on the wall.
  case wall
  /// Time of the measuring thread on a processor.
  case cpu
}
