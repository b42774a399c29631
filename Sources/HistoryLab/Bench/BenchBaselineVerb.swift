import HistoryBenchmarks
import Measuring
import PersistentHistory
import Reporting

/// Saves, lists and compares baselines, and checks or updates thresholds.
struct BenchBaselineVerb: Verb {
  enum Action: String {
    case save
    case list
    case compare
    case check
    case accept
  }

  let action: Action
  let options: BenchBaselineOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    switch action {
    case .save: try save()
    case .list: try list()
    case .compare: try await compare()
    case .check: try check()
    case .accept: try accept()
    }
  }

  private var baselines: Baselines { Baselines(besides: options.runs) }

  private func results() throws(LabError) -> BenchmarkResults {
    try BenchSource.results(options.run, runs: options.runs)
  }

  private func save() throws(LabError) -> ExitCode {
    let name = options.name ?? ""
    let results = try results()
    try baselines.save(results, as: name)
    terminal.print("Kept \(results.rows.count.counted("row")): \(baselines.path(of: name))")
    return .good
  }

  private func list() throws(LabError) -> ExitCode {
    var table = ReportTable(columns: [
      .text("name"), .text("time"), .text("commit"), .number("rows"),
    ])
    let names = try baselines.names()
    for name in names {
      let results = try baselines.read(name)
      table.append([
        name, results.environment.time.readable, results.environment.commit ?? "not known",
        results.rows.count.grouped,
      ])
    }
    if names.isEmpty {
      terminal.print(
        "No baseline is kept. Try: \(terminal.command.line("bench baseline save NAME"))"
      )
    } else {
      terminal.print(table, indent: 0)
    }
    return .good
  }

  // MARK: Comparing

  private func compare() async throws(LabError) -> ExitCode {
    let base = try baselines.read(options.name ?? "")
    let head = try results()
    let counts = ExactComparison(
      base: base.rows,
      head: head.rows,
      tolerance: options.tolerance
    )
    let code = CountText(terminal: terminal).tell(counts)
    let suspects = TimeSuspects(base: base.rows, head: head.rows)
    guard !suspects.suspects.isEmpty else { return code }
    terminal.print("Times beside the floor that lie apart; two launches decide nothing:")
    terminal.print(suspects.table)
    guard options.decides else {
      let words = "bench baseline compare \(options.name ?? "") --decide"
      terminal.print("Decide with: \(terminal.command.line(words))")
      return code
    }
    return try await decide(suspects, since: base.environment.commit, after: code)
  }

  /// Launches the baseline's build and this one in turn, for the benchmarks whose times differ.
  private func decide(
    _ suspects: TimeSuspects,
    since commit: String?,
    after code: ExitCode
  ) async throws(LabError) -> ExitCode {
    guard let commit = options.base ?? commit else {
      throw .usage(
        "the baseline does not know its commit.",
        try: "bench baseline compare \(options.name ?? "") --decide --base COMMIT"
      )
    }
    var codes = [code]
    for comparison in suspects.comparisons {
      terminal.print("With \(comparison.historySize.counted("transaction")), beside \(commit):")
      let options = BenchCompareOptions(
        base: commit,
        subjects: comparison.subjects,
        historySize: comparison.historySize,
        seed: composition.drawSeed(),
        tolerance: options.tolerance
      )
      let verb = BenchCompareVerb(options: options, composition: composition, terminal: terminal)
      codes.append(try await verb.run())
    }
    for suspect in suspects.undecidable {
      terminal.print("Not decided: \(suspect.row.title), which no launches are compared by.")
      codes.append(.undecided)
    }
    return codes.contains(.violation)
      ? .violation : codes.contains(.undecided) ? .undecided : .good
  }

  private func check() throws(LabError) -> ExitCode {
    let results = try results()
    let file = ThresholdFile(for: results.environment, in: options.thresholds)
    guard let thresholds = try file.read() else {
      terminal.print(
        "There are no thresholds for \(results.environment.platform). "
          + "Try: \(terminal.command.line("bench baseline accept"))"
      )
      return .undecided
    }
    let counts = thresholds.compare(
      results.rows,
      of: BenchmarkSubject.ours,
      tolerance: options.tolerance
    )
    let code = CountText(terminal: terminal).tell(counts)
    let unmet = thresholds.unmet(by: results.rows)
    guard let first = unmet.first else { return code }
    terminal.print(
      "\(unmet.count.counted("threshold has", "thresholds have")) no count in the run: \(first)"
    )
    return code == .good ? .undecided : code
  }

  private func accept() throws(LabError) -> ExitCode {
    let results = try results()
    let file = ThresholdFile(for: results.environment, in: options.thresholds)
    let thresholds = CountThresholds(
      results.rows,
      of: BenchmarkSubject.ours,
      platform: results.environment.platform
    )
    guard !thresholds.counts.isEmpty else {
      throw .usage("the run has no exact counts to keep.", try: "bench run --quick")
    }
    try file.write(thresholds)
    terminal.print("Thresholds for \(thresholds.counts.count.counted("benchmark")): \(file.path)")
    return .good
  }
}
