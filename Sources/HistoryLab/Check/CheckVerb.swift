import Commands
import Measuring
import PropertyTesting
import Reporting
import Simulation
import Traces
import Workloads

struct CheckOptions: VerbOptions {
  @Option(
    "system",
    each: .system,
    "The system to test: a name, a file ending in .json that describes a design, or external:COMMAND, "
      + "a program that /bin/sh runs."
  )
  var systems = ["tracker"]
  /// The number of plans for each system; `Int.max` if only `steps` limits the plans.
  @Option("plans", .plans, "Runs N plans on each system.")
  var plans = 200
  @Option(
    "steps",
    .integer("N", 1...10_000_000_000),
    shown: "no limit",
    "Runs plans until they have made N steps in total: commands, and the passes and reads after them."
  )
  var steps: Int?
  var planOptions = PlanOptions()
  @Option(.seed) var seed: UInt64
  @Option(
    "minutes",
    .minutes,
    shown: "no limit",
    "Ends after M minutes even if plans are left; fractions are allowed."
  )
  var minutes: Double?
  @Flag("quick", "Runs \(quickPlans) plans, unless --plans is given.") var quick
  @Flag(
    "twice",
    "Runs every plan twice and compares the events; our tracker uses each of its two drivers once."
  )
  var twice
  @Flag(.sampleStates) var samplesStates
  @Option(.jobs) var jobs: Int
  @Option(.timeout) var timeout: Double
  @Option(.shard) var shardChoice: ShardChoice?
  @Option(.onDisk) var onDisk: String?
  @Option(.output) var output: String
  @Flag(.json) var json
  /// The part of the plans to run; `nil` runs all plans.
  var shard: Shard?

  /// The number of plans of a quick check.
  static let quickPlans = 50

  /// The time after which the check ends even if plans remain; `nil` for no limit.
  var timeLimit: Duration? { minutes.map { .seconds($0 * 60) } }

  /// - Throws: A usage error if a system is unknown, or a file or folder cannot be used.
  mutating func validate(in composition: Composition) throws(LabError) {
    for name in systems { try composition.checkSystem(name) }
    if !$plans.isGiven, quick || steps != nil { plans = quick ? Self.quickPlans : .max }
    try planOptions.validate(in: composition)
    try FilePath.checkWritableFolder(output, for: "--output")
    shard = try shardChoice.shard()
    if let onDisk { try FilePath.checkWritableFolder(onDisk, for: "--on-disk") }
  }

  /// Returns the options that run one plan of this check again, on one of its systems.
  ///
  /// Plans are numbered from 1.
  func replay(system: String, plan: Int) -> ReplayOptions {
    ReplayOptions(
      source: .seed(seed, plan: plan, planOptions),
      system: system,
      onDisk: onDisk,
      timeout: timeout
    )
  }
}

extension CheckVerb {
  static let spec = VerbSpec(
    name: "check",
    sentence: "Runs plans on systems; shrinks and reports the plans that fail.",
    examples: [
      Example("check", "Runs 200 random plans on our tracker."),
      Example(
        "check --system article --plans 2000 --seed 1",
        "Tests the protocol of the published article, with plans that the seed reproduces."
      ),
      Example(
        "check --conditions all --steps 1000000",
        "Injects every kind of fault that the lab has, for a million steps."
      ),
      Example(
        "check --system \"external:python3 mine.py\" --timeout 5",
        "Tests a program of your own, in any language."
      ),
    ]
  ) { CheckVerb(options: $0, composition: $1, terminal: $2) }
}

/// Runs plans on systems, and shrinks and reports the plans that fail.
struct CheckVerb: Verb {
  let options: CheckOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let programs = SharedProgramState(seconds: options.timeout)
    let systems = try options.systems.map { (name) throws(LabError) in
      try LabSystem.find(name, programs)
    }
    let styles = try systems.map { (system) throws(LabError) in
      try options.planOptions.style(for: system)
    }
    let folder = try RunOutput(
      "check",
      seed: options.seed,
      output: options.output,
      shard: options.shard
    )
    if let style = styles.first, !options.json {
      CheckText(terminal: terminal).print(
        style.schedule,
        actors: style.setup?.actors.count ?? style.actorCounts.upperBound,
        commands: style.commandCountMax
      )
    }
    let start = terminal.now()
    var reports: [SystemReport] = []
    let words = RunOutput.words(forSystems: systems.map(\.name))
    for ((system, style), word) in zip(zip(systems, styles), words) {
      let left = options.timeLimit.map { $0 - (terminal.now() - start) }
      reports.append(try await check(system, style, timeLimit: left, folder, as: word))
      if Interruption.isRequested { break }
    }
    var result = CheckReport(
      seed: options.seed,
      plans: options.plans,
      like: options.planOptions.like.text,
      systems: reports,
      folder: folder.shownPath
    )
    result.isEndedEarly = Interruption.isRequested
    if options.json {
      terminal.print(try result.json(for: .here(terminal.command)))
    } else if result.isEndedEarly {
      terminal.print("The check was ended early: not every plan was run.")
    }
    if let errors = programs.text { try folder.write(SharedProgramState.file, errors) }
    try folder.write(reports.compactMap(\.tally.states))
    return try finish(result, folder)
  }

  /// Runs one system's plans, shrinks the plans that broke an invariant, and prints the results.
  private func check(
    _ system: LabSystem,
    _ style: PlanStyle,
    timeLimit: Duration?,
    _ folder: RunOutput,
    as fileName: String
  ) async throws(LabError) -> SystemReport {
    let recipe = PlanRecipe(
      generator: PlanGenerator(style),
      seed: options.seed,
      timestamps: system.timestamps,
      repeatsAll: options.twice
    )
    let run = CheckRun(
      system: system,
      recipe: recipe,
      versions: folder.versions,
      samplesStates: options.samplesStates,
      place: options.place
    )
    let start = terminal.now()
    let tally = try await tally(run, timeLimit)
    let elapsed = terminal.now() - start
    var counterexamples: [CounterexampleReport] = []
    // A plan that gives different traces cannot be shrunk.
    let broken = tally.difference == nil ? tally.broken : []
    for (checker, plan) in broken {
      let shrunk = try shrink(run, checker, plan)
      counterexamples.append(
        try folder.keep(
          shrunk,
          as: fileName,
          replayOfPlan: options.replay(system: system.name, plan: plan),
          onDisk: options.onDisk,
          timeout: options.timeout
        )
      )
    }
    let report = SystemReport(
      system: system.name,
      tally: tally,
      seconds: elapsed / .seconds(1),
      counterexamples: counterexamples,
      needsPowerOffs: options.planOptions.conditions.names(.powerOff)
    )
    if !options.json {
      let text = CheckText(terminal: terminal)
      text.print(
        report,
        seed: options.seed,
        conditions: options.planOptions.conditions == .everyday
          ? [] : recipe.generator.style.conditions
      )
    }
    return report
  }

  private func tally(_ run: CheckRun, _ timeLimit: Duration?) async throws(LabError) -> CheckTally {
    let work = WorkState(
      run.system.name,
      unit: options.steps == nil ? "plans" : "steps",
      total: options.steps ?? options.plans,
      limit: timeLimit
    )
    let bar = ProgressBar(work, on: terminal)
    let deadline = timeLimit.map { terminal.now() + $0 }
    let now = terminal.now
    defer { bar.finish() }
    let countsSteps = options.steps != nil
    return try await run.tally(
      plans: options.plans,
      steps: options.steps,
      shard: options.shard,
      jobs: options.jobs,
      progress: { bar.advance(by: countsSteps ? $0.stepCount : 1) },
      goesOn: { !Interruption.isRequested && deadline.map { now() < $0 } ?? true }
    )
  }

  private func shrink(
    _ run: CheckRun,
    _ checker: String,
    _ plan: Int
  ) throws(LabError) -> ShrunkCounterexample {
    let bar = ProgressBar(
      WorkState("shrinking \(checker)", unit: "tries"),
      on: terminal
    )
    defer { bar.finish() }
    var last = 0
    return try run.shrink(
      checker,
      plan: plan,
      goesOn: { !Interruption.isRequested },
      progress: { evaluations in
        bar.advance(by: evaluations - last)
        last = evaluations
      }
    )
  }

  private func finish(
    _ result: CheckReport,
    _ folder: RunOutput
  ) throws(LabError) -> ExitCode {
    try folder.write("check.json", try result.json(for: .folder) + "\n")
    try folder.writePage()
    try folder.finish(
      verdict: result.verdict,
      because: result.because,
      isEndedEarly: result.isEndedEarly
    )
    if !options.json { folder.printPlace(on: terminal) }
    return switch result.verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }
}

extension CheckOptions {
  /// Creates the location of a worker's stores: on the heap, or in a subfolder of `--on-disk`.
  var place: @Sendable (Int) throws(LabError) -> StorePlace {
    let folder = onDisk
    return { worker throws(LabError) in
      guard let folder else { return .heap() }
      do throws(StorePlaceError) {
        return try .folder("\(folder)/worker-\(worker + 1)")
      } catch {
        throw .usage("--on-disk: \(error.description)")
      }
    }
  }
}
