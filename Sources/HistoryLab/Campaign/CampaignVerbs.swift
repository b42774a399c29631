import Basics
import Campaigns
import Commands
import Foundation
import HistoryStore
import HistoryTypes
import Measuring
import Programs
import Reporting

/// The parent of the verbs of a campaign.
enum CampaignVerbs {
  static let group = VerbSpec(
    name: "campaign",
    sentence: "Divides a long search among workers on any number of machines.",
    examples: [
      Example(
        "campaign add search --pieces 40 -- check --conditions all --plans 100000",
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

/// The options of `campaign add`.
struct CampaignAddOptions: VerbOptions {
  @Argument(.path("DIR"), "The folder of the campaign, which is created if it does not exist.")
  var folder: String
  @Argument(
    each: .text("WORDS", "a verb and its options"),
    "The work, as after history-lab: check, mutants, explore or stress with their options."
  )
  private var words: [String]
  @Option(
    "pieces",
    .integer("N", 1...10_000),
    "Into how many parts of a few minutes check or mutants are divided."
  )
  var pieces = 1

  /// The command line of each task.
  private(set) var tasks: [[String]] = []

  private static let verbs = ["check", "mutants", "explore", "stress"]
  private static let own = ["output", "shard", "json", "jobs"]

  /// - Throws: A usage error if the words are no command line of a verb that can be a task.
  mutating func validate(in composition: Composition) throws(LabError) {
    guard case .run(let spec, let arguments) = try Invocation.read(words, tool: .historyLab),
      Self.verbs.contains(spec.name)
    else {
      throw .usage(
        "\(words.joined(separator: " ").quoted) is no \(Self.verbs.joinedAsAlternatives)."
      )
    }
    if let option = Self.own.first(where: { arguments.texts[$0] != nil }) {
      throw .usage("--\(option) is set by the campaign. Leave it out.")
    }
    guard pieces == 1 || spec.option("shard") != nil else {
      throw .usage("--pieces: \(spec.name) cannot be divided. Add each part as a task of its own.")
    }
    var whole = words
    // All parts must draw the same plans.
    if spec.option("seed") != nil, arguments.texts["seed"] == nil {
      whole += ["--seed", "0x" + String(composition.drawSeed(), radix: 16)]
    }
    // The words are tried now, so that a mistake is found here and not by every worker.
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
    _ = try spec.start?(arguments, composition, silent)
    tasks = pieces == 1 ? [whole] : (1...pieces).map { whole + ["--shard", "\($0)/\(pieces)"] }
  }
}

/// Adds tasks to a campaign.
struct CampaignAddVerb: Verb {
  static let spec = VerbSpec(
    name: "campaign add",
    sentence: "Adds work to a campaign, and creates the campaign if there is none.",
    examples: [
      Example(
        "campaign add search --pieces 40 -- check --conditions all --plans 100000",
        "40 parts of a check, with one seed for all."
      ),
      Example(
        "campaign add search -- explore --conditions crash --depth 7",
        "An exploration, which is one task."
      ),
    ]
  ) { CampaignAddVerb(options: $0, composition: $1, terminal: $2) }

  let options: CampaignAddOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let program = CampaignProgram.current(composition)
    let group: Int
    do throws(CampaignError) {
      let campaign =
        CampaignFolder.exists(at: options.folder)
        ? try CampaignFolder(opening: options.folder, by: program)
        : try CampaignFolder(creating: options.folder, by: program)
      group = try campaign.add(options.tasks)
    } catch { throw LabError(error) }
    terminal.print(
      "Added \(options.tasks.count.counted("task")) as group \(group) of \(options.folder)."
    )
    terminal.print(
      "Work on it: \(terminal.command.line("campaign work \(options.folder.shellQuoted)"))"
    )
    return .good
  }
}

/// The options of `campaign work`.
struct CampaignWorkOptions: VerbOptions {
  @Argument(.path("DIR"), "The folder of the campaign.") var folder: String
  @Option(.jobs) var jobs: Int
  @Option(
    "patience",
    .decimal("SECONDS", 1...86_400),
    "The time without a sign of life after which another worker's task is done again."
  )
  var patience = 120.0
}

/// Takes the tasks of a campaign until all have a result.
struct CampaignWorkVerb: Verb {
  static let spec = VerbSpec(
    name: "campaign work",
    sentence: "Takes tasks of a campaign until all are done, or the campaign is drained.",
    examples: [
      Example("campaign work search", "One worker; more may be started and killed at any time."),
      Example("campaign work search --jobs 2", "A worker that runs two plans at a time."),
    ]
  ) { CampaignWorkVerb(options: $0, composition: $1, terminal: $2) }

  let options: CampaignWorkOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let campaign: CampaignFolder
    do throws(CampaignError) {
      campaign = try CampaignFolder(opening: options.folder, by: .current(composition))
    } catch { throw LabError(error) }
    let count: Int
    do throws(CampaignError) {
      count = try await work(on: campaign).get()
    } catch { throw LabError(error) }
    let status = try CampaignStatusVerb.status(of: campaign)
    CampaignPage.write(of: campaign)
    terminal.print("This worker added \(count.counted("result")).")
    terminal.print(CampaignText(status, folder: options.folder, command: terminal.command).sentence)
    return status.exitCode
  }
}

extension CampaignWorkVerb {
  /// Takes tasks on a thread of its own, because the worker blocks while it waits for commands.
  private func work(on campaign: CampaignFolder) async -> Result<Int, CampaignError> {
    let bar = ProgressBar(WorkState("campaign", unit: "results"), on: terminal)
    defer { bar.finish() }
    return await withTaskGroup(of: Result<Int, CampaignError>.self) { group in
      group.addTask(executorPreference: ThreadPerJob()) {
        do throws(CampaignError) {
          return .success(try worker(on: campaign, bar).work())
        } catch {
          return .failure(error)
        }
      }
      return await group.next() ?? .success(0)
    }
  }

  private func worker(on campaign: CampaignFolder, _ bar: ProgressBar) -> CampaignWorker {
    let commands = composition[CampaignCommands.self]
    return CampaignWorker(
      campaign,
      name: CampaignProgram.workerName(composition),
      patience: .seconds(options.patience),
      isInterrupted: { Interruption.isRequested },
      onProgress: { isResult in
        if isResult { bar.advance() }
        CampaignPage.write(of: campaign)
      },
      run: { (words, output, isWanted) throws(CampaignError) in
        try commands.run(words, output: output, jobs: options.jobs, composition, isWanted)
      }
    )
  }
}

/// The options of `campaign status`.
struct CampaignStatusOptions: VerbOptions {
  @Argument(.path("DIR"), "The folder of the campaign.") var folder: String
  @Flag(.json) var json
}

/// Shows where a campaign stands.
struct CampaignStatusVerb: Verb {
  static let spec = VerbSpec(
    name: "campaign status",
    sentence: "Shows what of a campaign is done, who works on what, and what was found.",
    examples: [
      Example("campaign status search", "As text; the page is search/index.html."),
      Example("campaign status search --json", "As JSON."),
    ]
  ) { CampaignStatusVerb(options: $0, composition: $1, terminal: $2) }

  let options: CampaignStatusOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let campaign: CampaignFolder
    do throws(CampaignError) {
      campaign = try CampaignFolder(opening: options.folder, by: .current(composition))
    } catch { throw LabError(error) }
    let status = try Self.status(of: campaign)
    CampaignPage.write(of: campaign)
    if options.json {
      terminal.print(try JSONText.document(CampaignDocument(status), named: "the status"))
    } else {
      let text = CampaignText(status, folder: options.folder, command: terminal.command)
      terminal.print(text.sentence)
      for table in text.tables { terminal.print(table) }
    }
    return status.exitCode
  }

  static func status(of campaign: CampaignFolder) throws(LabError) -> CampaignStatus {
    do throws(CampaignError) { return try CampaignStatus(campaign) } catch { throw LabError(error) }
  }
}

/// The options of `campaign drain`.
struct CampaignDrainOptions: VerbOptions {
  @Argument(.path("DIR"), "The folder of the campaign.") var folder: String
  @Flag("off", "Lets workers take tasks again.") var off
}

/// Tells the workers of a campaign to take no new task.
struct CampaignDrainVerb: Verb {
  static let spec = VerbSpec(
    name: "campaign drain",
    sentence: "Lets all workers end after the task that they work on.",
    examples: [
      Example("campaign drain search", "Before a machine is needed for something else."),
      Example("campaign drain search --off", "Lets workers take tasks again."),
    ]
  ) { CampaignDrainVerb(options: $0, composition: $1, terminal: $2) }

  let options: CampaignDrainOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    do throws(CampaignError) {
      let campaign = try CampaignFolder(opening: options.folder, by: .current(composition))
      try campaign.setDrained(!options.off)
    } catch { throw LabError(error) }
    terminal.print(
      options.off
        ? "Workers take tasks again; start those that have ended."
        : "Workers end after their task. \(terminal.command.line("campaign drain --off \(options.folder.shellQuoted)")) undoes it."
    )
    return .good
  }
}

extension LabError {
  /// Converts an error of a campaign's folder.
  init(_ error: CampaignError) {
    switch error {
    case .usage(let sentence): self = .usage(sentence)
    case .failed(let sentence): self = .lab(sentence)
    }
  }
}

extension CampaignStatus {
  /// The exit code of a verb that shows the status.
  var exitCode: ExitCode {
    switch verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }
}

extension CampaignProgram {
  /// Describes this program.
  static func current(_ composition: Composition) -> CampaignProgram {
    let environment = RunEnvironment.current(
      sqlite: Store.sqliteVersion,
      commit: ProcessInfo.processInfo.environment["HISTORY_LAB_COMMIT"],
      time: .now(),
      seed: 0
    )
    let build = environment.commit ?? composition.command.flatMap(hash(ofFile:)) ?? "unknown"
    return CampaignProgram(
      lab: ToolSpec.version,
      build: build + (environment.optimized ? ", release" : ", debug"),
      libraries: "Swift \(environment.swift), SQLite \(environment.sqlite)"
    )
  }

  private static func hash(ofFile path: String) -> String? {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    else {
      return nil
    }
    return "executable " + String(data.withUnsafeBytes(\.stableHash), radix: 16)
  }

  /// Returns a name that no other worker has: the machine, the process, and a random number.
  static func workerName(_ composition: Composition) -> String {
    let host =
      ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? "host"
    let plain = host.filter { $0.isLetter || $0.isNumber }
    let random = String(composition.drawSeed() % 0x10000, radix: 16)
    return "\(plain)-\(ProcessInfo.processInfo.processIdentifier)-\(random)"
  }
}
