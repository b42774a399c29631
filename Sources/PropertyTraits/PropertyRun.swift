import Foundation
import PropertyTesting
import Synchronization
import Testing

/// One call of `property`: its settings, its cases and its issues.
struct PropertyRun: Sendable {
  private let settings: PropertySettings
  private let place: SourceLocation
  private let corpus: Corpus?
  private let seed: UInt64

  init(replay: String?, _ place: SourceLocation) throws {
    let environment = try PropertySettings(environment: ProcessInfo.processInfo.environment)
    settings = environment.or(PropertySettings(replay: replay)).or(.current)
    self.place = place
    seed = settings.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
    corpus = settings.corpus.map { Corpus(folder: $0, property: Self.name(at: place)) }
  }

  /// Runs the cases, adds a failing case to the corpus, and records issues if the run failed.
  func check(
    _ body: IsolatedBody,
    on isolation: isolated (any Actor)?
  ) async throws -> PropertyResult {
    let call = PropertyCall(at: place)
    if let served = CaseServer.place {
      guard served == call?.place else { return none }
      try await CaseServer(body: body).run(on: isolation)
    }
    let runner = try runner()
    let seedNote = SeedNote(name: Self.name(at: place), seed: seed)
    if settings.seed == nil, settings.replay == nil { seedNote.print() }
    let traps = corpus.map { TrappedCases($0, suffix: call?.suffix ?? "") }
    if let result = try await catchTraps(runner, call, traps) { return result }
    let running = traps.flatMap { seedNote.file($0.running) }
    defer { running?.remove() }
    let recorder = IssueRecorder()
    let found = Mutex<CaseSearch.Found?>(nil)
    try await recorder.collect {
      let search = CaseSearch(body: body, runner: runner, recorder: recorder, running: running)
      let result = try await search.run(on: isolation)
      found.withLock { $0 = result }
    }
    try Task.checkCancellation()
    guard let found = found.withLock({ $0 }) else { throw CancellationError() }
    if let failure = found.result.failure { try corpus?.add(failure.shrunk.sequence) }
    try await report(found)
    return found.result
  }

  /// An empty result, for a call of `property` that could not run any case.
  private var none: PropertyResult {
    CaseLoop(PropertyRunner(seed: seed, cases: 0)).result { _ in .passed }
  }

  /// Runs in child processes the cases that trapped in earlier runs, or all cases if requested.
  ///
  /// - Returns: The result; `nil` if all cases remain to be run in this process.
  private func catchTraps(
    _ runner: PropertyRunner,
    _ call: PropertyCall?,
    _ traps: TrappedCases?
  ) async throws -> PropertyResult? {
    let catchesAll = settings.catchesTraps ?? false
    let earlier = settings.replay == nil ? try traps?.take() ?? [] : []
    guard catchesAll || !earlier.isEmpty else { return nil }
    var runner = runner
    if !catchesAll { (runner.cases, runner.examples) = (0, []) }
    let found: CaseSearch.Found
    do {
      guard let call else { throw TrapSearch.Unavailable(clause: "they run outside of a test") }
      found = try await TrapSearch(call: call, runner: runner).run(earlier)
    } catch let error as TrapSearch.Unavailable {
      let cases = earlier.isEmpty ? "" : " The cases that trapped: \(earlier)."
      Issue.record(
        "The cases of \(Self.name(at: place)) cannot be run in a child process: \(error.clause).\(cases)",
        sourceLocation: place
      )
      return none
    }
    guard let shrunk = found.result.failure?.shrunk else {
      // A case that no longer traps runs in this process from now on.
      for case .sequence(let sequence) in earlier { try corpus?.add(sequence) }
      try traps?.write([])
      if !catchesAll { return nil }
      try await report(found)
      return found.result
    }
    let isTrap = shrunk.label.hasPrefix(CaseWorker.labelPrefix)
    try traps?.write(isTrap ? [.sequence(shrunk.sequence)] : [])
    if !isTrap { try corpus?.add(shrunk.sequence) }
    try await report(found)
    return found.result
  }

  private func report(_ found: CaseSearch.Found) async throws {
    let report = PropertyReport(
      result: found.result,
      name: Self.name(at: place),
      values: found.values,
      isReplay: settings.replay != nil
    )
    if settings.showsStatistics == true { print(report.statistics) }
    if let issue = found.issue {
      try await IssueRecorder.record(issue, "In the simplest failing case.")
    }
    if let text = report.text {
      Issue.record(Comment(rawValue: text), sourceLocation: place)
    }
  }

  /// Creates the runner: for all examples and cases, or for the single case to replay.
  private func runner() throws -> PropertyRunner {
    let clock = ContinuousClock()
    let start = clock.now
    let budget = Budget(time: settings.time) { start.duration(to: clock.now) }
    if let line = settings.replay {
      guard let sequence = ChoiceSequence(line) else {
        throw PropertySettingsError(
          name: "The line to replay",
          value: line,
          meaning: "a line that a failure printed, like 1:0,2x1"
        )
      }
      return PropertyRunner(seed: seed, cases: 0, budget: budget, examples: [sequence])
    }
    let examples = try corpus?.examples() ?? []
    // With a time limit but no number of cases, only the time limits the run.
    let cases = settings.cases ?? (settings.time == nil ? 200 : 1_000_000_000)
    return PropertyRunner(seed: seed, cases: cases, budget: budget, examples: examples)
  }

  /// Returns the name of the test, or the file and line outside of a test.
  private static func name(at place: SourceLocation) -> String {
    guard let test = Test.current else { return "\(place.fileID):\(place.line)" }
    let name = test.name.hasSuffix("()") ? String(test.name.dropLast(2)) : test.name
    return name.filter { $0 != "`" }
  }
}

/// A search for a failing case, which runs all cases in the task of the test.
struct CaseSearch: Sendable {
  /// The result of a run, with the issue and the values of the simplest failing case.
  ///
  /// `values` is empty if no case failed, or if the failure message already contains the values.
  typealias Found = (result: PropertyResult, issue: Issue?, values: String)

  let body: IsolatedBody
  let runner: PropertyRunner
  let recorder: IssueRecorder
  let running: RunningCase?

  /// Runs cases until one fails, and shrinks it.
  ///
  /// - Throws: `CancellationError` if the task was cancelled.
  func run(on isolation: isolated (any Actor)?) async throws -> Found {
    var loop = CaseLoop(runner)
    var issue: Issue?
    while !Task.isCancelled, loop.start() {
      if let running { note(loop, in: running) }
      let (outcome, failed) = await body.run(&loop.source, recorder, on: isolation)
      loop.finish(outcome)
      if failed != nil { issue = failed }
    }
    try Task.checkCancellation()
    guard loop.hasFailed else { return (loop.result { _ in .passed }, nil, "") }
    return try await shrink(loop, issue, on: isolation)
  }

  /// Shrinks the failing case of a run; this task runs each simpler candidate.
  ///
  /// The search for candidates runs on a thread of its own, which blocks while this task runs one.
  private func shrink(
    _ loop: CaseLoop,
    _ issue: Issue?,
    on isolation: isolated (any Actor)?
  ) async throws -> Found {
    let exchange = CaseExchange()
    exchange.start { ask in loop.result(nil, ask) }
    // A cancelled task stops reading questions.
    defer { exchange.abandon() }
    var simplest = issue.map { ($0, loop.source.sequence) }
    for await var source in exchange.questions where !Task.isCancelled {
      if let running { running.note(source.replayed) }
      let (outcome, failed) = await body.run(&source, recorder, on: isolation)
      if let failed, let (issue, sequence) = simplest, issue.label == failed.label,
        source.sequence < sequence
      {
        simplest = (failed, source.sequence)
      }
      exchange.reply(outcome, source)
    }
    try Task.checkCancellation()
    guard let result = exchange.finalResult() else { throw CancellationError() }
    return (result, simplest?.0, "")
  }

  private func note(_ loop: CaseLoop, in running: RunningCase) {
    if let seed = loop.seed { running.note(seed) } else { running.note(loop.source.replayed) }
  }
}

extension Issue {
  /// The label of a failure with this issue: the file and line of the issue.
  var label: String { sourceLocation.map { "\($0.fileID):\($0.line)" } ?? "issue" }
}

extension PropertyCall {
  /// Creates the identity of a call of `property` in the current test; `nil` outside of a test.
  ///
  /// By the identity, a child process recognizes the call whose cases it must run.
  init?(at place: SourceLocation) {
    guard let test = Test.current, let testCase = Test.Case.current else { return nil }
    self.test = "\(test.id)"
    suffix = testCase.isParameterized ? "\(Self.hash("\(testCase)"))." : ""
    self.place = "\(place.fileID):\(place.line):\(place.column):\(suffix)"
  }

  /// The FNV-1a hash of a text, in hexadecimal digits.
  private static func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return String(hash, radix: 16)
  }
}

/// The seed of a run, and messages that say how to repeat the run after a trap has ended it.
struct SeedNote: Sendable {
  /// The name of the test.
  let name: String
  let seed: UInt64

  private var command: String { "PROPERTY_SEED=\(seed) swift test --filter '\(name)'" }

  /// Prints the seed, with which the run can be repeated if a trap ends it.
  func print() { Self.say("\(name): PROPERTY_SEED=\(seed)") }

  /// Creates the file that contains the running case; `nil` if the file cannot be created.
  ///
  /// Without the file, a case that ends the process with a trap is lost, so a warning is printed.
  func file(_ url: URL, warn: (String) -> Void = Self.say) -> RunningCase? {
    let footer = "This case was running. Run all cases again: \(command)\n"
    if let running = RunningCase(url, footer: footer) { return running }
    warn(
      "\(name): \(url.path) cannot be written, so a case that traps would be lost. "
        + "Choose another corpus folder, or repeat all cases with PROPERTY_SEED=\(seed)."
    )
    return nil
  }

  /// Prints a line on standard error without buffering, because a trap would discard a buffer.
  private static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
