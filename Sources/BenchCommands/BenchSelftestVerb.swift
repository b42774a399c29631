import Commands
import Foundation
import HistoryBenchmarks
import HistoryTypes
import Measuring
import Reporting

struct BenchSelftestOptions: VerbOptions {
  @Flag("quick", "Tries a tenth of the cases, which takes seconds.") var quick
  @Option(.seed) var seed: UInt64
  @Flag(.json) var json
}

extension BenchSelftestVerb {
  static let spec = VerbSpec(
    name: "bench selftest",
    sentence: "Tests the measurement itself with known costs and regressions.",
    examples: [
      Example("bench selftest", "Runs the whole self-test, in about a minute."),
      Example("bench selftest --quick --seed 1", "Runs a tenth of the self-test."),
    ]
  ) { (options, _, terminal) in BenchSelftestVerb(options: options, terminal: terminal) }
}

/// Tests the measurement itself with known costs, equal work and injected regressions.
struct BenchSelftestVerb: Verb {
  let options: BenchSelftestOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    var outcomes: [SelfTestOutcome] = []
    var isWhole = true
    do {
      try SimulatedSelfTest(seed: options.seed, isQuick: options.quick).run {
        if Interruption.isRequested { throw Interrupted() }
        outcomes.append($0)
      }
      let test = MeasuredSelfTest(seed: options.seed, isQuick: options.quick)
      let bar = ProgressBar(
        WorkState("measuring", unit: "rows", total: test.rowCount),
        on: terminal
      )
      defer { bar.finish() }
      try test.run(
        measures: {
          if Interruption.isRequested { throw Interrupted() }
          bar.advance()
        },
        { outcomes.append($0) }
      )
    } catch is Interrupted {
      terminal.log("Ending early.")
      isWhole = false
    } catch {
      throw .lab("the self-test could not run: \(error)")
    }
    try print(outcomes, isWhole: isWhole)
    guard outcomes.allSatisfy(\.isReached) else { return .violation }
    return isWhole ? .good : .undecided
  }

  private func print(_ outcomes: [SelfTestOutcome], isWhole: Bool) throws(LabError) {
    if options.json { return try printJSON(outcomes) }
    terminal.print(
      terminal.styled("Self-test of the measurements on data with known results", .bold)
        + " (seed 0x\(String(options.seed, radix: 16)))"
    )
    terminal.print(table(outcomes))
    let reached = outcomes.filter(\.isReached).count
    terminal.print("")
    let early = isWhole ? "" : " The self-test ended early: the others were not tried."
    terminal.print("\(reached) of \(outcomes.count.counted("goal")) reached.\(early)")
    terminal.print(
      "Simulated: laws with 3 % noise and 3 % outliers; launches that vary by "
        + "\(percent(SimulatedLaunches.launchDeviation)), neighbouring pairs by "
        + "\(percent(SimulatedLaunches.pairDeviation)), as 40 launches on 2 busy cores did."
    )
  }

  private func table(_ outcomes: [SelfTestOutcome]) -> ReportTable {
    var table = ReportTable(columns: [
      .text("part"), .text("how"), .text("goal"), .text("found"), .text("verdict"),
    ])
    for outcome in outcomes {
      table.append([
        outcome.part, outcome.isMeasured ? "measured" : "simulated", outcome.goal, outcome.found,
        outcome.isReached ? "reached" : "NOT REACHED",
      ])
    }
    return table
  }

  private func printJSON(_ outcomes: [SelfTestOutcome]) throws(LabError) {
    terminal.print(try JSONText.document(outcomes, named: "the list of outcomes"))
  }

  private func percent(_ share: Double) -> String {
    "\((share * 1000).rounded() / 10) %"
  }
}
