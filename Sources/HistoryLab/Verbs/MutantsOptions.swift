import Reporting
import Systems

/// The options of `mutants`.
struct MutantsOptions: Sendable {
  /// The seeded bugs to try, in order; empty if `isGenerated`.
  var mutants: [Mutant]
  /// The number of seeds for each mutant.
  var seedCount: Int
  var seed: UInt64
  /// The folder in which the run gets its own folder.
  var output: String
  /// The number of trials that run in parallel; results do not depend on it.
  var jobs: Int
  /// Whether to print the results as JSON.
  var json: Bool
  /// The part of the mutants to try; `nil` for all.
  var shard: Shard?
  /// Whether to try generated mutants instead of the seeded bugs.
  var isGenerated: Bool
  /// The number of plans for each generated mutant.
  var planCount: Int

  /// The number of seeds of a quick run.
  static let quickSeeds = 3

  static let only = Option(
    "only",
    .text("NAME", "a name, or its beginning"),
    defaultText: "all",
    repeats: true,
    "Tries only the mutants whose names begin with NAME; list systems shows them."
  )
  static let seedsOption = Option(
    "seeds",
    "N",
    in: 1...1_000,
    default: 10,
    "How many seeds each mutant is tried with; the results are their medians."
  )
  static let generatedFlag = Flag(
    "generated",
    "Tries the edits that rules have made, each in a process of its own."
  )
  static let plansOption = Option(
    "plans",
    "N",
    in: 1...10_000_000,
    default: 600,
    "How many plans each generated edit meets, under every condition."
  )
  static let quickFlag = Flag("quick", "Tries \(quickSeeds) seeds, unless --seeds says how many.")

  /// - Throws: A usage error if a mutant is unknown, options contradict each other, or a folder
  ///   cannot be used.
  init(_ arguments: ParsedArguments, in composition: Composition) throws(LabError) {
    let shard = try arguments.shard()
    isGenerated = arguments.isSet(Self.generatedFlag)
    guard isGenerated || !arguments.isGiven(Self.plansOption.name) else {
      throw .usage(
        "--plans goes with --generated: described mutants meet plans until one shows them."
      )
    }
    planCount = try arguments.required(Self.plansOption)
    mutants =
      isGenerated
      ? []
      : try Self.mutants(arguments.all(Self.only), in: composition).enumerated()
        .filter { shard?.holds($0.offset) ?? true }.map(\.element)
    self.shard = shard
    let isQuick = arguments.isSet(Self.quickFlag) && !arguments.isGiven(Self.seedsOption.name)
    seedCount = isQuick ? Self.quickSeeds : try arguments.required(Self.seedsOption)
    seed = arguments.value(CommonOption.seed) ?? composition.drawSeed()
    output = try arguments.required(CommonOption.output)
    try FilePath.checkWritableFolder(output, for: "--output")
    jobs = arguments.value(CheckOptions.jobsOption) ?? composition.processors
    json = arguments.isSet(CommonOption.json)
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
    let wanted = names.map {
      $0.hasPrefix(Mutant.prefix) ? String($0.dropFirst(Mutant.prefix.count)) : $0
    }
    if let unknown = wanted.first(where: { name in !known.contains { $0.hasPrefix(name) } }) {
      let hint = NearestWord.hint(for: unknown, among: known)
      throw .usage("unknown mutant \(unknown.quoted).\(hint)", try: "list systems")
    }
    return mutants.filter { mutant in wanted.contains { mutant.name.hasPrefix($0) } }
  }
}

extension Composition {
  /// Returns the seeded bugs of this build.
  ///
  /// - Throws: A usage error if the build has none.
  func requiredMutants() throws(LabError) -> [Mutant] {
    guard mutants.isEmpty else { return mutants }
    throw .usage(
      "this build has no seeded bugs: scripts/mutants builds a copy that has them, and passes on to it "
        + "what follows, for example scripts/mutants --only purge."
    )
  }
}

extension MutantsOptions {
  static let spec = VerbSpec(
    name: "mutants",
    sentence: "Shows how many seeded bugs the lab finds, how fast, and in how short a plan; "
      + "scripts/mutants builds the copy that has them.",
    options: [
      only.spec, seedsOption.spec, quickFlag.spec, generatedFlag.spec, plansOption.spec,
      CommonOption.seed.spec, CommonOption.shard.spec,
      CheckOptions.jobsOption.spec, CommonOption.output.spec, CommonOption.json.spec,
    ],
    exclusive: ["only", "seeds", "quick", "shard"].map { ["generated", $0] },
    examples: [
      Example("mutants", "Every seeded bug of our own code, ten seeds each."),
      Example("mutants --quick --seed 1", "Three seeds each, as every change is tested."),
      Example(
        "mutants --generated --plans 600",
        "Edits that rules have made: which does nobody notice?"
      ),
      Example("mutants --only purge --seeds 100", "The bugs of purges, a hundred seeds each."),
    ]
  )
}
