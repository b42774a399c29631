import Basics
import Checkers
import Commands
import Foundation
import Programs
import Reporting
import Simulation
import Systems
import Traces
import Workloads

struct WhyOptions: VerbOptions {
  @Argument(
    .text("COUNTEREXAMPLE", "a counterexample or a plan file"),
    "A counterexample or a plan, as a check writes them into its run's folder."
  )
  var file: String
  @Option(.systemOfPlan) var system: String?
  @Option(
    "continuations",
    .integer("N", 1...1_000_000),
    shown: "1,000, or fewer where plans have many steps",
    "Runs N random continuations after each command."
  )
  var continuations: Int?
  @Option("commands", .commands, "Generates continuations of at most N commands.")
  var commands = commandsByDefault
  @Option(
    "conditions",
    ConditionChoice.reader,
    "The conditions that continuations may contain, in addition to those of the plan."
  )
  var conditions = ConditionChoice.everyday
  @Option("seed", .seed, shown: "the plan's own", "The seed of all continuations.")
  var seed: UInt64?
  static let commandsByDefault = 40
  @Option(.jobs) var jobs: Int
  @Option(.timeout) var timeout: Double
  @Flag(.json) var json
  @Option("html", .path("FILE"), "Writes the explanation with its curve as a page of one file.")
  var page: String?

  /// - Throws: A usage error if the system is unknown, the file cannot be read, or the page cannot be
  ///   written.
  func validate(in composition: Composition) throws(LabError) {
    if let system { try composition.checkSystem(system) }
    try FilePath.checkReadable(file)
    guard let page else { return }
    try FilePath.checkWritableFile(page, for: "--html")
    let paths = [page, file].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
    guard paths[0] != paths[1] else {
      throw .usage(
        "--html: \(page.quoted) would overwrite an input file. Choose another file for the page."
      )
    }
  }

  /// The options with which `replay` runs ``file`` on the same system as `why`.
  var replay: ReplayOptions {
    ReplayOptions(source: .file(file), system: system, timeout: timeout)
  }
}

extension WhyVerb {
  static let spec = VerbSpec(
    name: "why",
    sentence: "Explains a violation: which command makes it likely, and which edits prevent it.",
    examples: [
      Example(
        "why Reports/latest/counterexample-article-Convergence.jsonl",
        "Prints the probability of the violation after each command, and which parts matter."
      ),
      Example(
        "why counterexample.jsonl --continuations 10000 --seed 1",
        "Runs more continuations, from another seed, for narrower intervals."
      ),
      Example(
        "why plan.jsonl --system greatest-cursor --json",
        "Explains a plan on the named system, and prints JSON."
      ),
    ]
  ) { WhyVerb(options: $0, terminal: $2) }
}

/// Explains why a counterexample breaks its invariant.
struct WhyVerb: Verb {
  let options: WhyOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let programs = SharedProgramState(seconds: options.timeout)
    let source = try ReplaySource(options.replay, programs)
    let trials = VariationRunner(source.system, source.checker ?? "")
    defer { trials.close() }
    let original = try trials.observe(source.plan)
    let violation = try violation(in: original.suite, source)
    let run = try WhyRun(
      system: source.system,
      plan: source.plan,
      checker: violation.checker,
      commands: options.commands,
      conditions: options.conditions,
      seed: options.seed
    )
    let curve = try await curve(of: run)
    let counterexample = Counterexample(trace: original.trace, violation: violation)
    var report = try WhyReport(run, curve, counterexample)
    report.isLimited = options.continuations == nil
    if let page = options.page { try PageFile.write(WhyPage(report: report).html(), to: page) }
    if options.json {
      terminal.print(try JSONText.document(WhyDocument(report), named: "the explanation"))
    } else {
      WhyText(terminal: terminal).print(report)
    }
    return .good
  }

  /// Returns the violation of the invariant that the file names.
  ///
  /// If the file names no invariant, the first violation is returned.
  private func violation(
    in suite: CheckerSuite,
    _ source: ReplaySource
  ) throws(LabError) -> Violation {
    let name = source.system.name
    guard let checker = source.checker else {
      if let violation = suite.violation { return violation }
      throw .undecided(
        "\(options.file.quoted) breaks no invariant on \(name), so there is nothing to explain.",
        try: replayWords
      )
    }
    if let violation = suite.violation(of: checker) { return violation }
    let other = suite.violation.map { " It violates \($0.checker) instead." } ?? ""
    throw .undecided(
      "\(options.file.quoted) does not reproduce on \(name): it does not violate \(checker).\(other)",
      try: replayWords
    )
  }

  /// The `replay` command line for the file to explain, with the system that `why` was given.
  private var replayWords: String {
    let system = options.system.map { " --system \($0.shellQuoted)" } ?? ""
    return "replay \(options.file.shellQuoted)\(system)"
  }

  private func curve(of run: WhyRun) async throws(LabError) -> ViolationCurve {
    let places = run.recipe.plan.commands.count + 1
    let bar = ProgressBar(
      WorkState(
        "continuing",
        unit: "plans",
        total: options.continuations.map { $0 * places }
      ),
      on: terminal
    )
    defer { bar.finish() }
    return try await run.curve(
      continuations: options.continuations,
      jobs: options.jobs,
      progress: { bar.advance(by: $0) }
    )
  }
}
