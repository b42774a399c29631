import Basics
import Commands
import FileCommands
import Foundation
import HistoryTypes
import Programs
import Reporting
import Systems
import Traces
import Workloads

struct RepairOptions: VerbOptions {
  @Option(
    "system",
    .system,
    shown: usualSystem,
    "The design to repair: a published one, or a file ending in .json that describes one."
  )
  var system: String?
  @Option(
    "conditions",
    ConditionChoice.reader,
    "Requires that every invariant holds under these conditions."
  )
  var conditions = ConditionChoice.all
  @Option(
    "seen-in",
    .path("FILE"),
    "Uses only the conditions that advise detects in the history of a store file."
  )
  var seenIn: String?
  @Flag("stated-use", "Leaves out the conditions that the design's authors exclude.")
  var statedUse
  @Option("max-changes", .integer("N", 0...8), "Searches for sets of at most N changes.")
  var changeCountMax = 4
  @Option("plans", .plans, "Requires that a repair holds in N random plans.")
  var plans = 20_000
  @Option(.depth(shown: "6")) private var depth: Int?
  @Option(.exploredActors(shown: "2")) private var actors: Int?
  @Option(.states(210_000)) private var stateCountMax: Int
  @Option("seed", .seed, shown: "1", "The seed of the random plans.")
  var seed: UInt64?
  @Option(.jobs) var jobs: Int
  @Flag("describe", "Prints the design as a file to edit, with every decision, and exits.")
  var describes
  @Option(.output) var output: String
  var list = FormatOptions()
  @Option("html", .path("FILE"), "Writes the answer as a page of one file.")
  var page: String?

  /// - Throws: A usage error if the system is unknown or external, or the page cannot be written.
  func validate(in composition: Composition) throws(LabError) {
    if let system { try composition.checkSystem(system) }
    guard actors ?? 0 <= PlanAlphabet.actorCountMax else {
      throw .usage("--actors: at most \(PlanAlphabet.actorCountMax) actors can be explored.")
    }
    if let seenIn { try FilePath.checkReadable(seenIn, for: "--seen-in") }
    if let page { try FilePath.checkWritableFile(page, for: "--html") }
    try FilePath.checkWritableFolder(output, for: "--output")
  }

  /// The design that is repaired by default.
  static let usualSystem = "kit-2-readme"

  var limits: RepairTrials.Limits {
    RepairTrials.Limits(
      plans: plans,
      seed: seed ?? 1,
      scope: ExploreScope(actors: actors ?? 2, depth: depth ?? 6),
      stateCountMax: stateCountMax
    )
  }
}

extension RepairVerb {
  static let spec = VerbSpec(
    name: "repair",
    sentence:
      "Finds the fewest changes after which a design breaks no invariant and still purges, and shows "
      + "why each is needed.",
    examples: [
      Example(
        "repair --system kit-2-readme",
        "Finds the changes that make the quick start of PersistentHistoryTrackingKit safe."
      ),
      Example(
        "repair --system kit-1.3 --conditions steady,crash,restart --max-changes 2",
        "Repairs a design for three conditions only, with at most two changes."
      ),
      Example(
        "repair --system kit-2 --seen-in App.sqlite",
        "Repairs a design for the conditions that an app's history shows."
      ),
      Example(
        "repair --system kit-2 --describe",
        "Prints the design as a file that can be changed "
          + "and checked."
      ),
    ]
  ) { RepairVerb(options: $0, terminal: $2) }
}

/// Searches for the smallest sets of changes after which a design breaks no invariant.
struct RepairVerb: Verb {
  let options: RepairOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let system = try LabSystem.find(
      options.system ?? RepairOptions.usualSystem,
      SharedProgramState()
    )
    guard let design = system.design else {
      let names = TrackingDesign.all.map(\.name).joinedWithAnd
      throw .usage(
        "--system: \(system.name) is not a design whose decisions can be changed. Use one of \(names), "
          + "or a file that describes a design.",
        try: "repair --system kit-2 --describe"
      )
    }
    if options.describes {
      terminal.print(DesignCodec.encode(design))
      return .good
    }
    let conditions = try conditions(system)
    let folder = try RunOutput("repair", seed: options.limits.seed, output: options.output)
    let start = terminal.now()
    let bar = ProgressBar(WorkState("repair", unit: "sets"), on: terminal)
    defer { bar.finish() }
    let run = RepairRun(
      trials: RepairTrials(
        system: system,
        design: design,
        conditions: conditions,
        limits: options.limits,
        jobs: options.jobs,
        versions: folder.versions
      ),
      changeCountMax: options.changeCountMax,
      progress: { bar.advance(by: $0, note: $1) }
    )
    let report = try await run.report { (terminal.now() - start) / .seconds(1) }
    bar.finish()
    let files = RepairFiles(folder: folder.shownPath, reader: .here(terminal.command))
    try keep(report, folder)
    if let page = options.page { try PageFile.write(report.page(files), to: page) }
    try show(report, files)
    if !options.list.json, !options.list.markdown { folder.printPlace(on: terminal) }
    return report.isRepaired ? .good : .violation
  }

  /// Writes the results into the run's folder: plans, designs, and the report as JSON and as HTML.
  private func keep(_ report: RepairReport, _ folder: RunOutput) throws(LabError) {
    let files = RepairFiles(folder: folder.shownPath, reader: .folder)
    try RepairFiles.write(report, to: folder)
    let document = RepairDocument(report, files)
    try folder.write(
      RepairFiles.document,
      try JSONText.document(document, named: "the repair") + "\n"
    )
    try folder.write(RunOutput.pageFile, report.page(files))
    try folder.finish(
      verdict: report.isRepaired ? "valid" : "invalid",
      because: report.sentence.capitalised
    )
  }

  /// Returns the named conditions that can be explored on the system.
  private func conditions(_ system: LabSystem) throws(LabError) -> [Condition] {
    let named = try options.conditions.conditions(for: system)
    let seen = try options.seenIn.map { (path) throws(LabError) in
      Set(try SeenConditions.names(in: path).compactMap(Condition.init))
    }
    let chosen = Condition.allCases.filter { condition in
      named.contains(condition) && system.refusal(of: condition) == nil
        && seen?.contains(condition) != false
        && !(options.statedUse && system.statedUse?.covers(condition) == false)
    }
    guard chosen.isEmpty else { return chosen }
    throw .usage(
      "--\(seen == nil ? "conditions" : "seen-in"): none of these conditions can be explored for "
        + "\(system.name). Choose other conditions or another system."
    )
  }

  private func show(_ report: RepairReport, _ files: RepairFiles) throws(LabError) {
    if options.list.json {
      return terminal.print(
        try JSONText.document(RepairDocument(report, files), named: "the repair")
      )
    }
    if options.list.markdown { return terminal.print(report.markdown) }
    paragraph(report.sentence.capitalised, report.isRepaired ? .green : .red)
    paragraph(report.extent)
    if let unrepaired = report.unrepaired {
      paragraph(unrepaired.plan.words.fullStopped)
      terminal.print("  Replay: \(files.replay(RepairReport.Unrepaired.stem))")
    }
    for (index, answer) in report.shown.enumerated() {
      terminal.print("")
      show(answer, number: index + 1, report, files)
    }
    guard !report.shown.isEmpty else { return }
    terminal.print("")
    terminal.print(
      report.costTable(Array(report.shown.prefix(RepairReport.comparedCountMax)))
    )
  }

  private func show(
    _ answer: RepairReport.Answer,
    number: Int,
    _ report: RepairReport,
    _ files: RepairFiles
  ) {
    paragraph("Set \(number): \(report.heading(answer))", .bold)
    for reason in answer.changes {
      paragraph("  \(reason.change.phrase): the design then \(reason.change.sentence).")
      paragraph("    Without this change: \(report.sentence(reason.proof).printable)")
      guard let stem = reason.stem(ofSet: number) else { continue }
      // A command is not wrapped, so that it can be copied.
      terminal.print("    Replay: \(files.replay(stem))")
    }
    if answer.purges { paragraph("  " + report.purges(answer)) }
    if let gap = report.gap(answer) { paragraph("  " + gap, .yellow) }
  }

  private func paragraph(_ text: String, _ style: Style? = nil) {
    for line in Columns.wrap(text, width: terminal.traits.width) {
      terminal.print(style.map { terminal.styled(line, $0) } ?? line)
    }
  }
}
