import Basics
import BenchCommands
import Commands
import Foundation
import Reporting

struct BisectOptions: VerbOptions {
  @Argument(
    .planFile,
    "A plan or a counterexample that breaks an invariant at the bad commit, but not at the good one."
  )
  private var file: String?
  @Option(
    "good",
    .commit,
    "A Git commit without the violation, or with the original count; required."
  )
  private var goodCommit: String?
  @Option("bad", .commit, "A later Git commit with the violation, or with a changed count.")
  var bad = "HEAD"
  @Option(
    "count",
    .text("BENCHMARK", "a benchmark's name or title"),
    "Searches for a changed count of this benchmark, instead of replaying FILE; needs --metric."
  )
  private var benchmark: String?
  @Option(
    "metric",
    .text("NAME", "the name of a count"),
    "The metric that --count compares, such as VM steps."
  )
  private var metric: String?
  @Option(
    "size",
    .historySize,
    shown: "the largest of a quick run",
    "Measures --count in a history of N transactions."
  )
  private var historySize: Int?
  @Flag(.json) var json
  var good = ""
  var question = BisectQuestion.replay(file: "")

  /// - Throws: A usage error if the good commit is missing, if not exactly one of FILE and `--count` is
  ///   given, or if the file or the count is unknown.
  mutating func validate(in composition: Composition) throws(LabError) {
    guard let goodCommit else {
      throw .usage("bisect needs --good COMMIT, a commit without the failure.")
    }
    good = goodCommit
    guard let benchmark else {
      let counting = given.filter { ["--metric", "--size"].contains($0) }
      guard counting.isEmpty else {
        throw .usage("\(counting.joinedWithAnd) works only with --count: add --count BENCHMARK.")
      }
      guard let file else {
        throw .usage("bisect needs FILE (a plan that fails) or --count BENCHMARK --metric NAME.")
      }
      try FilePath.checkReadable(file)
      question = .replay(file: file)
      return
    }
    guard file == nil else {
      throw .usage("FILE and --count exclude each other: leave out one.")
    }
    guard let metric else {
      throw .usage(
        "--count needs --metric NAME, such as --metric \"VM steps\".",
        try: "list metrics"
      )
    }
    let count = try ExactCount(
      benchmark,
      metric: metric,
      historySize: historySize,
      in: composition
    )
    question = .count(count)
  }
}

extension BisectVerb {
  static let spec = VerbSpec(
    name: "bisect",
    sentence: "Finds the commit at which a plan began to fail, or a count changed.",
    examples: [
      Example(
        "bisect Reports/latest/counterexample-tracker-Convergence.jsonl --good HEAD~40",
        "Finds the first commit at which the plan breaks an invariant."
      ),
      Example(
        "bisect plan.jsonl --good HEAD~100 --bad HEAD~40 --json",
        "Searches only between two commits, and prints JSON."
      ),
      Example(
        "bisect --count \"fetch newest 100\" --metric \"VM steps\" --good HEAD~40",
        "Finds the first commit at which this benchmark takes more or fewer VM steps."
      ),
    ]
  ) { BisectVerb(options: $0, composition: $1, terminal: $2) }
}

/// Finds the first bad commit by building and trying commits of the repository.
struct BisectVerb: Verb {
  let options: BisectOptions
  let composition: Composition
  let terminal: Terminal
  /// A folder inside the repository; the default is the current folder.
  var place = FileManager.default.currentDirectoryPath

  func run() async throws(LabError) -> ExitCode {
    let outcome: BisectOutcome
    do { outcome = try search() } catch let error as LabError { throw error } catch is Interrupted {
      throw .interrupted
    } catch { throw .lab("the commits could not be searched: \(error)") }
    if options.json {
      let document = BisectDocument(outcome, options.question)
      terminal.print(try JSONText.document(document, named: "the result"))
    } else {
      BisectText(terminal: terminal).print(outcome)
    }
    return outcome.firstBad == nil ? .undecided : .good
  }

  private func search() throws -> BisectOutcome {
    let repository = try GitRepository(containing: place)
    let history = try BisectHistory(good: options.good, bad: options.bad, in: repository)
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "bisect-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let trial = BisectTrial(
      question: options.question,
      root: repository.root,
      folder: folder.path,
      commands: composition[BisectCommands.self],
      terminal: terminal
    )
    let outcome = Result {
      var run = BisectRun(history, options.question, on: terminal, ask: trial.answer)
      return try run.run()
    }
    try FileManager.default.removeItem(at: folder)
    return try outcome.get()
  }
}
