import HistoryBenchmarks
import Measuring
import PersistentHistory
import Reporting

/// Counts again and again, and holds each time against the first.
struct ExactRepeats {
  private let first: [BenchmarkRow]
  /// How often it is to be counted, the first time among them.
  let wanted: Int
  /// How often it was.
  private(set) var done = 1
  /// Each row that differed, by what was counted the first time it did, with how often it did.
  private(set) var differences: [(sentence: String, count: Int)] = []

  /// More differences than these are only numbered.
  private static let shown = 20

  /// Begins with what was counted the first time.
  init(_ rows: [BenchmarkRow], wanted: Int) {
    first = rows
    self.wanted = wanted
  }

  /// How many rows must be the same.
  var rowCount: Int { first.count(where: \.isExact) }

  /// Whether it was counted as often as wanted.
  var isWhole: Bool { done == wanted }

  /// Counts until it was done as often as wanted, or someone wants it to end.
  ///
  /// - Throws: a lab error when a benchmark fails.
  mutating func goOn(_ run: BenchmarkRun, _ terminal: Terminal) throws(LabError) {
    while done < wanted {
      let session = BenchSession(run: run, journal: nil, terminal: terminal)
      let outcome = try session.measure()
      guard outcome.isWhole else { return }
      note(outcome.rows)
      let rows = differences.count.counted("row differs", "rows differ")
      terminal.log("\(done) of \(wanted.counted("run")): \(rows)")
    }
  }

  /// Takes up what was counted once more.
  mutating func note(_ rows: [BenchmarkRow]) {
    done += 1
    let comparison = ExactComparison(base: first, head: rows)
    let missing = comparison.missing.map {
      "\($0.title), \($0.contender): \($0.metric.name) missing"
    }
    for sentence in comparison.findings.map(\.name) + missing {
      if let place = differences.firstIndex(where: { $0.sentence == sentence }) {
        differences[place].count += 1
      } else {
        differences.append((sentence, 1))
      }
    }
    if comparison.new > 0 {
      differences.append(("\(comparison.new.counted("row")) that the first run has not", 1))
    }
  }

  /// What came of it.
  var sentence: String {
    let runs = "\(done) of \(wanted.counted("run"))"
    if rowCount == 0 { return "nothing exact was counted" }
    if wanted == 1 { return "\(rowCount.counted("exact row was", "exact rows were")) counted" }
    guard differences.isEmpty else {
      return
        "\(differences.count.grouped) of \(rowCount.counted("exact row differs", "exact rows differ")) in \(runs)"
    }
    return "\(rowCount.counted("exact row is", "exact rows are")) identical in \(runs)"
  }

  /// The differences, as many as are told.
  var told: [String] {
    let more = differences.count - Self.shown
    return differences.prefix(Self.shown).map { "\($0.sentence), in \($0.count) of \(done - 1)" }
      + (more > 0 ? ["\(more) more"] : [])
  }
}
