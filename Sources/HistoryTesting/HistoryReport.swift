internal import Checkers
internal import Foundation
internal import Reporting
internal import Testing
internal import Traces

/// The results of a check.
public struct HistoryReport: Sendable {
  /// The verdicts on one invariant.
  public struct Invariant: Hashable, Sendable {
    /// The name of the checker.
    public let name: String
    /// The number of plans that exercised the invariant, and in which it held.
    public let heldCount: Int
    /// The number of plans that broke it.
    public let brokenCount: Int
  }

  /// The seed of the plans.
  let seed: UInt64
  /// The number of plans that ran.
  public let planCount: Int
  /// The verdicts, in the order of the checkers; those of one's own come last.
  public let invariants: [Invariant]
  /// The shortest plan for the most harmful broken invariant, which was recorded as an issue.
  public let failure: HistoryFailure?
  /// The number of jobs that came from other threads, whose order the seed does not decide.
  ///
  /// See `SeededExecutor`.
  public let uncontrolledJobCount: Int
}

/// A plan that broke an invariant, made as short as possible.
public struct HistoryFailure: Sendable {
  /// The name of the checker.
  public let checker: String
  /// The number of commands of the shortened plan.
  let commandCount: Int
  /// The table of the plan, the sentences and the command that repeats it.
  public let text: String
  /// The plan with its events and the verdict: a file that ``counterexamples(in:file:)`` reads.
  let jsonLines: String
  /// A page with a picture of the plan.
  let html: String
}

extension HistoryFailure {
  /// Creates a failure with its text, its file and its page.
  init(
    _ counterexample: Counterexample,
    _ checkers: [any HistoryChecker.Type],
    note: String?,
    replay: String
  ) {
    let name = counterexample.violation.checker
    let own = checkers.first { $0.name == name }
      .map { "Verifies: \($0.verifies). Does not verify: \($0.doesNotVerify)." }
    let table = CounterexampleText().render(counterexample, replay: replay)
    checker = name
    commandCount = counterexample.trace.header.plan.commands.count
    text = [own, note].compactMap(\.self).reduce(table) { $0 + $1 + "\n" }
    jsonLines = CounterexampleCodec.encode(counterexample)
    let page = CounterexamplePage(
      counterexample,
      meaning: own ?? CheckerSuite.sentence(of: name),
      replay: replay,
      file: Self.file(counterexample.trace.header.system, name, "jsonl")
    )
    html = page.html()
  }

  /// Records the failure as an issue of a test, with its file and its page as attachments.
  ///
  /// Both are also left in the temporary folder: attachments are only kept if the tests are run
  /// with `--attachments-path`.
  func record(_ system: String, at place: SourceLocation) {
    let picture = Self.file(system, checker, "html")
    let lines = Self.file(system, checker, "jsonl")
    Attachment.record(jsonLines, named: lines, sourceLocation: place)
    Attachment.record(html, named: picture, sourceLocation: place)
    let folder = NSTemporaryDirectory() + "history-testing"
    var text = text
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try jsonLines.write(toFile: "\(folder)/\(lines)", atomically: true, encoding: .utf8)
      try html.write(toFile: "\(folder)/\(picture)", atomically: true, encoding: .utf8)
      text += "Picture: \(folder)/\(picture)"
    } catch {
      text += "The picture could not be written to \(folder): \(error.localizedDescription)"
    }
    Issue.record(Comment(rawValue: text), sourceLocation: place)
  }

  /// Returns a name for a file about a broken invariant.
  static func file(_ system: String, _ checker: String, _ ending: String) -> String {
    let plain = system.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    return "\(String(plain))-\(checker).\(ending)"
  }
}

/// The name of the running test.
enum TestName {
  /// The name, as `--filter` accepts it; `nil` outside of a test.
  static var current: String? {
    guard let test = Test.current else { return nil }
    let name = test.name.hasSuffix("()") ? String(test.name.dropLast(2)) : test.name
    return name.filter { $0 != "`" }
  }
}
