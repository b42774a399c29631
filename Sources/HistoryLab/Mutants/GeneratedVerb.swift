import Basics
import Commands
import Foundation
import HistoryTypes
import PropertyTesting
import Reporting
import Simulation
import Systems
import Traces
import Workloads

/// Tries each generated mutant in a separate process, and lists the mutants that survive.
struct GeneratedVerb: Verb {
  let options: MutantsOptions
  let composition: Composition
  let terminal: Terminal

  /// The time limit for all plans of one mutant.
  private static let limit = Duration.seconds(60)

  func run() async throws(LabError) -> ExitCode {
    let mutants = options.mutants
    guard !mutants.isEmpty, let command = composition.command else {
      throw .usage(
        "this build has no generated mutants. Run scripts/mutants --generated N, which builds a copy with "
          + "N mutants and tests each of them."
      )
    }
    let folder = try RunOutput(
      "mutants",
      seed: options.seed,
      output: options.output,
      shard: options.shard
    )
    let outcomes = await outcomes(of: mutants, command)
    let report = GeneratedReport(
      seed: options.seed,
      planCount: options.planCount,
      trials: zip(mutants, outcomes).compactMap { mutant, outcome in
        outcome.map { GeneratedReport.Trial(mutant: mutant, outcome: $0) }
      }
    )
    try folder.write("generated.csv", report.csv())
    if options.json { terminal.print(try report.json()) } else { print(report, of: mutants.count) }
    try folder.finish(verdict: "unknown", because: report.because)
    if !options.json { terminal.print("Outcomes of all edits: \(folder.shownPath)/generated.csv") }
    return Interruption.isRequested ? .undecided : .good
  }

  private func print(_ report: GeneratedReport, of count: Int) {
    for trial in report.trials where trial.outcome == .survived {
      terminal.print("survived: \(trial.mutant.name) \(trial.mutant.sentence)")
    }
    if report.trials.count < count {
      terminal.print("\(count - report.trials.count) were not tried.")
    }
    terminal.print(report.because.capitalised)
  }

  /// Runs the trials in parallel; each job runs one process at a time.
  private func outcomes(
    of mutants: [Mutant],
    _ command: String
  ) async -> [GeneratedTrial.Outcome?] {
    let bar = ProgressBar(WorkState("mutants", unit: "edits", total: mutants.count), on: terminal)
    defer { bar.finish() }
    let queue = PlanQueue(plans: mutants.count, steps: nil)
    let found = await withTaskGroup(of: [Int: GeneratedTrial.Outcome].self) { group in
      for _ in 0..<max(1, options.jobs) {
        group.addTask {
          var found: [Int: GeneratedTrial.Outcome] = [:]
          while !Interruption.isRequested, let number = queue.take() {
            let mutant = mutants[number - 1]
            found[number - 1] = await outcome(of: mutant, command)
            bar.advance(note: mutant.name)
          }
          return found
        }
      }
      var all: [Int: GeneratedTrial.Outcome] = [:]
      for await part in group { all.merge(part) { first, _ in first } }
      return all
    }
    return mutants.indices.map { found[$0] }
  }

  private func outcome(of mutant: Mutant, _ command: String) async -> GeneratedTrial.Outcome {
    let trial = GeneratedTrial(name: mutant.name, seed: options.seed, planCount: options.planCount)
    let ended = await TrialProcess.run(command, trial.arguments, limit: Self.limit)
    guard let status = ended.status else { return .crashed("it could not be started") }
    return GeneratedTrial.Outcome(line: ended.text, status: status, isLate: ended.isLate)
  }
}

/// A trial: random plans run on one generated mutant, in a separate process.
///
/// A generated mutant is an edit of the code that may be a bug. A separate process is needed
/// because the edit may crash or hang. The process runs this executable with a verb that the help
/// does not list.
struct GeneratedTrial {
  static let verb = "_mutant"

  enum Outcome: Hashable, Sendable {
    /// A checker rejected a plan.
    case killed(checker: String, plan: Int)
    /// The process ended without a verdict.
    case crashed(String)
    /// The process exceeded the time limit.
    case hung
    /// The checkers accepted every plan.
    case survived
  }

  let name: String
  let seed: UInt64
  let planCount: Int

  /// The command-line arguments that start the process.
  var arguments: [String] { [Self.verb, name, String(seed), String(planCount)] }

  /// Runs plans on one mutant and prints the verdict, if this process was started to do that.
  ///
  /// The command-line arguments of such a process start with ``verb``.
  ///
  /// - Returns: The exit code, which is 64 if the arguments after the verb are invalid; `nil` if
  ///   the arguments do not start with the verb.
  static func run(_ arguments: [String]) -> Int32? {
    guard arguments.count == 4, arguments[0] == verb, let seed = UInt64(arguments[2]),
      let planCount = Int(arguments[3]),
      let mutant = Mutant.generated.first(where: { $0.name == arguments[1] })
    else { return arguments.first == verb ? 64 : nil }
    do {
      let line = try GeneratedTrial(name: mutant.name, seed: seed, planCount: planCount).verdict(
        mutant
      )
      print(line)
      return 0
    } catch {
      print("crashed\t\(error)")
      return 0
    }
  }

  /// The share of plans that test stores on disk.
  ///
  /// Plans with such a test detect most of the mutants that survive all plans without one.
  private static let diskShare = 0.25

  /// Plans whose number is a multiple of this value run on a store whose timestamps are raw clock
  /// values.
  private static let rawTimestampsEvery = 4

  /// Runs plans on a mutant, and returns the verdict as a line to print.
  ///
  /// The run ends with the first plan that a checker rejects, or after ``planCount`` plans. The plans
  /// may contain every test condition, such as crashes, that the system supports.
  private func verdict(_ mutant: Mutant) throws -> String {
    let system = LabSystem(mutant)
    let options = PlanOptions(conditions: .all)
    var style = try options.style(for: system)
    style.diskShare = Self.diskShare
    let generator = PlanGenerator(style)
    func recipe(_ timestamps: TimestampPolicy) -> PlanRecipe {
      PlanRecipe(generator: generator, seed: seed, timestamps: timestamps)
    }
    let (usual, raw) = (recipe(system.timestamps), recipe(.wallClock))
    let worker = PlanWorker(system, at: .heap(), versions: [:])
    defer { worker.close() }
    for number in 1...planCount {
      let recipe = number.isMultiple(of: Self.rawTimestampsEvery) ? raw : usual
      if let violation = try worker.violation(by: recipe.plan(number).plan) {
        return "killed\t\(violation.checker)\t\(number)"
      }
    }
    return "survived"
  }
}

extension GeneratedTrial.Outcome {
  /// Parses the last line that the mutant's process printed, and its exit code.
  ///
  /// `isLate` is `true` if the time limit ended the process.
  init(line: String, status: Int32, isLate: Bool) {
    let words =
      line.split(whereSeparator: \.isNewline).last?.split(separator: "\t").map(String.init) ?? []
    switch (words.first, isLate) {
    case (_, true): self = .hung
    case ("killed", _) where words.count == 3:
      self = .killed(checker: words[1], plan: Int(words[2]) ?? 0)
    case ("survived", _) where status == 0: self = .survived
    case ("crashed", _): self = .crashed(words.dropFirst().joined(separator: " "))
    default: self = .crashed("it ended with \(status)")
    }
  }

  /// The outcome in one word.
  var word: String {
    switch self {
    case .killed: "killed"
    case .crashed: "crashed"
    case .hung: "hung"
    case .survived: "survived"
    }
  }
}

/// The outcomes of the generated mutants.
struct GeneratedReport {
  struct Trial {
    let mutant: Mutant
    let outcome: GeneratedTrial.Outcome
  }

  let seed: UInt64
  let planCount: Int
  let trials: [Trial]

  private func count(_ word: String) -> Int { trials.count { $0.outcome.word == word } }

  /// The mutation score in one sentence.
  var because: String {
    "of \(trials.count.counted("edit")), each run with \(planCount.counted("plan")), \(count("killed")) were "
      + "killed by a checker, \(count("crashed")) crashed, \(count("hung")) hung and "
      + "\(count("survived")) survived; seed 0x\(String(seed, radix: 16))."
  }

  /// Returns the outcomes as comma-separated values, one line per mutant.
  func csv() -> String {
    var table = ReportTable(columns: [
      .text("mutant"), .text("edit"), .text("outcome"), .text("checker"), .number("plan"),
    ])
    for trial in trials {
      var (checker, plan) = ("", "")
      if case .killed(let name, let number) = trial.outcome {
        (checker, plan) = (name, String(number))
      }
      if case .crashed(let why) = trial.outcome { checker = why }
      table.append([trial.mutant.name, trial.mutant.sentence, trial.outcome.word, checker, plan])
    }
    return table.csv()
  }

  /// Returns the report as one JSON object.
  func json() throws(LabError) -> String {
    let document = Document(
      seed: "0x" + String(seed, radix: 16),
      plans: planCount,
      because: because,
      outcomes: trials.map {
        .init(mutant: $0.mutant.name, edit: $0.mutant.sentence, outcome: $0.outcome.word)
      }
    )
    return try JSONText.document(document, named: "the report")
  }

  private struct Document: Encodable {
    struct Outcome: Encodable {
      let mutant: String
      let edit: String
      let outcome: String
    }
    let seed: String
    let plans: Int
    let because: String
    let outcomes: [Outcome]
  }
}
