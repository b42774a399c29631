/// The quantity that a row measures, and its unit; the three kinds are never mixed.
package struct Metric: Sendable, Hashable, Codable {
  /// The kinds of metric, which differ in how reliable they are on a busy machine.
  package enum Kind: String, Sendable, Codable {
    /// A count that is the same in every run.
    case exact
    /// Processor time of the measuring thread.
    case cpu
    /// Wall time.
    case wall
  }

  /// The name in results: `wall`, `cpu`, or the name of the count.
  package var name: String
  /// The kind of the metric.
  package var kind: Kind
  /// The unit of the values.
  package var unit: String

  /// Creates a metric.
  package init(name: String, kind: Kind, unit: String) {
    self.name = name
    self.kind = kind
    self.unit = unit
  }

  /// Wall time, in nanoseconds.
  package static let wall = Metric(name: "wall", kind: .wall, unit: "ns")

  /// Processor time of the measuring thread, in nanoseconds.
  package static let cpu = Metric(name: "cpu", kind: .cpu, unit: "ns")

  /// The greatest resident memory, in bytes, as counted by the system.
  package static let peakMemory = Metric(name: "peak memory", kind: .exact, unit: "B")

  /// The growth from the initial to the greatest resident memory, in bytes.
  package static let memoryGrowth = Metric(name: "memory growth", kind: .exact, unit: "B")

  /// The size of one change of a history in its file, in bytes.
  package static let bytesPerChange = Metric(name: "bytes a change", kind: .exact, unit: "B")

  /// The commits that were not reported to watchers.
  package static let missed = Metric(name: "missed", kind: .exact, unit: "commits")

  /// Returns the metric of a measured time.
  package static func time(_ kind: TimeKind) -> Metric { kind == .wall ? wall : cpu }
}
