import Measuring
import PropertyTesting
import Reporting
import Simulation
import Traces
import Workloads

/// The options of `check`.
struct CheckOptions: Hashable, Sendable {
  /// The systems under test, without duplicates, in the order given.
  var systems: [String]
  /// The number of plans for each system; `Int.max` if only `steps` limits them.
  var plans: Int
  /// The number of steps after which a system's check ends; `nil` if only `plans` limits it.
  var steps: Int?
  /// The options of the generated plans.
  var planOptions: PlanOptions
  var seed: UInt64
  /// The folder in which the run gets its own folder.
  var output: String
  /// The number of plans that run in parallel; results do not depend on it.
  var jobs: Int
  /// Whether to print the results as JSON.
  var json: Bool
  /// The folder for real store files; `nil` keeps stores in memory.
  var onDisk: String?
  /// The time after which the check ends even if plans are left; `nil` for no limit.
  var timeLimit: Duration?
  /// The timeout for an answer of an external system, in seconds.
  var timeout: Double
  /// Whether to run a short check.
  var quick: Bool
  /// Whether to run every plan twice.
  var twice: Bool
  /// The part of the plans to run; `nil` for all.
  var shard: Shard?

  /// The number of plans of a quick check.
  static let quickPlans = 50

  static let system = Option(
    "system",
    .text("NAME", "a system's name, as list systems shows them"),
    default: "tracker",
    defaultText: "tracker",
    repeats: true,
    "The system to put under test; external:COMMAND is a program that /bin/sh runs."
  )
  static let plansOption = Option(
    "plans",
    "N",
    in: 1...10_000_000,
    default: 200,
    "How many plans each system runs."
  )
  static let stepsOption = Option(
    "steps",
    .integer("N", 1...10_000_000_000),
    defaultText: "as many as the plans have",
    "Runs plans until N steps are made, each a command or a part of what closes a plan."
  )
  static let jobsOption = Option(
    "jobs",
    .integer("N", 1...256),
    defaultText: "one for each processor",
    "How many plans run at the same time; the results are the same."
  )
  static let minutes = Option(
    "minutes",
    .decimal("M", 0.01...10_080),
    defaultText: "no limit",
    "Ends after M minutes even if plans are left; fractions are allowed."
  )
  static let twiceFlag = Flag(
    "twice",
    "Runs every plan twice, ours through both of its drivers, and compares the runs event by event."
  )
  static let quickFlag = Flag("quick", "Runs \(quickPlans) plans, unless --plans says how many.")

  /// - Throws: A usage error if a system is unknown, or a file or folder cannot be used.
  init(_ arguments: ParsedArguments, in composition: Composition) throws(LabError) {
    let named = arguments.all(Self.system)
    systems = named.isEmpty ? ["tracker"] : named.uniqued
    for name in systems { try composition.checkSystem(name) }
    quick = arguments.isSet(Self.quickFlag)
    twice = arguments.isSet(Self.twiceFlag)
    let isCounted = arguments.isGiven(Self.plansOption.name)
    steps = arguments.value(Self.stepsOption)
    if quick, !isCounted {
      plans = Self.quickPlans
    } else {
      plans = steps != nil && !isCounted ? .max : try arguments.required(Self.plansOption)
    }
    planOptions = try PlanOptions(arguments)
    seed = arguments.value(CommonOption.seed) ?? composition.drawSeed()
    output = try arguments.required(CommonOption.output)
    try FilePath.checkWritableFolder(output, for: "--output")
    shard = try arguments.shard()
    jobs = arguments.value(Self.jobsOption) ?? composition.processors
    json = arguments.isSet(CommonOption.json)
    onDisk = arguments.value(CommonOption.onDisk)
    if let onDisk { try FilePath.checkWritableFolder(onDisk, for: "--on-disk") }
    timeout = try arguments.required(CommonOption.timeout)
    timeLimit = arguments.value(Self.minutes).map { .seconds($0 * 60) }
  }

  /// Returns the options that run one plan of this check again, on one of its systems.
  ///
  /// Plans are numbered from 1.
  func replay(system: String, plan: Int) -> ReplayOptions {
    ReplayOptions(
      source: .seed(seed, plan: plan, planOptions),
      system: system,
      until: nil,
      json: false,
      onDisk: onDisk,
      timeout: timeout
    )
  }
}

extension CheckOptions {
  static let spec = VerbSpec(
    name: "check",
    sentence: "Runs plans against systems; shrinks and reports what fails.",
    options: [system.spec, plansOption.spec, stepsOption.spec] + PlanOptions.specs + [
      CommonOption.seed.spec, minutes.spec, quickFlag.spec, twiceFlag.spec, jobsOption.spec,
      CommonOption.timeout.spec, CommonOption.shard.spec, CommonOption.onDisk.spec,
      CommonOption.output.spec,
      CommonOption.json.spec,
    ],
    examples: [
      Example("check", "200 random plans on our tracker."),
      Example(
        "check --system article --plans 2000 --seed 1",
        "The published article's protocol, with plans that can be made again."
      ),
      Example(
        "check --conditions all --steps 1000000",
        "Every kind of trouble that the lab makes, for a million steps."
      ),
      Example(
        "check --system \"external:python3 mine.py\" --timeout 5",
        "A program of your own, in any language."
      ),
    ]
  )
}

/// Runs plans against systems, and shrinks and reports those that fail.
struct CheckVerb: Verb {
  let options: CheckOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let programs = ProgramShelf(seconds: options.timeout)
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
      outputIsDefault: options.usesDefaultOutput,
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
      terminal.print("It was ended early: not every plan was run.")
    }
    if let errors = programs.text { try folder.write(ProgramShelf.file, errors) }
    return try finish(result, folder)
  }

  /// Runs one system's plans, shrinks those that broke an invariant, and prints the results.
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
      place: options.place
    )
    let start = terminal.now()
    let tally = try await tally(run, timeLimit)
    let elapsed = terminal.now() - start
    var findings: [FindingReport] = []
    // A plan that is not repeatable cannot be shrunk.
    let broken = tally.difference == nil ? tally.broken : []
    for (checker, plan) in broken where !Interruption.isRequested {
      let finding = try shrink(run, checker, plan)
      findings.append(
        try folder.keep(
          finding,
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
      findings: findings,
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
  ) throws(LabError) -> Finding {
    let bar = ProgressBar(
      WorkState("shrinking \(checker)", unit: "tries"),
      on: terminal
    )
    defer { bar.finish() }
    var last = 0
    return try run.shrink(checker, plan: plan) { evaluations in
      bar.advance(by: evaluations - last)
      last = evaluations
    }
  }

  private func finish(
    _ result: CheckReport,
    _ folder: RunOutput
  ) throws(LabError) -> ExitCode {
    try folder.write("check.json", try result.json(for: .folder) + "\n")
    try folder.writePage()
    try folder.finish(verdict: result.verdict, because: result.because)
    if !options.json { folder.printPlace(on: terminal) }
    return switch result.verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }
}

extension CheckOptions {
  /// Creates the place for a worker's stores: on the heap, or its own folder in `--on-disk`.
  var place: @Sendable (Int) throws(LabError) -> StorePlace {
    let folder = onDisk
    return { lane throws(LabError) in
      guard let folder else { return .heap() }
      do throws(StorePlaceError) {
        return try .folder("\(folder)/lane-\(lane + 1)")
      } catch {
        throw .usage("--on-disk: \(error.description)")
      }
    }
  }

  /// Whether the run uses the default output folder.
  var usesDefaultOutput: Bool { output == CommonOption.runsFolder }
}
