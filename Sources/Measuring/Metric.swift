/// What a row measures, and in which unit; the three kinds are never mixed.
package struct Metric: Sendable, Hashable, Codable {
  /// How far a metric can be trusted on a busy machine.
  package enum Kind: String, Sendable, Codable {
    /// Counted: the same in every run.
    case exact
    /// Time of the measuring thread on a processor.
    case cpu
    /// Time on the wall.
    case wall
  }

  /// The name in results: `wall`, `cpu`, or what is counted.
  package var name: String
  /// How it is measured.
  package var kind: Kind
  /// The unit of all its numbers.
  package var unit: String

  /// Makes a metric.
  package init(name: String, kind: Kind, unit: String) {
    self.name = name
    self.kind = kind
    self.unit = unit
  }

  /// Time on the wall, in nanoseconds.
  package static let wall = Metric(name: "wall", kind: .wall, unit: "ns")

  /// Time of the measuring thread on a processor, in nanoseconds.
  package static let cpu = Metric(name: "cpu", kind: .cpu, unit: "ns")

  /// The most memory that was resident, in bytes, as the system counts it.
  package static let peakMemory = Metric(name: "peak memory", kind: .exact, unit: "B")

  /// By how much that is more than before, in bytes.
  package static let memoryGrowth = Metric(name: "memory growth", kind: .exact, unit: "B")

  /// What one change of a history takes in its file, in bytes.
  package static let bytesPerChange = Metric(name: "bytes a change", kind: .exact, unit: "B")

  /// Commits that were not told to those who watch.
  package static let missed = Metric(name: "missed", kind: .exact, unit: "commits")

  /// The metric of a measured time.
  package static func time(_ kind: TimeKind) -> Metric { kind == .wall ? wall : cpu }
}
