import Basics
import Checkers
import Commands
import HistoryTypes
import Programs
import Reporting
import Simulation
import Systems
import Traces

struct ReplayOptions: VerbOptions {
  /// The source of the plan: a file, or the seed of a check.
  enum Source: Hashable, Sendable {
    /// A plan file or a counterexample file.
    case file(String)
    /// A plan of a check, by the check's seed and the plan's number from 1.
    case seed(UInt64, plan: Int, PlanOptions)
  }

  @Argument(
    .planFile,
    "A plan or a counterexample, as a check leaves them in its run's folder."
  )
  private var file: String?
  @Option(.systemOfPlan) var system: String?
  @Option("seed", .seed, "The seed of the check whose plan is run again; needs --plan.")
  private var seed: UInt64?
  @Option(
    "plan",
    .integer("INDEX", 1...10_000_000),
    "The number of the plan in that check, from 1."
  )
  private var plan: Int?
  private var planOptions = PlanOptions()
  @Option(.timeout) var timeout: Double
  @Flag(
    "step",
    "Prints each command, its effects, and the state of all actors after it. On a "
      + "terminal, any key continues and q stops."
  )
  var steps
  @Option(
    "until",
    .integer("N", 1...10_000_000),
    shown: "to the end",
    "Stops after command N and prints the state of all actors: views, data, cursors, watermark."
  )
  var until: Int?
  @Option(.onDisk) var onDisk: String?
  @Flag("json", "Prints the trace as JSON Lines: a header with the plan, then one event per line.")
  var json
  var source = Source.file("")

  init() {}

  init(
    source: Source,
    system: String?,
    onDisk: String? = nil,
    timeout: Double = ExternalProgram.secondsByDefault
  ) {
    self.source = source
    self.system = system
    self.onDisk = onDisk
    self.timeout = timeout
  }

  /// - Throws: A usage error if none or several plans are given, the system is unknown, `--step`
  ///   and `--json` are combined, or a file or folder cannot be used.
  mutating func validate(in composition: Composition) throws(LabError) {
    source = try chosenSource(in: composition)
    if let system { try composition.checkSystem(system) }
    if steps, json {
      throw .usage("--step prints text, and --json the whole trace as JSON: leave out one of them.")
    }
    if let onDisk { try FilePath.checkWritableFolder(onDisk, for: "--on-disk") }
  }

  private func chosenSource(in composition: Composition) throws(LabError) -> Source {
    if let file {
      let own = [$seed.isGiven ? "--seed" : nil, $plan.isGiven ? "--plan" : nil]
      let given = own.compactMap { $0 } + planOptions.given
      guard given.isEmpty else {
        throw .usage("FILE holds the whole plan: leave out \(given.joinedWithAnd).")
      }
      try FilePath.checkReadable(file)
      return .file(file)
    }
    guard let seed else { throw .usage("replay needs a plan: FILE, or --seed and --plan.") }
    guard let plan else {
      throw .usage("--seed selects a whole check: select one of its plans with --plan.")
    }
    try planOptions.validate(in: composition)
    return .seed(seed, plan: plan, planOptions)
  }

  /// Returns the `replay` command line that has these options.
  func line(typing command: ShellCommand) -> String {
    var words = ["replay"]
    if case .file(let path) = source { words.append(path) }
    if let system { words += ["--system", system] }
    if case .seed(let seed, let plan, let options) = source {
      words += ["--seed", "0x" + String(seed, radix: 16), "--plan", String(plan)]
      words += options.arguments
    }
    if timeout != ExternalProgram.secondsByDefault { words += ["--timeout", String(timeout)] }
    if let onDisk { words += ["--on-disk", onDisk] }
    if let until { words += ["--until", String(until)] }
    if steps { words.append("--step") }
    if json { words.append("--json") }
    return command.line(words.map(\.shellQuoted).joined(separator: " "))
  }
}

extension ReplayVerb {
  static let spec = VerbSpec(
    name: "replay",
    sentence: "Runs one plan again, from a file or from the seed of a check.",
    examples: [
      Example(
        "replay Reports/latest/counterexample-article-Convergence.jsonl",
        "Replays a counterexample of the newest run."
      ),
      Example(
        "replay --system article --seed 0x1 --plan 17",
        "Replays the plan that check --system article --seed 1 ran as number 17."
      ),
      Example(
        "replay Reports/latest/counterexample-article-Convergence.jsonl --until 3",
        "Stops a plan after its third command, and prints the state of each member."
      ),
      Example(
        "replay Reports/latest/counterexample-article-Convergence.jsonl --step",
        "Steps through the plan, one command at a time."
      ),
    ]
  ) { ReplayVerb(options: $0, composition: $1, terminal: $2) }
}

/// Replays one plan, from a file or from the seed of a check.
struct ReplayVerb: Verb {
  let options: ReplayOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let programs = SharedProgramState(seconds: options.timeout)
    let source = try ReplaySource(options, programs)
    let place = try options.place()
    let worker = PlanWorker(source.system, at: place, versions: ["lab": ToolSpec.version])
    defer { place.removeStore() }
    do throws(SystemFailure) {
      let code = try run(source, worker)
      if source.system.isExternal, let errors = programs.text { terminal.log(errors) }
      return code
    } catch {
      if let runFailure = worker.runFailure { throw Self.undecided(runFailure) }
      throw .lab("the plan could not be run on \(source.system.name): \(error.message)")
    }
  }

  private func run(_ source: ReplaySource, _ worker: PlanWorker) throws(SystemFailure) -> ExitCode {
    let trace = try worker.trace(source.plan, until: options.until)
    if let runFailure = worker.runFailure { throw SystemFailure(.crashed, runFailure.description) }
    let suite = CheckerSuite(checking: trace, scope: .all)
    let violation = violation(in: suite, source)
    if options.json {
      var trace = trace
      if let until = options.until {
        trace.header.plan.commands = Array(trace.header.plan.commands.prefix(until))
      }
      terminal.print(TraceCodec.encode(trace).trimmedNewline)
    } else if options.steps || options.until != nil {
      let walk = ReplayWalk(trace, violation, until: options.until, on: terminal)
      try walk.run(showing: options.steps ? .everyStep : .lastStep, worker)
    } else {
      show(trace, violation, suite)
    }
    return code(suite)
  }

  private static func undecided(_ runFailure: RunFailure) -> LabError {
    .undecided("the system did not complete the plan: \(runFailure)")
  }

  /// Returns the violation of the invariant that the file names, or else the first violation.
  private func violation(in suite: CheckerSuite, _ source: ReplaySource) -> Violation? {
    source.checker.flatMap { suite.violation(of: $0) } ?? suite.violation
  }

  private func show(_ trace: Trace, _ violation: Violation?, _ suite: CheckerSuite) {
    if let violation {
      let text = CounterexampleText(
        width: min(terminal.traits.width, 120),
        colour: terminal.traits.usesColour
      )
      let counterexample = Counterexample(trace: trace, violation: violation)
      for line in text.render(counterexample, replay: options.line(typing: terminal.command)).split(
        separator: "\n",
        omittingEmptySubsequences: false
      ) {
        terminal.print(String(line))
      }
    } else {
      let count = trace.header.plan.commands.count
      terminal.print(
        "\(trace.header.system): \(count.counted("command")); every invariant that they exercise holds."
      )
    }
    for (checker, verdict) in suite.verdicts {
      switch verdict {
      case .valid: terminal.print("\(checker): held")
      case .invalid(let violation):
        terminal.print(terminal.styled("\(checker): broken. \(violation.because.printable)", .red))
      case .unknown(let because): terminal.print("\(checker): undecided. \(because.printable)")
      }
    }
  }

  /// Returns the exit code, which is `good` if `--until` ended the run before a violation.
  private func code(_ suite: CheckerSuite) -> ExitCode {
    if suite.violation != nil { return .violation }
    if options.until != nil { return .good }
    let isDecided = suite.verdicts.contains { answer in
      if case .valid = answer.verdict { true } else { false }
    }
    return isDecided ? .good : .undecided
  }
}

extension ReplayOptions {
  /// Creates the location of the plan's store: on the heap, or in the folder of `--on-disk`.
  func place() throws(LabError) -> StorePlace {
    guard let onDisk else { return .heap() }
    do throws(StorePlaceError) { return try .folder(onDisk) } catch {
      throw .usage("--on-disk: \(error.description)")
    }
  }
}

extension String {
  /// The text without a newline at the end.
  fileprivate var trimmedNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
