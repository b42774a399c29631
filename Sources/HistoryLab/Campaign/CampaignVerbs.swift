import Basics
import Campaigns
import Commands
import HistoryTypes

/// The verb `campaign`, which groups the verbs `add`, `work`, `status` and `drain`.
enum CampaignVerbs {
  static let group = VerbSpec(
    name: "campaign",
    sentence: "Divides a long search among workers on any number of machines.",
    examples: [
      Example(
        "campaign add search --parts 40 -- check --conditions all --plans 100000",
        "A new campaign in the folder search: 40 parts of a check."
      ),
      Example(
        "campaign work search",
        "Takes parts until all are done; start it as often as you like."
      ),
      Example("campaign status search", "What is done, who works on what, and what was found."),
    ],
    subverbs: [
      CampaignAddVerb.spec, CampaignWorkVerb.spec, CampaignStatusVerb.spec, CampaignDrainVerb.spec,
    ]
  )
}

extension Argument<String> {
  /// Returns the argument DIR, which is the folder of a campaign.
  static func campaign(_ sentence: String = "The folder of the campaign.") -> Argument {
    Argument(.path("DIR"), sentence)
  }
}

struct CampaignAddOptions: VerbOptions {
  @Argument(.campaign("The folder of the campaign, which is created if it does not exist."))
  var folder: String
  @Argument(
    each: .text("WORDS", "a verb and its options"),
    "The command to run, without history-lab: check, mutants, explore or stress, with its options."
  )
  private var words: [String]
  @Option(
    "parts",
    .integer("N", 1...10_000),
    "Divides the work into N parts, and each length of an exploration; a part should take a few minutes."
  )
  var parts = 1

  /// The command line of each task.
  private(set) var tasks: [[String]] = []
  /// The command lines of each round of a divided exploration; empty for other work.
  private(set) var rounds: [[[String]]] = []

  private static let verbs = ["check", "mutants", "explore", "stress"]
  private static let own = [
    "output", "shard", "json", "jobs", "sample-states", "length", "slice", "slices",
  ]

  /// - Throws: A usage error if the words are not a command line that a campaign can run.
  mutating func validate(in composition: Composition) throws(LabError) {
    guard case .run(let spec, let arguments) = try Invocation.read(words, tool: .historyLab),
      Self.verbs.contains(spec.name)
    else {
      throw .usage(
        "\(words.joined(separator: " ").quoted) is not a command that a campaign can run. "
          + "Use \(Self.verbs.joinedAsAlternatives)."
      )
    }
    if let option = Self.own.first(where: { arguments.texts[$0] != nil }) {
      throw .usage("--\(option) is set by the campaign. Leave it out.")
    }
    var whole = words
    // All parts must draw the same plans.
    if spec.option("seed") != nil, arguments.texts["seed"] == nil {
      whole += ["--seed", "0x" + String(composition.drawSeed(), radix: 16)]
    }
    // The command line is checked now, so that an error is reported here and not by every worker.
    let silent = Terminal(
      Terminal.Traits(
        outputIsTerminal: false,
        errorIsTerminal: false,
        outputColumns: nil,
        errorColumns: nil,
        environment: { _ in nil }
      ),
      now: { .zero },
      output: { _ in nil },
      errors: { _ in nil }
    )
    let verb = try spec.start?(arguments, composition, silent)
    try FilePath.checkWritableFolder(folder, for: "DIR")
    guard parts > 1 else {
      tasks = [whole]
      return
    }
    let first: [String]
    if let verb = verb as? ExploreVerb {
      rounds = Self.rounds(of: whole, depth: verb.options.depthMax, parts)
      tasks = rounds.flatMap(\.self)
      first = tasks[0] + ["--slices", folder]
    } else {
      tasks = (1...parts).map { whole + ["--shard", "\($0)/\(parts)"] }
      first = tasks[0]
    }
    if case .run(_, let part) = try Invocation.read(first, tool: .historyLab) {
      _ = try spec.start?(part, composition, silent)
    }
  }

  /// Returns the command lines of a divided exploration, round by round.
  ///
  /// The first round explores the plans without commands. Each following round explores the plans
  /// with one more command, divided into slices: one for each of `parts` tasks. The last round has
  /// one task, which joins the results of all slices.
  private static func rounds(of whole: [String], depth: Int, _ parts: Int) -> [[[String]]] {
    let slices = (1...depth).map { length in
      (1...parts).map { whole + ["--length", "\(length)", "--slice", "\($0)/\(parts)"] }
    }
    return [[whole + ["--length", "0"]]] + slices + [[whole]]
  }
}

/// Adds tasks to a campaign.
struct CampaignAddVerb: Verb {
  static let spec = VerbSpec(
    name: "campaign add",
    sentence: "Adds work to a campaign, and creates the campaign if there is none.",
    examples: [
      Example(
        "campaign add search --parts 40 -- check --conditions all --plans 100000",
        "40 parts of a check, with one seed for all."
      ),
      Example(
        "campaign add search --parts 20 -- stress --minutes 60 --plain-sql",
        "20 stress runs of three minutes, each with a seed of its own."
      ),
      Example(
        "campaign add search --parts 8 -- explore --conditions crash --depth 7",
        "An exploration: eight slices of each length of plans, length by length."
      ),
    ]
  ) { CampaignAddVerb(options: $0, composition: $1, terminal: $2) }

  let options: CampaignAddOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let program = CampaignProgram.current(composition)
    try PageFile.makeFolder(options.folder, for: "DIR")
    let group = try LabError.mapping { () throws(CampaignError) in
      let campaign =
        CampaignFolder.exists(at: options.folder)
        ? try CampaignFolder(opening: options.folder, by: program)
        : try CampaignFolder(creating: options.folder, by: program)
      return options.rounds.isEmpty
        ? try campaign.add(options.tasks) : try campaign.add(rounds: options.rounds)
    }
    terminal.print(
      "Added \(options.tasks.count.counted("task")) as group \(group) of \(options.folder)."
    )
    terminal.print(
      "Work on it: \(terminal.command.line("campaign work \(options.folder.shellQuoted)"))"
    )
    return .good
  }
}
