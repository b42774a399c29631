import Measuring
import Reporting

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
