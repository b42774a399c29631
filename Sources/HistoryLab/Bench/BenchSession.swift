import HistoryBenchmarks
import Measuring

/// Measures with progress shown, until the end or until someone wants it to end.
struct BenchSession {
  let run: BenchmarkRun
  let terminal: Terminal

  /// What was measured.
  struct Outcome {
    /// The benchmarks that were measured at all sizes, each with its rows.
    var measured: [(subject: BenchmarkSubject, rows: [BenchmarkRow])] = []
    /// How many should have been.
    var subjectCount = 0

    var rows: [BenchmarkRow] { measured.flatMap(\.rows) }
    var isWhole: Bool { measured.count == subjectCount }

    /// What came of it.
    var sentence: String {
      if !isWhole { return "ended early: \(measured.count) of \(subjectCount) were measured" }
      return subjectCount == 1
        ? "1 benchmark was measured" : "\(subjectCount) benchmarks were measured"
    }
  }

  /// Measures.
  ///
  /// - Throws: a lab error when a benchmark fails, or two contenders did different work.
  func measure() throws(LabError) -> Outcome {
    let building = ProgressBar(
      WorkState("building stores", unit: "transactions", total: run.neededSizes.max()),
      on: terminal
    )
    var measuring: ProgressBar?
    var working: (work: LongWork, bar: ProgressBar)?
    defer { terminal.setStatus(nil) }
    var outcome = Outcome(subjectCount: run.subjects.count)
    do {
      try run.run { event in
        if Interruption.isRequested { throw Interrupted() }
        switch event {
        case .built(let transactions): building.advance(by: transactions)
        case .began(let subject):
          let bar = measuring ?? measuringBar
          bar.advance(by: 0, note: subject.name)
          measuring = bar
        case .measures: measuring?.advance(by: 0)
        case .advanced(let work, let count):
          let bar = working.flatMap { $0.work == work ? $0.bar : nil } ?? bar(of: work)
          bar.advance(by: count)
          working = (work, bar)
        case .measured(let subject, let rows):
          outcome.measured.append((subject, rows))
          measuring?.advance()
        }
      }
    } catch is Interrupted {
      terminal.log("Ending early; what was measured is kept.")
    } catch {
      throw .lab("the benchmarks failed: \(error)")
    }
    return outcome
  }

  /// Begins when the stores are built, so that the time left is told rightly.
  private var measuringBar: ProgressBar {
    ProgressBar(
      WorkState("measuring", unit: "benchmarks", total: run.subjects.count),
      on: terminal
    )
  }

  private func bar(of work: LongWork) -> ProgressBar {
    ProgressBar(WorkState(work.title, unit: work.unit, total: work.total), on: terminal)
  }

  /// Ends a run from within.
  private struct Interrupted: Error {}
}
