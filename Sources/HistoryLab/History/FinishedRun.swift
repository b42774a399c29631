import Basics
import Commands
import Foundation
import Measuring
import Reporting
import Stressing

/// The results of a finished run, as the results database stores them.
struct FinishedRun {
  /// One measured value of a benchmark row.
  struct Figure: Hashable {
    let title: String
    let contender: String
    let historySize: Int
    /// The metric's name, followed by ` ratio` if the value is relative to another contender.
    let metric: String
    let kind: Metric.Kind
    let unit: String
    let median: Double
    var lower: Double?
    var upper: Double?
    let samples: Int
  }
  /// The numbers of good, bad and unknown results for one subject, such as an invariant.
  struct Verdict: Hashable {
    let system: String
    /// The name of the subject: of an invariant, of an invariant under a condition, or of a mutant.
    ///
    /// For a stress run, the subject is `processes on one store`.
    let subject: String
    var good = 0
    var bad = 0
    var unknown = 0
  }
  /// A number about a run other than a benchmark value or a verdict, such as the number of plans.
  struct Fact: Hashable {
    let system: String
    let name: String
    let value: Double
  }
  let folder: String
  let record: RunRecord
  var figures: [Figure] = []
  var verdicts: [Verdict] = []
  var facts: [Fact] = []

  var name: String { RunFolders.name(of: folder) }

  /// Reads the folder of a run.
  ///
  /// - Throws: a usage error when the folder contains no run, or the run has no verdict yet.
  init(folder: String) throws(LabError) {
    self.folder = folder
    record = try Self.record(folder)
    guard record.verdict != nil else {
      throw .usage(
        "the run in \(folder.quoted) has not finished, so it is not added. Let it finish, or run "
          + "it again."
      )
    }
    if let results = try results() { figures = results.rows.flatMap(Self.figures) }
    if let check: CheckDocument = try document("check.json") { add(check) }
    if let mutants: MutantDocument = try document("mutants.json") { add(mutants) }
    if let cards: CardsDocument = try document("cards.json") { add(cards) }
    if let stress: StressDocument = try document("stress.json") { add(stress) }
  }

  /// Reads the record of a run from `run.json`.
  static func record(_ folder: String) throws(LabError) -> RunRecord {
    guard let record: RunRecord = try RunDocument.read(folder + "/run.json") else {
      throw .usage("\(folder.quoted) is not the folder of a run: it has no run.json.")
    }
    return record
  }

  private func document<Document: RunFile>(_ file: String) throws(LabError) -> Document? {
    try RunDocument.read(folder + "/" + file)
  }

  private func results() throws(LabError) -> BenchmarkResults? {
    let path = folder + "/results.json"
    guard FilePath.state(of: path) == .file else { return nil }
    do throws(ResultsFileError) { return try ResultsFile.read(path: path) } catch {
      throw .usage(error.description)
    }
  }
}

extension FinishedRun {
  private static func figures(_ row: BenchmarkRow) -> [Figure] {
    // The database identifies a metric only by its kind, so a varying count would be stored as an exact
    // count.
    guard let summary = row.summary, row.varies == nil else { return [] }
    func figure(
      _ metric: String,
      _ unit: String,
      _ median: Double,
      _ interval: Interval?
    )
      -> Figure
    {
      Figure(
        title: row.title,
        contender: row.contender,
        historySize: row.historySize,
        metric: metric,
        kind: row.metric.kind,
        unit: unit,
        median: median,
        lower: interval?.lower,
        upper: interval?.upper,
        samples: summary.count
      )
    }
    let measured = figure(row.metric.name, row.metric.unit, summary.p50, row.median)
    guard let ratio = row.ratio?.interval else { return [measured] }
    return [measured, figure(row.metric.name + " ratio", "", ratio.estimate, ratio)]
  }

  private mutating func add(_ check: CheckDocument) {
    for system in check.systems {
      verdicts += system.invariants.map { row in
        Verdict(
          system: system.system,
          subject: row.invariant,
          good: row.valid,
          bad: row.invalid,
          unknown: row.unknown
        )
      }
      facts += [
        ("plans", system.plans), ("invalid plans", system.invalidPlans), ("steps", system.steps),
        ("power-offs", system.powerOffs ?? 0),
      ].map { Fact(system: system.system, name: $0.0, value: Double($0.1)) }
    }
  }

  private mutating func add(_ mutants: MutantDocument) {
    for outcome in mutants.outcomes {
      let missed = outcome.seeds - outcome.killed
      let isBug = outcome.equivalence == nil
      verdicts.append(
        Verdict(
          system: "mutants",
          subject: outcome.mutant,
          good: isBug ? outcome.killed : missed,
          bad: isBug ? missed : outcome.killed
        )
      )
    }
    facts += [
      ("killed", Double(mutants.killed)), ("most plans in the median", mutants.casesMedianMax),
      ("least share", mutants.leastShare),
    ].map { Fact(system: "mutants", name: $0.0, value: $0.1) }
  }

  private mutating func add(_ cards: CardsDocument) {
    for card in cards.systems {
      verdicts += card.cells.filter { $0.result != .notExercised }.map { cell in
        Verdict(
          system: card.system,
          subject: "\(cell.invariant) under \(cell.condition)",
          good: cell.result == .holds ? 1 : 0,
          bad: cell.result == .breaks ? 1 : 0,
          unknown: cell.result == .unknown ? 1 : 0
        )
      }
    }
  }

  private mutating func add(_ stress: StressDocument) {
    verdicts.append(
      Verdict(
        system: "stress",
        subject: "processes on one store",
        good: stress.verdict == "valid" ? 1 : 0,
        bad: stress.verdict == "invalid" ? 1 : 0,
        unknown: stress.verdict == "unknown" ? 1 : 0
      )
    )
    facts += [
      ("committed", Double(stress.result.committed)), ("seconds", stress.result.seconds),
      ("held at most", Double(stress.result.heldMax)),
      ("held at the end", Double(stress.result.heldAtEnd)),
    ].map { Fact(system: "stress", name: $0.0, value: $0.1) }
  }
}

/// The contents of `stress.json`.
struct StressDocument: RunFile {
  static let title = "a stress run"
  static let versionField = "stress"
  /// The version of the format; files without a version field have version 1.
  static let formatVersion = 1
  let verdict: String
  let because: String
  let result: StressResult

  /// Returns the contents of `stress.json`: one JSON object with sorted keys.
  func json() throws(LabError) -> String {
    struct Fields: Encodable {
      let stress = StressDocument.formatVersion
      let verdict: String
      let because: String
      let kills: Int
      let result: StressResult
    }
    let fields = Fields(
      verdict: verdict,
      because: because,
      kills: result.counts.kills,
      result: result
    )
    return try JSONText.document(fields, named: "the result")
  }
}
