import LabFixtures
import Systems
import Testing

@testable import Commands
@testable import HistoryLab

/// Edits that rules have generated: the output of their processes, and the report of it.
@Suite struct `Generated mutants` {
  @Test(arguments: [
    (
      "killed\tPurgeSafety\t7\n", 0, false,
      GeneratedTrial.Outcome.killed(checker: "PurgeSafety", plan: 7)
    ),
    ("survived\n", 0, false, .survived), ("survived\n", 9, false, .crashed("it ended with 9")),
    ("", 4, false, .crashed("it ended with 4")), ("", 9, true, .hung),
    ("survived\n", 0, true, .hung), ("crashed\tno store\n", 0, false, .crashed("no store")),
    ("killed\n", 0, false, .crashed("it ended with 0")),
  ])
  func `The outcome is read from the last line and the exit status`(
    _ line: String,
    _ status: Int32,
    _ isLate: Bool,
    _ outcome: GeneratedTrial.Outcome
  ) {
    #expect(GeneratedTrial.Outcome(line: line, status: status, isLate: isLate) == outcome)
  }

  @Test func `A report counts the outcomes, and names each edit`() throws {
    let outcomes: [GeneratedTrial.Outcome] = [
      .killed(checker: "WakeUp", plan: 3), .survived, .survived, .crashed("it ended with 4"), .hung,
    ]
    let report = GeneratedReport(
      seed: 1,
      planCount: 600,
      trials: outcomes.enumerated().map { number, outcome in
        .init(
          mutant: Mutant(
            "g\(number)",
            number: Int32(number),
            least: 1,
            "A.swift:\(number): < is <=: <"
          ),
          outcome: outcome
        )
      }
    )
    #expect(
      report.because
        == "of 5 edits, each run with 600 plans, 1 were killed by a checker, 1 crashed, 1 hung "
        + "and 2 survived; seed 0x1."
    )
    let lines = report.csv().split(whereSeparator: \.isNewline)
    #expect(lines.count == 6 && lines[1] == "g0,A.swift:0: < is <=: <,killed,WakeUp,3")
    #expect(try report.json().contains("\"outcome\" : \"hung\""))
  }

  @Test(arguments: [
    ("mutants --generated", "scripts/mutants --generated N"),
    ("mutants --plans 5", "--plans needs --generated"),
    ("mutants --generated --quick", "cannot be given together"),
    ("mutants --generated --seeds 3", "cannot be given together"),
  ])
  func `Missing files and conflicting options are refused`(
    _ line: String,
    _ sentence: String
  ) async {
    let result = await run(line.split(separator: " ").map(String.init))
    #expect(result.code == .usage && result.errors.contains(sentence), "\(result.errors)")
  }
}
