import Basics
import Commands
import Foundation
import HistoryTypes
import Reporting
import Systems
import Traces

/// The outcomes of all mutants.
struct MutantReport {
  let seed: UInt64
  let seedCount: Int
  let seconds: Double
  let folder: String
  let outcomes: [MutantOutcome]

  /// The outcomes of the mutants that are not equivalent; plans of every seed should kill them.
  private var bugs: [MutantOutcome] { outcomes.filter { $0.mutant.equivalence == nil } }

  /// The number of mutants that were killed with every seed, equivalent mutants excluded.
  var killedCount: Int { bugs.count { $0.isAsExpected && $0.trials.count == seedCount } }

  /// The tried mutants that survived a seed, or that were killed although they are listed as equivalent.
  var failures: [MutantOutcome] { outcomes.filter { $0.isTried && !$0.isAsExpected } }

  /// Whether every mutant was tried with every seed.
  var isWhole: Bool { outcomes.allSatisfy { $0.trials.count == seedCount } }

  /// The share of kills in which some plan shrank to the shortest known length, or below it.
  ///
  /// A mutant and a seed count as one kill if a plan drawn from the seed kills the mutant, hangs or
  /// crashes. The shortest known length is that of the shortest plan known to kill the mutant
  /// (``Mutant/least``). Equivalent mutants are excluded.
  var leastShare: Double { share(\.leastCount) }

  /// The share of kills in which the first plan shrank to the shortest known length, or below it.
  ///
  /// A mutant and a seed count as one kill if a plan drawn from the seed kills the mutant, hangs or
  /// crashes. The first plan is the first one that kills the mutant. The shortest known length is
  /// ``Mutant/least``. Equivalent mutants are excluded.
  var firstLeastShare: Double { share(\.firstLeastCount) }

  private func share(_ count: (MutantOutcome) -> Int) -> Double {
    let all = bugs.map(\.killCount).reduce(0, +)
    return all == 0 ? 0 : Double(bugs.map(count).reduce(0, +)) / Double(all)
  }

  /// The median number of plans until a kill, for the mutant with the greatest such median.
  ///
  /// Equivalent mutants are excluded.
  var caseMedianMax: Double { bugs.map(\.caseMedian).max() ?? 0 }

  /// `invalid` if an outcome is unexpected, else `unknown` if a trial is missing, else `valid`.
  var verdict: String { !failures.isEmpty ? "invalid" : isWhole ? "valid" : "unknown" }

  /// The mutation score in one sentence.
  var because: String {
    let score =
      "\(killedCount) of \(bugs.count) mutants killed by every one of \(seedCount.counted("seed"))"
    guard isWhole else { return "\(score); the run ended early." }
    guard let sentence = Self.failureSentence(failures.map(\.mutant.name)) else {
      return score + "."
    }
    return "\(score); \(sentence)."
  }

  /// Returns a clause that names the mutants with an unexpected outcome; `nil` if there are none.
  fileprivate static func failureSentence(_ names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    return "\(names.joinedWithAnd) \(names.count == 1 ? "is" : "are") not as expected"
  }

  /// Returns the trials as comma-separated values, one line per trial.
  func csv() -> String {
    var table = ReportTable(columns: [
      .text("mutant"), .text("seed"), .text("killed"), .text("checker found"),
      .text("checker shrunk"), .number("cases"), .number("seconds"), .number("commands found"),
      .number("commands shrunk"), .number("commands shortest"), .number("commands least"),
      .number("evaluations"), .number("seconds shrinking"),
    ])
    for outcome in outcomes {
      for trial in outcome.trials { table.append(cells(trial, outcome.mutant.least)) }
    }
    return table.csv()
  }

  private func cells(_ trial: MutantTrial, _ least: Int) -> [String] {
    let kill = trial.kills.first
    return [
      trial.mutant, "0x" + String(trial.seed, radix: 16), kill == nil ? "no" : "yes",
      kill?.checkers.found ?? "", kill?.checkers.shrunk ?? "", String(trial.caseCount),
      String(trial.seconds), kill.map { String($0.foundCommandCount) } ?? "",
      kill.map { String($0.commandCount) } ?? "",
      trial.shortest.map { String($0.commandCount) } ?? "", least > 0 ? String(least) : "",
      kill.map { String($0.evaluations) } ?? "", kill.map { String($0.seconds) } ?? "",
    ]
  }

  /// Returns the report as one JSON object with sorted keys.
  func json(for reader: RunReader) throws(LabError) -> String {
    try JSONText.document(MutantDocument(self, for: reader), named: "the report")
  }
}

/// The JSON form of a mutant report, stored in `mutants.json`.
struct MutantDocument: Codable, RunFile {
  struct Outcome: Codable {
    let mutant: String
    let sentence: String
    let conditions: [String]
    let outcome: String
    /// The reason why no plan can kill the mutant; `nil` if a plan can.
    let equivalence: String?
    /// The number of seeds tried; `killed` counts those that killed the mutant.
    let seeds: Int
    let killed: Int
    /// By checker name, the number of seeds whose first killing plan the checker rejects.
    let checkers: [String: Int]
    let casesMedian: Double
    let secondsMedian: Double
    /// The median, over the seeds, of the number of commands in the first shrunk plan that kills.
    ///
    /// Seeds without a plan that kills the mutant are left out.
    let commandsFirst: Double
    /// The median, over the seeds, of the number of commands in the shortest plan that kills.
    ///
    /// The plans are shrunk. Seeds without a plan that kills the mutant are left out.
    let commandsShortest: Double
    /// The number of commands of the shortest known killing plan; 0 if none is known.
    let commandsLeast: Int
    /// The number of seeds whose first plan that kills shrank to `commandsLeast` commands or fewer.
    let firstAtLeast: Int
    /// The number of seeds with a plan that kills and shrank to `commandsLeast` commands or fewer.
    let atLeast: Int
    /// The number of different failures among the shrunk plans that kill the mutant.
    ///
    /// Failures are different if a `campaign` lists them separately. `nil` in files of older
    /// versions.
    let failures: Int?
    /// The number of groups of failures among the shrunk plans that kill the mutant.
    ///
    /// As in a `campaign`, the failures of a group probably have one cause. `nil` in files of older
    /// versions.
    let groups: Int?
    /// The shortest killing plan of this run; each element is a line of the plan format.
    let plan: [String]
  }
  static let title = "a run of the mutants"
  static let versionField = "mutants"
  static let formatVersion = 1
  let mutants: Int
  let seed: String
  let seeds: Int
  let seconds: Double
  let verdict: String
  let because: String
  let killed: Int
  let casesMedianMax: Double
  let leastShare: Double
  let firstLeastShare: Double
  /// The path of the run's folder; `.` in `mutants.json`, which is inside that folder.
  let folder: String
  let outcomes: [Outcome]

  /// Joins the parts of one run; the mutants of the parts are interleaved round-robin.
  ///
  /// `gaps` contains sentences that name the missing and unfinished parts.
  init(joining parts: [MutantDocument], gaps: [String]) {
    let longest = parts.map(\.outcomes.count).max() ?? 0
    outcomes = (0..<longest).flatMap { place in
      parts.compactMap { $0.outcomes.indices.contains(place) ? $0.outcomes[place] : nil }
    }
    let bugs = outcomes.filter { $0.equivalence == nil }
    let seedCount = parts.first?.seeds ?? 0
    let found = bugs.filter { $0.killed == seedCount }.count
    let kills = Double(max(bugs.map(\.killed).reduce(0, +), 1))
    mutants = Self.formatVersion
    seed = parts.first?.seed ?? ""
    seeds = seedCount
    seconds = parts.map(\.seconds).reduce(0, +)
    killed = found
    casesMedianMax = bugs.map(\.casesMedian).max() ?? 0
    leastShare = Double(bugs.map(\.atLeast).reduce(0, +)) / kills
    firstLeastShare = Double(bugs.map(\.firstAtLeast).reduce(0, +)) / kills
    let isWrong = parts.contains { $0.verdict == "invalid" }
    let isOpen = !gaps.isEmpty || parts.contains { $0.verdict == "unknown" }
    verdict = isWrong ? "invalid" : isOpen ? "unknown" : "valid"
    let score =
      "\(found) of \(bugs.count) mutants killed by every one of \(seeds.counted("seed"))"
    let failures = outcomes.filter { ["survived", "not equivalent"].contains($0.outcome) }
    let reasons = MutantReport.failureSentence(failures.map(\.mutant)).map { [$0] } ?? []
    because =
      ([score] + reasons).joined(separator: "; ") + "."
      + gaps.map { " " + $0.capitalised }.joined()
    folder = RunReader.folder.folder("")
  }

  init(_ report: MutantReport, for reader: RunReader) {
    mutants = Self.formatVersion
    seed = "0x" + String(report.seed, radix: 16)
    seeds = report.seedCount
    seconds = report.seconds
    verdict = report.verdict
    because = report.because
    killed = report.killedCount
    casesMedianMax = report.caseMedianMax
    leastShare = report.leastShare
    firstLeastShare = report.firstLeastShare
    folder = reader.folder(report.folder)
    outcomes = report.outcomes.map(Self.outcome)
  }

  private static func outcome(_ outcome: MutantOutcome) -> Outcome {
    let plan = outcome.shortest.map { PlanCodec.encode($0.plan) } ?? ""
    return Outcome(
      mutant: outcome.mutant.name,
      sentence: outcome.mutant.sentence,
      conditions: outcome.mutant.conditions,
      outcome: outcome.word,
      equivalence: outcome.mutant.equivalence,
      seeds: outcome.trials.count,
      killed: outcome.killCount,
      checkers: Dictionary(uniqueKeysWithValues: outcome.checkers.map { ($0.name, $0.count) }),
      casesMedian: outcome.caseMedian,
      secondsMedian: outcome.secondsMedian,
      commandsFirst: outcome.firstMedian,
      commandsShortest: outcome.shortestMedian,
      commandsLeast: outcome.mutant.least,
      firstAtLeast: outcome.firstLeastCount,
      atLeast: outcome.leastCount,
      failures: outcome.failureCount,
      groups: outcome.groupCount,
      plan: plan.split(separator: "\n").map(String.init)
    )
  }
}

/// Prints a mutant report on a terminal.
struct MutantText {
  let terminal: Terminal

  func print(_ report: MutantReport) {
    terminal.print(table(report), indent: 0) { styled($0, report) }
    terminal.print("")
    for outcome in report.outcomes where outcome.mutant.equivalence != nil {
      terminal.print("\(outcome.mutant.name): \(outcome.mutant.equivalence ?? "")")
    }
    for outcome in report.failures { explain(outcome) }
    terminal.print(
      "Plans until a kill: \(text(report.caseMedianMax)) for the slowest mutant (median of its "
        + "seeds). Of the kills, "
        + "\(Int(report.leastShare * 100)) % reached the shortest known length, "
        + "\(Int(report.firstLeastShare * 100)) % with the first failing plan; "
        + "\(Int(report.seconds.rounded())) s, seed 0x\(String(report.seed, radix: 16))"
    )
    let style: Style = report.verdict == "valid" ? .green : .red
    terminal.print(terminal.styled(report.because.capitalised, style))
  }

  /// Returns a table with one row per mutant.
  private func table(_ report: MutantReport) -> ReportTable {
    var table = ReportTable(columns: [
      .text("mutant"), .text("outcome"), .number("killed"), .text("by"), .number("cases"),
      .number("seconds"), .number("first"), .number("shortest"), .number("least"),
      .number("at least"), .number("failures"), .number("groups"),
    ])
    for outcome in report.outcomes { table.append(cells(outcome)) }
    return table
  }

  private func cells(_ outcome: MutantOutcome) -> [String] {
    let kills = outcome.killCount
    let checkers = outcome.checkers.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
    return [
      outcome.mutant.name, outcome.word,
      outcome.isTried ? "\(kills)/\(outcome.trials.count)" : "", checkers,
      outcome.isTried ? text(outcome.caseMedian) : "",
      outcome.isTried ? text(outcome.secondsMedian, digits: 1000) : "",
      kills > 0 ? text(outcome.firstMedian) : "",
      kills > 0 ? text(outcome.shortestMedian) : "",
      outcome.mutant.least > 0 ? String(outcome.mutant.least) : "",
      kills > 0 ? "\(outcome.leastCount)/\(kills)" : "",
      kills > 0 ? String(outcome.failureCount) : "",
      kills > 0 ? String(outcome.groupCount) : "",
    ]
  }

  private func text(_ value: Double, digits: Double = 10) -> String {
    let rounded = (value * digits).rounded() / digits
    return rounded == rounded.rounded() ? Int(rounded).grouped : String(rounded)
  }

  private func styled(_ line: String, _ report: MutantReport) -> String {
    let name = line.prefix { $0 != " " }
    return report.failures.contains { $0.mutant.name == name }
      ? terminal.styled(line, .red) : line
  }

  private func explain(_ outcome: MutantOutcome) {
    let mutant = outcome.mutant
    let conditions =
      mutant.conditions.isEmpty ? "" : " --conditions " + mutant.conditions.joined(separator: ",")
    terminal.print(
      "\(mutant.name) \(outcome.word == "survived" ? "survived" : "was killed, but is listed as equivalent")"
        + ": \(mutant.sentence) Look at its plans with: "
        + terminal.command.line("check --system mutant/\(mutant.name)\(conditions)")
    )
  }
}
