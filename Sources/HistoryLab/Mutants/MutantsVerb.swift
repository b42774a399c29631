import Commands
import Reporting
import Systems
import Traces

/// The options of `mutants`.
struct MutantsOptions: VerbOptions {
  @Option(
    "only",
    each: .text("NAME", "a name, or its beginning"),
    shown: "all",
    "Tries only the mutants or generated edits whose names begin with NAME; list systems shows mutants."
  )
  private var only: [String]
  /// The number of seeds for each mutant.
  @Option(
    "seeds",
    .integer("N", 1...1_000),
    "How many seeds each mutant is tried with; the results are their medians."
  )
  var seedCount = 10
  @Flag("quick", "Tries \(quickSeeds) seeds, unless --seeds says how many.") private var quick
  @Flag("generated", "Tries the edits that rules make, each in its own process.")
  var isGenerated
  @Option(
    "plans",
    .integer("N", 1...10_000_000),
    "How many plans each generated edit runs, under every condition."
  )
  var planCount = 600
  @Option(.seed) var seed: UInt64
  @Option(.shard) private var shardChoice: ShardChoice?
  @Option(.jobs) var jobs: Int
  @Option(.output) var output: String
  @Flag(.json) var json
  /// The seeded bugs to try, in order; the generated edits if `isGenerated`.
  var mutants: [Mutant] = []
  /// The part of the mutants to try; `nil` for all.
  var shard: Shard?

  /// The number of seeds of a quick run.
  static let quickSeeds = 3

  var exclusive: [[String]] { ["seeds", "quick", "shard"].map { ["generated", $0] } }

  /// - Throws: A usage error if a mutant is unknown, options contradict each other, or a folder
  ///   cannot be used.
  mutating func validate(in composition: Composition) throws(LabError) {
    shard = try shardChoice.shard()
    guard isGenerated || !$planCount.isGiven else {
      throw .usage(
        "--plans goes with --generated: described mutants meet plans until one shows them."
      )
    }
    if isGenerated {
      mutants = try Self.generated(only)
    } else {
      let shard = shard
      mutants = try Self.mutants(only, in: composition).enumerated()
        .filter { shard?.holds($0.offset) ?? true }.map(\.element)
    }
    if quick, !$seedCount.isGiven { seedCount = Self.quickSeeds }
    try FilePath.checkWritableFolder(output, for: "--output")
  }

  /// Returns the generated edits whose names have one of the prefixes; all if there is none.
  private static func generated(_ names: [String]) throws(LabError) -> [Mutant] {
    let all = Mutant.generated
    if !all.isEmpty,
      let unknown = names.first(where: { name in !all.contains { $0.name.hasPrefix(name) } })
    {
      throw .usage("this build has no generated edit whose name begins with \(unknown).")
    }
    return names.isEmpty
      ? all : all.filter { mutant in names.contains { mutant.name.hasPrefix($0) } }
  }

  /// Returns the mutants whose names have one of the prefixes; all if there is none.
  ///
  /// A prefix may start with `mutant/`.
  private static func mutants(
    _ names: [String],
    in composition: Composition
  ) throws(LabError) -> [Mutant] {
    let mutants = try composition.requiredMutants()
    guard !names.isEmpty else { return mutants }
    let known = mutants.map(\.name)
    let wanted = names.map(Mutant.bareName)
    if let unknown = wanted.first(where: { name in !known.contains { $0.hasPrefix(name) } }) {
      throw composition.unknown("mutant", unknown, known, try: "list systems")
    }
    return mutants.filter { mutant in wanted.contains { mutant.name.hasPrefix($0) } }
  }
}

extension Mutant {
  /// Returns the name of a mutant without the prefix that its system has.
  static func bareName(_ text: String) -> String {
    text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
  }
}

extension Composition {
  /// Returns the seeded bugs of this build.
  ///
  /// - Throws: A usage error if the build has none.
  func requiredMutants() throws(LabError) -> [Mutant] {
    let mutants = self[MutantTrials.self].mutants
    guard mutants.isEmpty else { return mutants }
    throw .usage(
      "this build has no seeded bugs. Run scripts/mutants, which builds a copy that has them; it takes "
        + "the same options, for example scripts/mutants --only purge."
    )
  }
}

extension MutantsVerb {
  static let spec = VerbSpec(
    name: "mutants",
    sentence: "Shows how many seeded bugs the lab finds, how fast, and in how short a plan; "
      + "scripts/mutants builds the copy that has them.",
    examples: [
      Example("mutants", "Every seeded bug of our own code, ten seeds each."),
      Example("mutants --quick --seed 1", "Three seeds each, as every change is tested."),
      Example(
        "mutants --generated --plans 600",
        "Edits that rules make: which are not detected?"
      ),
      Example("mutants --only purge --seeds 100", "The bugs of purges, a hundred seeds each."),
    ],
    start: start
  )

  private static func start(
    _ options: MutantsOptions,
    _ composition: Composition,
    _ terminal: Terminal
  ) -> any Verb {
    options.isGenerated
      ? GeneratedVerb(options: options, composition: composition, terminal: terminal)
      : MutantsVerb(options: options, composition: composition, terminal: terminal)
  }
}

/// Measures how many seeded bugs the lab finds, how fast, and how short the killing plans become.
struct MutantsVerb: Verb {
  let options: MutantsOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let folder = try RunOutput(
      "mutants",
      seed: options.seed,
      output: options.output,
      shard: options.shard
    )
    let run = MutantRun(
      options.mutants,
      seed: options.seed,
      seedCount: options.seedCount,
      jobs: options.jobs,
      system: composition[MutantTrials.self].system,
      caseCountMax: composition[MutantTrials.self].caseCountMax,
      now: terminal.now
    )
    let start = terminal.now()
    let trials = try await trials(run)
    let report = MutantReport(
      seed: options.seed,
      seedCount: options.seedCount,
      seconds: (terminal.now() - start) / .seconds(1),
      folder: folder.shownPath,
      outcomes: zip(options.mutants, trials).map { MutantOutcome(mutant: $0, trials: $1) }
    )
    try write(report, folder)
    if options.json {
      terminal.print(try report.json(for: .here(terminal.command)))
    } else {
      MutantText(terminal: terminal).print(report)
      folder.printPlace(on: terminal)
    }
    return switch report.verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }

  private func trials(_ run: MutantRun) async throws(LabError) -> [[MutantTrial]] {
    let bar = ProgressBar(WorkState("mutants", unit: "trials", total: run.trialCount), on: terminal)
    defer { bar.finish() }
    return try await run.trials(
      progress: { bar.advance(note: $0.mutant) },
      goesOn: { !Interruption.isRequested }
    )
  }

  private func write(_ report: MutantReport, _ folder: RunOutput) throws(LabError) {
    try folder.write("mutants.json", try report.json(for: .folder) + "\n")
    try folder.write("mutants.csv", report.csv())
    for outcome in report.outcomes {
      let name = outcome.mutant.name
      if let kill = outcome.shortest {
        try folder.write("plan-\(name).jsonl", PlanCodec.encode(kill.plan))
      }
      if let kill = outcome.longest {
        try folder.write("plan-\(name)-longest.jsonl", PlanCodec.encode(kill.plan))
      }
    }
    try folder.writePage()
    try folder.finish(
      verdict: report.verdict,
      because: report.because,
      isEndedEarly: !report.isWhole
    )
  }
}
