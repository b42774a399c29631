import Basics
import Commands
import Foundation
import HistoryBenchmarks
import HistoryTypes
import Measuring
import Reporting

struct BenchInstructionsOptions: VerbOptions {
  @Option(.onlyBenchmarks) var only: [String]
  @Option(.historySize) var historySize: Int
  @Option(.thresholds) var thresholds: String
  @Flag("beside-c", "Also counts the same work in C, if possible with the same history.")
  var besideC
  @Flag("accept", "Makes the counts the thresholds of this platform, to be committed.") var accepts
  @Option(
    "self-test",
    .integer("N", 1...1_000),
    shown: "not tested",
    "Counts each operation N times unchanged and N times with 1 % more work, which must be detected."
  )
  var trials: Int?
  @Flag(.json) var json

  func validate(in composition: Composition) throws(LabError) {
    for name in only { try composition.checkBenchmark(name) }
    guard trials == nil || !(accepts || besideC || json) else {
      throw .usage(
        "--self-test cannot be combined with --accept, --beside-c or --json: leave them "
          + "out."
      )
    }
  }
}

extension BenchInstructionsVerb {
  static let spec = VerbSpec(
    name: "bench instructions",
    sentence:
      "Counts the instructions of the most frequent operations; compares them with thresholds.",
    examples: [
      Example(
        "bench instructions",
        "Counts the instructions of the twenty most frequent operations, in a few minutes."
      ),
      Example(
        "bench instructions --beside-c",
        "Compares the instructions of our store with those of "
          + "the same work in C."
      ),
      Example("bench instructions --accept", "Makes the counts the thresholds of this platform."),
      Example(
        "bench instructions --only member --self-test 5",
        "Tests whether 1 % more work is "
          + "detected each time."
      ),
    ]
  ) { BenchInstructionsVerb(options: $0, composition: $1, terminal: $2) }
}

/// Counts instructions with Callgrind; the counts do not depend on the load of the machine.
struct BenchInstructionsVerb: Verb {
  let options: BenchInstructionsOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let counts = try prepared()
    let environment = counts.environment
    if !environment.optimized {
      terminal.log(
        "This is a debug build, whose counts mean little; count with: "
          + "swift run -c release history-lab bench instructions"
      )
    }
    do {
      if let trials = options.trials { return try test(counts, trials) }
      let file = ThresholdFile(for: environment, in: options.thresholds, named: "instructions")
      return try compare(rows(counts), with: file, environment)
    } catch let error as LabError {
      throw error
    } catch {
      // Ctrl-C ends the process under Callgrind too, which then fails.
      if error is Interrupted || Interruption.isRequested {
        terminal.log("Ending early: nothing is compared.")
        return .undecided
      }
      throw .lab("the instructions could not be counted: \(error).")
    }
  }

  /// Returns the settings for counting: benchmarks, history size, seed and executable.
  ///
  /// - Throws: a usage error when a tool is missing, with the name of its package, or when no
  ///   operation matches `--only`; a lab error when this process does not run `history-lab`.
  private func prepared() throws(LabError) -> InstructionCounts {
    guard let command = composition.command else {
      throw .lab(
        "this process is not history-lab, the executable that `bench instructions` starts under "
          + "Callgrind. Run the same command with history-lab."
      )
    }
    if let missing = InstructionCounts.missingTool() {
      throw .usage(
        "\(missing.name) is not installed. Get it with: apt-get install \(missing.package)"
      )
    }
    let names = InstructionCounts.hottest.filter { name in
      options.only.isEmpty || options.only.contains { name.begins(with: $0) }
    }
    let subjects = Subjects.all.filter { names.contains($0.name) }
    guard !subjects.isEmpty else {
      throw .usage(
        "--only selects none of the operations that `bench instructions` counts. Choose from: "
          + "\(InstructionCounts.hottest.joined(separator: ", "))."
      )
    }
    return InstructionCounts(
      subjects: subjects,
      historySize: options.historySize,
      seed: 1,
      command: command
    )
  }

  private func rows(_ counts: InstructionCounts) throws -> [BenchmarkRow] {
    let bar = ProgressBar(
      WorkState(
        "counting",
        unit: "operations",
        total: counts.subjects.count * (options.besideC ? 2 : 1)
      ),
      on: terminal
    )
    defer { bar.finish() }
    var rows: [BenchmarkRow] = []
    try counts.withCounter { counter in
      for subject in counts.subjects {
        if Interruption.isRequested { throw Interrupted() }
        rows.append(try row(of: subject, counter))
        bar.advance(note: subject.name)
        guard options.besideC else { continue }
        for floor in InstructionCounts.floors {
          guard let row = try counter.row(of: subject, by: floor) else { continue }
          rows.append(row)
          break
        }
        bar.advance(note: subject.name)
      }
    }
    return rows
  }

  /// Counts the instructions of an operation in this library's store.
  private func row(
    of subject: BenchmarkSubject,
    extra: Int = 0,
    _ counter: InstructionCounts.Counter
  ) throws -> BenchmarkRow {
    guard let row = try counter.row(of: subject, extra: extra) else {
      throw LabError.lab(
        "the benchmark \(subject.name.quoted) does not measure this library's store."
      )
    }
    return row
  }

  private func compare(
    _ rows: [BenchmarkRow],
    with file: ThresholdFile,
    _ environment: RunEnvironment
  ) throws(LabError) -> ExitCode {
    let ours = BenchmarkSubject.ours
    let mine = rows.filter { $0.contender == ours }
    if options.accepts {
      try file.write(CountThresholds(rows, of: ours, platform: environment.platform))
      terminal.print("Thresholds for \(mine.count.counted("operation")): \(file.path)")
      return .good
    }
    let thresholds = try file.read()
    let before = Dictionary(
      thresholds?.rows(for: mine).map { ($0.title, $0.samples[0]) } ?? [],
      uniquingKeysWith: { first, _ in first }
    )
    if options.json {
      terminal.print(try JSONText.document(rows, named: "the counts"))
    } else {
      terminal.print(table(rows, before))
    }
    guard let thresholds else {
      terminal.log(
        "There are no thresholds for \(environment.platform). "
          + "Try: \(terminal.command.line("bench instructions --accept"))"
      )
      return .undecided
    }
    let counts = thresholds.compare(rows, of: ours, tolerance: InstructionCounts.tolerance)
    return options.json
      ? CountText.code(of: counts) : CountText(terminal: terminal).print(counts)
  }

  private func table(_ rows: [BenchmarkRow], _ before: [String: Double]) -> ReportTable {
    var columns: [ReportTable.Column] = [
      .text("operation"), .number("instructions"), .number("threshold"), .number("difference"),
    ]
    if options.besideC { columns += [.text("in C"), .number("instructions"), .number("ratio")] }
    var table = ReportTable(columns: columns)
    for row in rows where row.contender == BenchmarkSubject.ours {
      let threshold = before[row.title]
      var cells = [
        row.title, Int(row.samples[0]).grouped, threshold.map { Int($0).grouped } ?? "none",
        threshold.map { percent(row.samples[0] / $0 - 1) } ?? "",
      ]
      if options.besideC {
        let floor = rows.first { $0.title == row.title && $0.contender != row.contender }
        cells += [
          floor?.contender ?? "", floor.map { Int($0.samples[0]).grouped } ?? "not measured",
          floor.map { NumberText.ratio(row.samples[0] / $0.samples[0]) } ?? "",
        ]
      }
      table.append(cells)
    }
    return table
  }

  /// Tests whether the counts are repeatable, and whether they show a slow-down of 1 %.
  ///
  /// Each operation is counted once, then `trials` times unchanged and `trials` times with 1 % more
  /// instructions. Each of these counts is compared with the first count.
  private func test(_ counts: InstructionCounts, _ trials: Int) throws -> ExitCode {
    let bar = ProgressBar(
      WorkState("counting", unit: "operations", total: counts.subjects.count * (2 * trials + 1)),
      on: terminal
    )
    defer { bar.finish() }
    var table = ReportTable(columns: [
      .text("operation"), .number("instructions"), .number("widest difference"),
      .text("false alarms"), .text("1 % more is noticed"),
    ])
    var (alarms, misses) = (0, 0)
    try counts.withCounter { counter in
      for subject in counts.subjects {
        func count(extra: Int = 0) throws -> Double {
          if Interruption.isRequested { throw Interrupted() }
          defer { bar.advance(note: subject.name) }
          return try row(of: subject, extra: extra, counter).samples[0]
        }
        let first = try count()
        let alike = try (0..<trials).map { _ in try count() / first - 1 }
        let dearer = try (0..<trials).map { _ in try count(extra: Int(first / 100)) / first - 1 }
        let isNoticed = dearer.count { $0 > InstructionCounts.tolerance }
        let isAlarm = alike.count { abs($0) > InstructionCounts.tolerance }
        (alarms, misses) = (alarms + isAlarm, misses + trials - isNoticed)
        table.append([
          subject.name, Int(first).grouped, percent(alike.map(abs).max() ?? 0),
          "\(isAlarm) of \(trials)", "\(isNoticed) of \(trials)",
        ])
      }
    }
    terminal.print(table)
    terminal.print(
      "\(alarms.counted("false alarm")), "
        + "\(misses.counted("slow-down was", "slow-downs were")) not noticed."
    )
    return alarms + misses == 0 ? .good : .violation
  }

  private func percent(_ share: Double) -> String {
    let hundredths = (share * 10_000).rounded() / 100
    return "\(hundredths > 0 ? "+" : "")\(hundredths) %"
  }
}
