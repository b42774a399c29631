import Basics
import Commands
import HistoryTypes
import Measuring
import Programs
import Reporting
import Simulation
import Systems
import Traces
import Workloads

struct ExploreOptions: VerbOptions {
  /// The systems to explore, in the given order, without duplicates.
  @Option(
    "system",
    each: .system,
    "The system to explore, or a file ending in .json that describes a design; `all` "
      + "selects our tracker and all published designs."
  )
  var systems = ["tracker"]
  @Option(.depth(shown: "6; with three or more actors 5")) private var depth: Int?
  @Option(.exploredActors(shown: "first 2, then 3")) private var actors: Int?
  /// The conditions to explore; each one is explored separately.
  @Option(
    "conditions",
    ConditionChoice.reader,
    "The conditions to explore, one after the other; list conditions explains them."
  )
  var conditions = ConditionChoice.all
  @Option(.pastHistory) var history: String?
  @Option(
    "windows",
    .integer("N", 1...1_000),
    "Explores N windows (runs of consecutive transactions), spread evenly over --history."
  )
  private var windowCount = 8
  @Flag(.anonymous) var anonymous
  @Option(.objectValues) var values: PastValueChoice?
  @Flag("card", "Prints a safety card: every invariant under every condition.") var card
  @Flag("quick", "Explores two actors to depth 5.") private var quick
  @Flag(
    "no-merging",
    "Explores equal states separately, to check that merging them is correct; this is far slower."
  )
  private var noMerging
  /// The maximum number of states for each combination of system, condition and ``ExploreScope``.
  ///
  /// With `--card` and the default on two processors, an exploration of all conditions takes some
  /// minutes for one system, and 20 minutes for `--system all`.
  @Option(.states(10_000_000, shown: "10000000, for a card 210000, for all cards 86000"))
  var stateCountMax: Int
  var division = DivisionOptions()
  @Flag(.sampleStates) var samplesStates
  @Option(.jobs) var jobs: Int
  @Option(.output) var output: String
  var list = FormatOptions()

  /// Whether the exploration continues only one of several plans that lead to equal states.
  var mergesStates: Bool { !noMerging }

  /// The maximum number of commands of a plan: the greatest depth of ``scopes``.
  var depthMax: Int { scopes.map(\.depth).max() ?? 0 }

  /// The pairs of options that exclude each other.
  ///
  /// `--slices` excludes `--no-merging`, because a divided exploration always merges equal states.
  /// `--length` excludes `--card`, `--json` and `--markdown`, because these options print results
  /// about plans of all lengths, and `--length` explores plans of only one length.
  var exclusive: [[String]] {
    [["slices", "no-merging"]] + ["card", "json", "markdown"].map { ["length", $0] }
  }

  /// The value of `--system` that selects this project's tracker and every published system.
  static let everySystem = "all"

  /// - Throws: A usage error if a system is unknown or external, the scope or a condition cannot be
  ///   explored, or the folder cannot be used.
  mutating func validate(in composition: Composition) throws(LabError) {
    if card, !$stateCountMax.isGiven {
      stateCountMax = systems.contains(Self.everySystem) ? 86_000 : 210_000
    }
    systems = try Self.chosen(systems, in: composition)
    guard scopes.allSatisfy({ $0.actors <= PlanAlphabet.actorCountMax }) else {
      throw .usage(
        "--actors: there are too many plans with more than \(PlanAlphabet.actorCountMax) actors to run all "
          + "of them.",
        try: "check --actors \(scopes[0].actors)"
      )
    }
    for condition in Condition.allCases where conditions.names(condition) {
      guard let reason = condition.unexplored else { continue }
      throw .usage(
        "--conditions: an exploration never \(reason). Leave \(condition.rawValue) out.",
        try: "check --conditions \(condition.rawValue)"
      )
    }
    try PastHistoryFile.check(
      history,
      anonymous: anonymous,
      values: values,
      others: $windowCount.isGiven ? ["windows"] : []
    )
    try division.check(depth: depthMax)
    try FilePath.checkWritableFolder(output, for: "--output")
  }

  /// Reads the history whose transactions plans repeat; `nil` without `--history`.
  ///
  /// - Throws: a usage error for a file without a readable history.
  func past() throws(LabError) -> ExploredHistory? {
    try history.map { path throws(LabError) in
      ExploredHistory(
        path: path,
        history: try PastHistoryFile.read(
          path,
          isAnonymous: anonymous,
          values: values ?? .usual(anonymous: anonymous)
        ),
        windowCount: windowCount
      )
    }
  }

  private static func chosen(
    _ names: [String],
    in composition: Composition
  ) throws(LabError) -> [String] {
    var systems: [String] = []
    for name in names {
      if name == everySystem {
        systems += composition.catalogue.names(.systems).filter { name in
          !name.hasPrefix("mutant/") && name != LabSystem.mistaken
            && ExternalProgram.command(in: name) == nil
        }
        continue
      }
      guard ExternalProgram.command(in: name) == nil else {
        throw .usage(
          "--system: an external system cannot be explored: its memory can be neither restored "
            + "nor compared.",
          try: "check --system \(name.shellQuoted)"
        )
      }
      try composition.checkSystem(name)
      systems.append(name)
    }
    return systems.uniqued
  }

  /// The numbers of actors, each with the maximum number of commands of a plan.
  var scopes: [ExploreScope] {
    if quick {
      return ExploreScope.quick.map { scope in
        ExploreScope(actors: actors ?? scope.actors, depth: depth ?? scope.depth)
      }
    }
    guard actors != nil || depth != nil else { return ExploreScope.usual }
    return [ExploreScope(actors: actors ?? 2, depth: depth ?? (actors ?? 2 > 2 ? 5 : 6))]
  }
}

extension ExploreVerb {
  static let spec = VerbSpec(
    name: "explore",
    sentence: "Runs every plan up to a length, shortest first, one condition at a time.",
    examples: [
      Example("explore", "Explores our tracker under each condition: two actors, then three."),
      Example(
        "explore --system article --conditions ties --actors 2 --depth 5",
        "Finds the shortest plan that breaks the article's protocol when two writes have the same "
          + "time."
      ),
      Example("explore --system all --card --quick", "Prints a safety card for every design."),
      Example(
        "explore --system article --history App.sqlite --quick",
        "Runs all plans that repeat some of the transactions that an app really wrote."
      ),
    ]
  ) { ExploreVerb(options: $0, composition: $1, terminal: $2) }
}

/// Runs every plan up to a length, and creates each system's safety card: the table of its results.
struct ExploreVerb: Verb {
  let options: ExploreOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let systems = try options.systems.map { (name) throws(LabError) in
      try LabSystem.find(name, SharedProgramState())
    }
    let past = try options.past()
    let conditions = try systems.map { (system) throws(LabError) in try self.conditions(system) }
    let folder = try RunOutput(
      "explore",
      seed: 0,
      output: options.output
    )
    let tasks = try divided(tasks(zip(systems, conditions).map { ($0, $1) }, past, folder))
    let done = try await explore(tasks)
    if let place = options.division.place { return try finish(place, tasks, done, folder) }
    let cards = zip(systems, conditions).map { system, conditions in
      SafetyCard(
        system,
        conditions: conditions,
        pieceCount: options.scopes.count,
        done.filter { $0.task.system.name == system.name }.map(\.outcome)
      )
    }
    try folder.write(done.compactMap(\.outcome.states))
    let (document, kept) = try keep(cards, folder)
    if let past, !options.list.json { terminal.print(past.sentence) }
    try show(cards, document, kept, folder)
    try folder.finish(
      verdict: document.verdict,
      because: cards.map { "\($0.system): \($0.sentence)" }.joined(separator: " ")
    )
    return switch document.verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }

  /// Returns the conditions that have a row in a system's table of results, its safety card.
  ///
  /// With `--conditions all`, the default, the rows include conditions that the system does not
  /// support.
  private func conditions(_ system: LabSystem) throws(LabError) -> [Condition] {
    if options.conditions == .all { return Condition.allCases }
    let named = try options.conditions.conditions(for: system)
    return Condition.allCases.filter(named.contains)
  }

  private func tasks(
    _ rows: [(system: LabSystem, conditions: [Condition])],
    _ past: ExploredHistory?,
    _ folder: RunOutput
  ) -> [ExploreTask] {
    rows.flatMap { system, conditions in
      options.scopes.flatMap { scope in
        conditions.filter { system.refusal(of: $0) == nil }.map { condition in
          ExploreTask(
            system: system,
            condition: condition,
            scope: scope,
            stateCountMax: options.stateCountMax,
            versions: folder.versions,
            mergesStates: options.mergesStates,
            samplesStates: options.samplesStates,
            past: past
          )
        }
      }
    }
  }

  private func explore(
    _ tasks: [ExploreTask]
  ) async throws(LabError) -> [(task: ExploreTask, outcome: ExploreTask.Outcome)] {
    let bar = ProgressBar(WorkState("explore", unit: "pieces", total: tasks.count), on: terminal)
    defer { bar.finish() }
    return try await ExploreQueue(tasks).run(jobs: options.jobs) { _ in
      bar.advance()
    } progress: { states in
      bar.advance(by: 0, note: states.counted("state"))
      return !Interruption.isRequested
    }
  }

  /// Writes the safety cards (each system's table of results) into the run's folder.
  ///
  /// The counterexamples are written too, each with an HTML page.
  private func keep(
    _ cards: [SafetyCard],
    _ folder: RunOutput
  ) throws(LabError) -> (CardsDocument, [[String: KeptCounterexample]]) {
    var kept: [[String: KeptCounterexample]] = []
    for (card, system) in zip(cards, RunOutput.words(forSystems: cards.map(\.system))) {
      var files: [String: KeptCounterexample] = [:]
      for cell in card.cells {
        guard let counterexample = cell.counterexample else { continue }
        files[cell.key] = try folder.keep(counterexample, as: "\(system)-\(cell.key)")
      }
      kept.append(files)
    }
    let document = document(cards, kept, folder, for: .folder)
    try folder.write("cards.json", try document.json() + "\n")
    try folder.write("cards.md", markdown(cards, document) + "\n")
    let page = page(document, folder).html(images: .missing(because: ""))
    try folder.write(RunOutput.pageFile, page)
    return (document, kept)
  }

  private func document(
    _ cards: [SafetyCard],
    _ kept: [[String: KeptCounterexample]],
    _ folder: RunOutput,
    for reader: RunReader
  ) -> CardsDocument {
    let verdicts = Set(cards.map(\.verdict))
    return CardsDocument(
      cards: CardsDocument.formatVersion,
      scopes: options.scopes,
      verdict: ["invalid", "unknown"].first(where: verdicts.contains) ?? "valid",
      folder: reader.folder(folder.shownPath),
      systems: zip(cards, kept).map { CardsDocument.Card($0, kept: $1, for: reader) }
    )
  }

  /// Returns each system's safety card (table of results) as Markdown.
  ///
  /// With several cards, an overview precedes them.
  private func markdown(_ cards: [SafetyCard], _ document: CardsDocument) -> String {
    let hasOverview = cards.count > 1
    let overview = CardsOverview(cards: document.systems).markdown(scopes: options.scopes)
    let legend = hasOverview ? "" : ExploreText.legend(options.scopes)
    let all = cards.map { ExploreText(card: $0).markdown(legend: legend) }
    return ((hasOverview ? [overview] : []) + all).paragraphs
  }

  private func page(_ document: CardsDocument, _ folder: RunOutput) -> ReportPage {
    let cards = document.systems.map { card in
      RunCollection.Card(folder: folder.path, scopes: document.scopes, card: card)
        .located(from: folder.path)
    }
    return ReportPage(
      title: "Safety cards",
      lead: "Which invariants hold under which conditions, and the shortest plans that break them.",
      sections: CardSections(cards: cards, pageFolder: folder.path).sections,
      environment: [
        .init("Lab", ToolSpec.version), .init("Swift", folder.environment.swift),
        .init("SQLite", folder.environment.sqlite), .init("Machine", folder.environment.machine),
      ]
    )
  }

  // MARK: Output

  private func show(
    _ cards: [SafetyCard],
    _ document: CardsDocument,
    _ kept: [[String: KeptCounterexample]],
    _ folder: RunOutput
  ) throws(LabError) {
    if options.list.json {
      let document = self.document(cards, kept, folder, for: .here(terminal.command))
      // With `--card` and one system, only the card is printed; the run's folder contains the whole
      // document.
      if options.card, document.systems.count == 1, let card = document.systems.first {
        return terminal.print(try card.json())
      }
      return terminal.print(try document.json())
    }
    if options.list.markdown { return terminal.print(markdown(cards, document)) }
    for (card, kept) in zip(cards, kept) { show(card, kept, folder) }
    folder.printPlace(on: terminal)
  }

  private func show(
    _ card: SafetyCard,
    _ kept: [String: KeptCounterexample],
    _ folder: RunOutput
  ) {
    let text = ExploreText(card: card)
    terminal.print(terminal.styled(card.system, .bold))
    for table in options.card ? [text.matrix(isShort: true), text.coverage] : [text.coverage] {
      terminal.print(table)
      terminal.print("")
    }
    for plan in plans(text, kept) { terminal.print("  " + plan) }
    if options.card, card.cells.contains(where: { $0.result == .breaks }) {
      // The replay command is printed once, because one per line would double the output of large cards.
      let file = "counterexample-SYSTEM-CONDITION-INVARIANT.jsonl"
      let words = "replay \("\(folder.shownPath)/\(file)".shellQuoted)"
      terminal.print("  Replay any: \(terminal.command.line(words))")
    }
    if let open = text.open { terminal.print("  " + terminal.styled(open, .yellow)) }
    let style: Style = card.verdict == "valid" ? .green : card.verdict == "invalid" ? .red : .yellow
    terminal.print(terminal.styled("  " + card.sentence.capitalised, style))
    terminal.print("")
  }

  /// Returns the shortest failing plans as lines, with their replay commands unless `--card` is given.
  private func plans(_ text: ExploreText, _ kept: [String: KeptCounterexample]) -> [String] {
    if options.card { return text.plans }
    return text.plans(replayedBy: kept.mapValues { $0.replay(for: .here(terminal.command)) })
  }
}
