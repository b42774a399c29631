/// Everything that one run of the benchmarks found, as `results.json` keeps it.
///
/// The key `results` carries the version of the format. A reader accepts its own version and older
/// ones, and refuses a newer one with a sentence.
package struct BenchmarkResults: Sendable, Hashable, Codable {
  /// The version of the format that this program writes.
  package static let formatVersion = 1

  /// Where, with what and when it was measured.
  package var environment: RunEnvironment
  /// The rows in the order of measuring.
  package var rows: [BenchmarkRow]

  /// Makes results.
  package init(environment: RunEnvironment, rows: [BenchmarkRow]) {
    self.environment = environment
    self.rows = rows
  }

  private enum CodingKeys: String, CodingKey {
    case version = "results"
    case environment
    case rows
  }

  /// Decodes results of a known version.
  ///
  /// - Throws: `DecodingError`, for another version too.
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

  /// The sizes of history, smallest first.
  package var historySizes: [Int] { Set(rows.map(\.historySize)).sorted() }

  /// The titles of the benchmarks, in the order of their first row.
  package var titles: [String] { rows.map(\.title).uniqued }

  /// The same of the benchmarks at the base point, or all where none is measured there.
  package var baseTitles: [String] {
    let base = BenchmarkResults(environment: environment, rows: rows.filter { $0.axis == nil })
    return base.rows.isEmpty ? titles : base.titles
  }

  /// The samples of one contender in one benchmark on one metric, by size of history.
  ///
  /// - Returns: nil when it was measured at no size.
  package func curve(title: String, contender: String, metric: Metric) -> CostCurve? {
    CostCurve(
      rows.filter { $0.contender == contender && $0.metric == metric && $0.title == title },
      metric: metric
    )
  }
}
