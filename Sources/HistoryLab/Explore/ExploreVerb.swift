import Measuring
import PersistentHistory
import Reporting
import Simulation
import Traces
import Workloads

/// Runs every plan up to a length, and creates safety cards.
struct ExploreVerb: Verb {
  let options: ExploreOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let systems = options.systems.compactMap(LabSystem.named)
    let conditions = try systems.map { (system) throws(LabError) in try self.conditions(system) }
    let folder = try RunOutput(
      "explore",
      seed: 0,
      output: options.output,
      outputIsDefault: options.output == CommonOption.runsFolder
    )
    let done = try await explore(zip(systems, conditions).map { ($0, $1) }, folder)
    let cards = zip(systems, conditions).map { system, conditions in
      SafetyCard(
        system,
        conditions: conditions,
        pieceCount: options.scopes.count,
        done.filter { $0.task.system.name == system.name }.map(\.outcome)
      )
    }
    let (document, kept) = try keep(cards, folder)
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

  /// Returns the rows of a system's card.
  ///
  /// A full card includes the conditions that the system does not support.
  private func conditions(_ system: LabSystem) throws(LabError) -> [Condition] {
    if options.conditions == .all { return Condition.allCases }
    let named = try options.conditions.conditions(for: system)
    return Condition.allCases.filter(named.contains)
  }

  private func explore(
    _ rows: [(system: LabSystem, conditions: [Condition])],
    _ folder: RunOutput
  ) async throws(LabError) -> [(task: ExploreTask, outcome: ExploreTask.Outcome)] {
    let tasks = rows.flatMap { system, conditions in
      options.scopes.flatMap { scope in
        conditions.filter { system.refusal(of: $0) == nil }.map { condition in
          ExploreTask(
            system: system,
            condition: condition,
            scope: scope,
            stateCountMax: options.stateCountMax,
            versions: folder.versions,
            mergesStates: options.mergesStates
          )
        }
      }
    }
    let bar = ProgressBar(WorkState("explore", unit: "pieces", total: tasks.count), on: terminal)
    defer { bar.finish() }
    return try await ExploreQueue(tasks).run(jobs: options.jobs) { _ in
      bar.advance()
    } progress: { states in
      bar.advance(by: 0, note: states.counted("state"))
      return !Interruption.isRequested
    }
  }

  /// Writes the counterexamples with their pages, and the cards, into the run's folder.
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

  /// Returns the cards as Markdown, with an overview first if there are several.
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
    if options.json {
      let document = self.document(cards, kept, folder, for: .here(terminal.command))
      // With `--card` and one system, only its card is printed; the document is in the run's
      // folder.
      if options.card, document.systems.count == 1, let card = document.systems.first {
        return terminal.print(try card.json())
      }
      return terminal.print(try document.json())
    }
    if options.markdown { return terminal.print(markdown(cards, document)) }
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
      // A replay command after each line would double the output of a card with hundreds of breaks.
      let file = "counterexample-SYSTEM-CONDITION-INVARIANT.jsonl"
      let words = "replay \("\(folder.shownPath)/\(file)".shellQuoted)"
      terminal.print("  Replay any: \(terminal.command.line(words))")
    }
    if let open = text.open { terminal.print("  " + terminal.styled(open, .yellow)) }
    let style: Style = card.verdict == "valid" ? .green : card.verdict == "invalid" ? .red : .yellow
    terminal.print(terminal.styled("  " + card.sentence.capitalizedFirst, style))
    terminal.print("")
  }

  /// Returns the shortest plans, each with its replay command unless a card is printed.
  private func plans(_ text: ExploreText, _ kept: [String: KeptCounterexample]) -> [String] {
    if options.card { return text.plans }
    return text.plans(replayedBy: kept.mapValues { $0.replay(for: .here(terminal.command)) })
  }
}
