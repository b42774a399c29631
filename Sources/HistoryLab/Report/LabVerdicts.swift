import HistoryBenchmarks
import Measuring
import PersistentHistory
import Reporting

/// The verdicts of runs as a JUnit report for CI systems.
///
/// A case fails if this project is at fault: an invariant that its own tracker broke, a seeded bug
/// that was not found, or an invalid stress run. Violations by any other system are known, and a
/// missed goal is not a regression: both are skipped cases with a reason.
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
