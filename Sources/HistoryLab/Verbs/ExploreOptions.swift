import Measuring
import Systems
import Workloads

/// The options of `explore`.
struct ExploreOptions: Hashable, Sendable {
  /// The systems to explore, without duplicates, in the order given.
  var systems: [String]
  /// The numbers of actors, each with the maximum number of commands of a plan.
  var scopes: [ExploreScope]
  /// The conditions to explore, one at a time.
  var conditions: ConditionChoice
  /// The maximum number of states of one scope under one condition.
  var stateCountMax: Int
  /// Whether to print whole cards.
  var card: Bool
  /// Whether plans that lead to equal states are continued only once.
  var mergesStates: Bool
  /// The number of pieces that run in parallel; results do not depend on it.
  var jobs: Int
  /// The folder in which the run gets its own folder.
  var output: String
  var json: Bool
  var markdown: Bool

  /// The word that selects our tracker and every published system.
  static let everySystem = "all"

  static let system = Option(
    "system",
    CheckOptions.system.reader,
    default: "tracker",
    defaultText: "tracker",
    repeats: true,
    "The system to explore; all stands for ours and every published one."
  )
  static let depthOption = Option(
    "depth",
    .integer("N", 1...12),
    defaultText: "6, of three actors and more 5",
    "The greatest number of commands of a plan."
  )
  static let actorsOption = Option(
    "actors",
    PlanOptions.actorsOption.reader,
    defaultText: "first 2, then 3",
    "How many actors take part, 1 to \(PlanAlphabet.actorCountMax)."
  )
  static let conditionsOption = Option(
    "conditions",
    ConditionChoice.reader,
    default: .all,
    defaultText: "all",
    "The kinds of trouble to go through, one after the other; list conditions explains them."
  )
  static let states = Option(
    "states",
    .integer("N", 1...100_000_000),
    defaultText: "10000000, for a card 210000, for all cards 86000",
    "How many states a condition may have for each number of actors; beyond it is unknown."
  )
  /// The default maximum of states; a million takes about 0.1 GB of memory and some minutes.
  private static let stateCountMax = 10_000_000
  /// The default for the card of one system, which then takes some minutes.
  private static let cardStateCountMax = 210_000
  /// The default for the cards of all systems, which then take 20 minutes on two processors.
  private static let allCardsStateCountMax = 86_000
  static let cardFlag = Flag("card", "Prints a safety card: every invariant under every condition.")
  static let quickFlag = Flag("quick", "Two actors, to depth 5.")
  static let noMergingFlag = Flag(
    "no-merging",
    "Goes on from every plan, not once from equal states: far slower, to check the merging itself."
  )

  /// - Throws: A usage error if a system is unknown or external, the scope or a condition cannot be
  ///   explored, or the folder cannot be used.
  init(_ arguments: ParsedArguments, in composition: Composition) throws(LabError) {
    let named = arguments.all(Self.system)
    systems = []
    for name in named.isEmpty ? ["tracker"] : named {
      if name == Self.everySystem {
        systems += composition.catalogue.names(.systems).filter { name in
          !name.hasPrefix("mutant/") && name != LabSystem.mistaken
            && ExternalProgram.command(in: name) == nil
        }
      } else {
        guard ExternalProgram.command(in: name) == nil else {
          throw .usage(
            "--system: an external system cannot be explored: what it has in memory can neither be put "
              + "back nor compared.",
            try: "check --system \(name.shellQuoted)"
          )
        }
        try composition.checkSystem(name)
        systems.append(name)
      }
    }
    systems = systems.uniqued
    scopes = Self.scopes(arguments)
    guard scopes.allSatisfy({ $0.actors <= PlanAlphabet.actorCountMax }) else {
      throw .usage(
        "--actors: plans of more than \(PlanAlphabet.actorCountMax) actors are too many to run all "
          + "of them.",
        try: "check --actors \(scopes[0].actors)"
      )
    }
    conditions = try arguments.required(Self.conditionsOption)
    for condition in Condition.allCases where conditions.names(condition) {
      guard let reason = condition.unexplored else { continue }
      throw .usage(
        "--conditions: an exploration never \(reason). Leave \(condition.rawValue) out.",
        try: "check --conditions \(condition.rawValue)"
      )
    }
    card = arguments.isSet(Self.cardFlag)
    mergesStates = !arguments.isSet(Self.noMergingFlag)
    let cardMax =
      named.contains(Self.everySystem) ? Self.allCardsStateCountMax : Self.cardStateCountMax
    stateCountMax = arguments.value(Self.states) ?? (card ? cardMax : Self.stateCountMax)
    jobs = arguments.value(CheckOptions.jobsOption) ?? composition.processors
    output = try arguments.required(CommonOption.output)
    try FilePath.checkWritableFolder(output, for: "--output")
    json = arguments.isSet(CommonOption.json)
    markdown = arguments.isSet(CommonOption.markdown)
  }

  private static func scopes(_ arguments: ParsedArguments) -> [ExploreScope] {
    let (actors, depth) = (arguments.value(actorsOption), arguments.value(depthOption))
    if arguments.isSet(quickFlag) {
      return ExploreScope.quick.map { scope in
        ExploreScope(actors: actors ?? scope.actors, depth: depth ?? scope.depth)
      }
    }
    guard actors != nil || depth != nil else { return ExploreScope.usual }
    return [ExploreScope(actors: actors ?? 2, depth: depth ?? (actors ?? 2 > 2 ? 5 : 6))]
  }
}

extension ExploreOptions {
  static let spec = VerbSpec(
    name: "explore",
    sentence: "Runs every plan up to a length, shortest first, one condition at a time.",
    options: [
      system.spec, depthOption.spec, actorsOption.spec, conditionsOption.spec, cardFlag.spec,
      quickFlag.spec, noMergingFlag.spec, states.spec, CheckOptions.jobsOption.spec,
      CommonOption.output.spec, CommonOption.json.spec, CommonOption.markdown.spec,
    ],
    exclusive: [["json", "markdown"]],
    examples: [
      Example("explore", "Our tracker under each condition: two actors, then three."),
      Example(
        "explore --system article --conditions ties --actors 2 --depth 5",
        "The shortest plan that breaks the published article when two writes tie."
      ),
      Example("explore --system all --card --quick", "Which design is safe under what."),
    ]
  )
}
