/// The results of one run of the benchmarks, as stored in `results.json`.
///
/// The key `results` carries the version of the format. A reader accepts its own version and older
/// ones, and rejects newer ones with an error.
package struct BenchmarkResults: Sendable, Hashable, Codable {
  /// The version of the format that this program writes.
  package static let formatVersion = 1

  /// The machine, software and time of the measurement.
  package var environment: RunEnvironment
  /// The rows in the order of measuring.
  package var rows: [BenchmarkRow]

  /// Creates results.
  package init(environment: RunEnvironment, rows: [BenchmarkRow]) {
    self.environment = environment
    self.rows = rows
  }

  private enum CodingKeys: String, CodingKey {
    case version = "results"
    case environment
    case rows
  }

  /// Decodes results of a supported version.
  ///
  /// - Throws: `DecodingError`, including for an unsupported version.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _ = try container.version(of: "results", newest: Self.formatVersion, forKey: .version)
    environment = try container.decode(RunEnvironment.self, forKey: .environment)
    rows = try container.decode([BenchmarkRow].self, forKey: .rows)
  }

  /// Encodes the results with their version.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.formatVersion, forKey: .version)
    try container.encode(environment, forKey: .environment)
    try container.encode(rows, forKey: .rows)
  }

  /// The history sizes, smallest first.
  package var historySizes: [Int] { Set(rows.map(\.historySize)).sorted() }

  /// The titles of the benchmarks, in the order of their first row.
  package var titles: [String] { rows.map(\.title).uniqued }

  /// The titles of the benchmarks at the base point of all axes, or all titles if there are none.
  package var baseTitles: [String] {
    let base = BenchmarkResults(environment: environment, rows: rows.filter { $0.axis == nil })
    return base.rows.isEmpty ? titles : base.titles
  }

  /// Returns one contender's samples in one benchmark on one metric, by history size.
  ///
  /// - Returns: The curve, or `nil` if it was measured at no size.
  package func curve(title: String, contender: String, metric: Metric) -> CostCurve? {
    CostCurve(
      rows.filter { $0.contender == contender && $0.metric == metric && $0.title == title },
      metric: metric
    )
  }
}
