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
