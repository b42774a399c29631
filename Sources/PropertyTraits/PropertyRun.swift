import Dispatch
import Foundation
import PropertyTesting
import Testing

/// One call of `property`: its settings, its cases and its issue.
struct PropertyRun: Sendable {
  /// A closure that draws values, reports them as text, and checks them.
  typealias Body = @Sendable (inout ChoiceSource, Shows) async throws -> Void
  /// A closure that receives the values of a case as text, and the source that they came from.
  typealias Shows = @Sendable (String, ChoiceSource) -> Void

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

  /// Runs the cases, adds a failing case to the corpus, and records an issue if the run failed.
  func check(_ body: @escaping Body) async throws -> PropertyResult {
    let unfinished = UnfinishedCase(Self.name(at: place), seed: seed, corpus)
    try unfinished.reportEarlier()
    let runner = try runner()
    if settings.seed == nil, settings.replay == nil { unfinished.saySeed() }
    let running = unfinished.begin()
    defer { running?.remove() }
    let (recorder, exchange) = (IssueRecorder(), CaseExchange())
    exchange.start(runner)
    // A cancelled task stops reading questions.
    defer { exchange.abandon() }
    try await recorder.collect {
      for await var source in exchange.questions where !Task.isCancelled {
        running?.note(unfinished.repeating)
        let result = await Self.result(of: body, &source, recorder) { values, source in
          running?.note(unfinished.text(values, source))
        }
        exchange.reply(result, source)
      }
    }
    try Task.checkCancellation()
    guard let result = exchange.finalResult() else { throw CancellationError() }
    if settings.showsStatistics == true { print(report(result).statistics) }
    if let failure = result.failure { try corpus?.add(failure.shrunk.sequence) }
    if let text = report(result).text {
      Issue.record(Comment(rawValue: text), sourceLocation: place)
    }
    return result
  }

  private func report(_ result: PropertyResult) -> PropertyReport {
    PropertyReport(result: result, name: Self.name(at: place), isReplay: settings.replay != nil)
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
          meaning: "one that a failure showed, like 1:0,2x1"
        )
      }
      return PropertyRunner(seed: seed, cases: 0, budget: budget, examples: [sequence])
    }
    let examples = try corpus?.examples() ?? []
    // With a time limit but no number of cases, only the time limits the run.
    let cases = settings.cases ?? (settings.time == nil ? 200 : 1_000_000_000)
    return PropertyRunner(seed: seed, cases: cases, budget: budget, examples: examples)
  }

  /// Runs one case; a failed expectation fails the case like a thrown error.
  private static func result(
    of body: Body,
    _ source: inout ChoiceSource,
    _ recorder: IssueRecorder,
    noting: @escaping Shows
  ) async -> CaseResult {
    let values = ShownValues()
    var thrown: (any Error)?
    do {
      try await body(&source) { text, source in
        values.text = text
        noting(text, source)
      }
    } catch {
      thrown = error
    }
    if let issue = recorder.take().first {
      let label = issue.sourceLocation.map { "\($0.fileID):\($0.line)" } ?? "issue"
      return .failed(label: label, message: joined(values.text, "\(issue)"))
    }
    guard let thrown else { return .passed }
    let result = CaseResult.of(thrown, &source)
    guard case .failed(let label, let message) = result else { return result }
    return .failed(label: label, message: joined(values.text, message))
  }

  private static func joined(_ values: String, _ reason: String) -> String {
    values.isEmpty ? reason : values + "\n" + reason
  }

  /// Returns values as text, with strings in quotes.
  static func text(of values: [Any]) -> String {
    values.map { $0 is String ? String(reflecting: $0) : String(describing: $0) }
      .joined(separator: ", ")
  }

  /// Returns the name of the test, or the file and line outside of a test.
  private static func name(at place: SourceLocation) -> String {
    guard let test = Test.current else { return "\(place.fileID):\(place.line)" }
    let name = test.name.hasSuffix("()") ? String(test.name.dropLast(2)) : test.name
    return name.filter { $0 != "`" }
  }
}

/// The values of a case as text; its body writes them before its result is read.
private final class ShownValues: @unchecked Sendable {
  var text = ""
}

/// The text of the issue that a run records.
struct PropertyReport {
  let result: PropertyResult
  /// The name of the test.
  let name: String
  let isReplay: Bool

  /// The text of the issue, or `nil` if the run succeeded.
  var text: String? {
    switch result.outcome {
    case .passed: nil
    case .failed: result.failure.map(failed)
    case .tooManyDiscarded:
      "\(result.counts.discarded) of \(result.counts.total) cases were discarded"
        + "\(reasons); make values that fit instead of filtering them. \(seedNote)"
    case .vacuous:
      "None of \(result.counts.total) cases could have failed: the property is vacuous. \(seedNote)"
    case .notCovered:
      "Too few cases were what the property requires: "
        + result.statistics.missed.map(coverage).joined(separator: "; ") + ". \(seedNote)"
    case .outOfTime: result.counts.passed > 0 ? nil : "The time was over before a case passed."
    }
  }

  /// The statistics of the cases in readable form.
  var statistics: String { "\(name): \(result.statistics)" }

  private var seedNote: String { "Seed: \(result.seed)." }

  private var reasons: String {
    let reasons = result.statistics.rejections.keys.sorted().prefix(3)
    return reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
  }

  private func coverage(_ label: String) -> String {
    guard let required = result.statistics.coverage[label] else { return label }
    return "\(required.count) of \(required.total) were \"\(label)\", "
      + "\(required.share * 100) % are required"
  }

  private func failed(_ failure: PropertyFailure) -> String {
    let shrunk = failure.shrunk
    var lines = [headline(shrunk.ending), shrunk.message]
    if !isReplay {
      lines.append(
        "Case \(failure.caseIndex + 1) of seed \(result.seed) failed. It was simplified "
          + "\(shrunk.improvements) times in \(shrunk.evaluations) further runs."
      )
    }
    lines.append("Replay: PROPERTY_REPLAY='\(failure.replayLine)' swift test --filter '\(name)'")
    return lines.joined(separator: "\n")
  }

  private func headline(_ ending: ShrinkResult.Ending) -> String {
    switch ending {
    case .fixedPoint: "The property fails, at its simplest for"
    case .flaky: "The property is flaky: it failed once, but not again for the same choices:"
    case .outOfEvaluations, .outOfTime: "The property fails (simpler cases may be left) for"
    }
  }
}

/// A recorder that intercepts the issues of a case before they reach the test.
final class IssueRecorder: @unchecked Sendable {
  private let lock = NSLock()
  private var issues: [Issue] = []

  /// Runs a body and collects its issues, except known issues and warnings, which are dropped.
  ///
  /// Outside of a test, issues cannot be intercepted and are recorded as usual.
  func collect(_ body: @escaping @Sendable () async throws -> Void) async throws {
    guard let test = Test.current else { return try await body() }
    let trait: IssueHandlingTrait = .compactMapIssues { [self] issue in
      if issue.isFailure { lock.withLock { issues.append(issue) } }
      return nil
    }
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }

  /// Returns the issues collected since the last call.
  func take() -> [Issue] {
    lock.withLock {
      defer { issues = [] }
      return issues
    }
  }
}

/// Passes cases from the thread that searches to the task that runs them, one at a time.
///
/// The search is a synchronous loop, but the body of a property may await. The loop therefore has
/// its own thread, which blocks while the task runs a case. The body runs in the task of its test,
/// with the task-local values of that test.
final class CaseExchange: @unchecked Sendable {
  typealias Answer = (result: CaseResult, source: ChoiceSource)

  /// The cases to run; each must be answered before the next one is sent.
  let questions: AsyncStream<ChoiceSource>
  private let asked: AsyncStream<ChoiceSource>.Continuation
  private let answered = DispatchSemaphore(value: 0)
  /// Written before a signal of `answered`, and read after it.
  private var answer: Answer?
  private let lock = NSLock()
  private var result: PropertyResult?
  private var isAbandoned = false

  init() { (questions, asked) = AsyncStream.makeStream() }

  /// Starts the search; the reader of `questions` must run the cases and reply.
  ///
  /// After ``abandon()``, the budget's clock jumps past its deadline.
  func start(_ runner: PropertyRunner) {
    var runner = runner
    let clock = runner.budget.clock
    runner.budget.time = runner.budget.time ?? .seconds(1_000_000_000)
    runner.budget.clock = { [self] in
      lock.withLock { isAbandoned } ? .seconds(1_000_000_000_000) : clock?() ?? .zero
    }
    run(runner)
  }

  private func run(_ runner: PropertyRunner) {
    let thread = Thread { [self] in
      let found = runner.run { source in ask(&source) }
      lock.withLock { result = found }
      asked.finish()
    }
    // Generators recurse, and secondary threads have a stack of half a megabyte by default.
    thread.stackSize = 16 << 20
    thread.start()
  }

  private func ask(_ source: inout ChoiceSource) -> CaseResult {
    guard !lock.withLock({ isAbandoned }) else { return .discarded }
    var question = ChoiceSource(replaying: ChoiceSequence())
    swap(&question, &source)
    asked.yield(question)
    answered.wait()
    let answer = lock.withLock {
      defer { self.answer = nil }
      return self.answer
    }
    guard let answer else { return .discarded }
    source = answer.source
    return answer.result
  }

  /// Replies to the last question with the result of its case.
  func reply(_ result: CaseResult, _ source: ChoiceSource) {
    lock.withLock { answer = (result, source) }
    answered.signal()
  }

  /// Finishes the search soon, without a reply to its last question.
  ///
  /// The reader of `questions` calls it when it stops reading. Calling it after the last question
  /// has no effect.
  func abandon() {
    lock.withLock { isAbandoned = true }
    answered.signal()
  }

  /// Returns the result of the search, or `nil` before the questions have ended.
  func finalResult() -> PropertyResult? { lock.withLock { result } }
}
