import Checkers
import Commands
import Foundation
import HistoryBenchmarks
import HistoryTypes
import Measuring
import Reporting
import Stressing
import Traces

/// The results of checks as tiles and sections of a page.
struct CheckSections {
  let checks: [RunCollection.Check]
  /// The folder that will contain the page.
  let pageFolder: String

  /// One tile per system.
  var tiles: [VerdictTile] {
    checks.map { check in
      let broken = check.system.invariants.filter { $0.invalid > 0 }.map(\.invariant)
      let held = check.system.invariants.filter { $0.valid > 0 && $0.invalid == 0 }.count
      let all = check.system.invariants.count
      let isOurs = check.system.system == "tracker"
      return VerdictTile(
        subject: check.system.system,
        state: broken.isEmpty ? .good : .bad,
        word: broken.isEmpty ? "held" : isOurs ? "broken" : "found broken",
        answer: broken.isEmpty ? "\(held) of \(all) invariants" : broken.count.counted("invariant"),
        detail: "\(check.system.plans.counted("plan")), \(check.system.steps.counted("step"))"
          + "\(powerOffCount(check.system)), like \(check.like), seed \(check.seed).",
        anchor: PageSection.anchor(from: Self.heading(check))
      )
    }
  }

  /// An overview of the broken invariants, then one section per system.
  var sections: [PageSection] {
    (overview.map { [$0] } ?? []) + each
  }

  /// The shortest counterexample for each broken invariant and system; `nil` if no invariant broke.
  private var overview: PageSection? {
    let broken = checks.filter { !$0.system.counterexamples.isEmpty }
    guard !broken.isEmpty else { return nil }
    var table = ReportTable(
      caption: "Invariants that broke, each with its counterexample",
      columns: [
        .text("system"), .text("invariant"), .number("commands"), .prose("what happened"),
      ]
    )
    var explained: Set<String> = []
    for check in broken {
      for found in ViolationOrder.mostSpecificFirst(check.system.counterexamples, by: \.checker) {
        var row = ReportTable.Row(
          [check.system.system, found.checker, String(found.commands), found.because],
          mark: .bad,
          anchor: PageSection.anchor(from: "breaks \(check.system.system) \(found.checker)")
        )
        row.cellLinks[1] = path(of: found).map { .file($0) }
        // Each invariant is explained only once, although it may break in several systems.
        if explained.insert(found.checker).inserted {
          row.cellNotes[1] = CheckerSuite.sentence(of: found.checker)
        }
        table.append(row)
      }
    }
    return PageSection(
      "What breaks each design",
      [
        .paragraph(
          "Random plans were run on each system, and each plan that broke an invariant was shrunk as "
            + "far as possible. The name of an invariant leads to its counterexample. "
            + CounterexamplePage.installSentence
        ), .table(table),
      ]
    )
  }

  private var each: [PageSection] {
    checks.map { check in
      PageSection(
        Self.heading(check),
        [.paragraph(sentence(check)), .table(table(check.system))] + faults(check.system)
          + counterexamples(check)
      )
    }
  }

  private static func heading(_ check: RunCollection.Check) -> String {
    "Invariants: \(check.system.system)"
  }

  private func sentence(_ check: RunCollection.Check) -> String {
    let sentence = LabSystem.named(check.system.system).map { $0.sentence + " " } ?? ""
    return sentence
      + "\(check.system.plans.counted("random plan")), \(check.system.invalidPlans.grouped) of which "
      + "broke an invariant." + purgeSentence(check.system) + faultSentences(check.system)
  }

  private func powerOffCount(_ system: CheckDocument.System) -> String {
    guard let count = system.powerOffs, count > 0 else { return "" }
    return ", \(count.counted("power-off"))"
  }

  private func purgeSentence(_ system: CheckDocument.System) -> String {
    CheckTally(joining: [system]).neverPurgedSentence.map { " " + $0 } ?? ""
  }

  private func faultSentences(_ system: CheckDocument.System) -> String {
    FaultCounts(system).sentences.map { " " + $0 }.joined()
  }

  private func table(_ system: CheckDocument.System) -> ReportTable {
    var table = ReportTable(
      caption: "In how many plans each invariant held, broke, or was not exercised",
      columns: [
        .text("invariant"), .text("verdict"), .number("held"), .number("broke"),
        .number("not exercised"),
      ]
    )
    for row in system.invariants {
      let state: VerdictState = row.invalid > 0 ? .bad : row.valid > 0 ? .good : .unknown
      let word = row.invalid > 0 ? "broken" : row.valid > 0 ? "held" : "not exercised"
      var cells = ReportTable.Row(
        [
          row.invariant, word, row.valid.grouped, row.invalid.grouped, row.unknown.grouped,
        ],
        mark: state,
        anchor: PageSection.anchor(from: "invariant \(system.system) \(row.invariant)")
      )
      cells.cellNotes[0] = CheckerSuite.sentence(of: row.invariant)
      table.append(cells)
    }
    return table
  }

  /// Returns a table of planned and injected faults by kind; empty if there are no faults.
  private func faults(_ system: CheckDocument.System) -> [PageBlock] {
    let faults = Dictionary(grouping: system.faults ?? [], by: \.kind)
    guard !faults.isEmpty else { return [] }
    var table = ReportTable(
      caption: "Faults: how often each was planned for a command that ran, and occurred",
      columns: [.text("fault"), .number("planned"), .number("occurred"), .number("commands")]
    )
    for (kind, found) in faults.sorted(by: { $0.key < $1.key }) {
      let planned = found.reduce(0) { $0 + $1.planned }
      let fired = found.reduce(0) { $0 + $1.fired }
      table.append([kind, planned.grouped, fired.grouped, String(found.count)])
    }
    return [.table(table)]
  }

  /// Returns the counterexamples; the most informative one comes first, with a picture of its trace.
  private func counterexamples(_ check: RunCollection.Check) -> [PageBlock] {
    let found = ViolationOrder.mostSpecificFirst(check.system.counterexamples, by: \.checker)
    return found.enumerated().flatMap { place, found -> [PageBlock] in
      let anchor = PageSection.anchor(from: "\(check.system.system) \(found.checker)")
      let commands = found.commands.counted("command")
      let heading = "\(found.checker), broken in \(commands)"
      return [.subheading(heading, anchor: anchor), .paragraph(found.because.fullStopped)]
        + (place == 0 ? picture(found) : []) + page(found)
        + [.command(found.replay, purpose: "Replay it, in the folder of this page:")]
    }
  }

  /// Returns a picture of the counterexample's trace; if its file is missing, the plan as text.
  private func picture(_ found: CheckDocument.Found) -> [PageBlock] {
    guard let data = FileManager.default.contents(atPath: found.file),
      let text = String(data: data, encoding: .utf8)
    else { return [.preformatted(found.plan.joined(separator: "\n"))] }
    do throws(FormatError) {
      return [.counterexample(CounterexamplePicture(try CounterexampleCodec.decode(text)))]
    } catch {
      return [.paragraph("\(found.file) cannot be read: \(error.description)")]
    }
  }

  /// Returns a link to the counterexample's page; empty if the page does not exist.
  private func page(_ found: CheckDocument.Found) -> [PageBlock] {
    path(of: found).map {
      [.link(path: $0, text: "The picture of \(found.checker), its plan and its file")]
    } ?? []
  }

  private func path(of found: CheckDocument.Found) -> String? {
    RelativePath.path(from: pageFolder, toPageOf: found.file)
  }
}

/// The verdicts of runs as a JUnit report for CI systems.
///
/// A case fails if this project is at fault: its own tracker broke an invariant, a seeded bug was not
/// found, or a stress run is invalid. Violations by other systems and missed goals are skipped cases
/// with a reason, because they are not regressions.
struct LabVerdicts {
  let runs: RunCollection

  init(_ runs: RunCollection) { self.runs = runs }

  var report: JUnitReport {
    JUnitReport(
      suites: runs.checks.map(Self.suite) + [stress, mutants, goals].compactMap { $0 }
    )
  }

  private static func suite(_ check: RunCollection.Check) -> JUnitReport.Suite {
    let system = check.system
    let isOurs = system.system == "tracker"
    return JUnitReport.Suite(
      "check \(system.system)",
      seconds: system.seconds,
      cases: system.invariants.map { row in
        let found = system.counterexamples.first { $0.checker == row.invariant }
        if row.invalid > 0 {
          let reason =
            "broke in \(row.invalid) of \(system.plans.counted("plan"))"
            + (found.map { ": \($0.because). Replay: \($0.replay)" } ?? "")
          return .init(row.invariant, isOurs ? .failed(reason) : .skipped("known: \(reason)"))
        }
        return .init(row.invariant, row.valid > 0 ? .passed : .skipped("no plan exercised it"))
      }
    )
  }

  private var stress: JUnitReport.Suite? {
    runs.stress.map { stress in
      let outcome: JUnitReport.Outcome =
        switch stress.verdict {
        case "valid": .passed
        case "invalid": .failed(stress.because)
        default: .skipped(stress.because)
        }
      return JUnitReport.Suite(
        "stress",
        seconds: stress.result.seconds,
        cases: [.init("real processes on one store", outcome)]
      )
    }
  }

  private var mutants: JUnitReport.Suite? {
    runs.mutants.map { mutants in
      JUnitReport.Suite(
        "mutants",
        seconds: mutants.seconds,
        cases: mutants.outcomes.map { one in
          .init(one.mutant, Self.outcome(of: one))
        }
      )
    }
  }

  private static func outcome(of one: MutantDocument.Outcome) -> JUnitReport.Outcome {
    switch one.outcome {
    case "killed", "equivalent": .passed
    case "not tried": .skipped("the run was ended before a seed was tried")
    default: .failed("\(one.outcome): \(one.killed) of \(one.seeds.counted("seed")) found it")
    }
  }

  private var goals: JUnitReport.Suite? {
    guard let bench = runs.bench else { return nil }
    let outcomes = BenchmarkReport(bench.results, goals: Goals.all).reachedFor
    return JUnitReport.Suite(
      "goals",
      cases: outcomes.map { outcome in
        let value = outcome.value.map(NumberText.significant) ?? "nothing"
        let limit = outcome.goal.limit.map(NumberText.significant) ?? "none"
        return .init(
          outcome.goal.measure,
          outcome.verdict == .reached
            ? .passed
            : .skipped(
              "\(outcome.verdict.rawValue): \(outcome.reason ?? "\(value), limit \(limit)")"
            )
        )
      }
    )
  }
}
