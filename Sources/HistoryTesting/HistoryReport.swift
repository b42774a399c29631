internal import Checkers
internal import Foundation
internal import Reporting
internal import Testing
internal import Traces

/// The results of a check.
public struct HistoryReport: Sendable {
  /// The numbers of verdicts on one invariant.
  public struct Invariant: Hashable, Sendable {
    /// The checker's name.
    public let name: String
    /// The number of plans in which the invariant was exercised and held.
    public let heldCount: Int
    /// The number of plans that broke the invariant.
    public let brokenCount: Int
  }

  /// The seed of the plans.
  let seed: UInt64
  /// The number of plans that ran.
  public let planCount: Int
  /// The verdicts, in the order of the checkers; custom checkers come last.
  public let invariants: [Invariant]
  /// The shortest plan for the most harmful broken invariant, which the recorded issue shows.
  public let failure: HistoryFailure?
  /// The number of jobs that other threads enqueued; the seed does not determine their order.
  ///
  /// The documentation of `SeededExecutor` states which jobs these are.
  public let uncontrolledJobCount: Int
}

/// A plan that broke an invariant, after shrinking.
public struct HistoryFailure: Sendable {
  /// The name of the checker that found the violation.
  public let checker: String
  /// The number of commands of the shrunk plan.
  let commandCount: Int
  /// The plan as a table, the violation in sentences, and the command that repeats the plan.
  public let text: String
  /// The plan with its events and the verdict, in the format that ``counterexamples(in:file:)`` reads.
  let jsonLines: String
  /// An HTML page with a picture of the plan.
  let html: String
}

extension HistoryFailure {
  /// Creates the failure's text, file and page from a counterexample.
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

  /// Records the failure as an issue of a test, with the file and the page as attachments.
  ///
  /// The file and the page are also written to the temporary folder, because attachments are only
  /// kept if the tests are run with `--attachments-path`.
  func record(_ system: String, at place: SourceLocation) {
    let picture = Self.file(system, checker, "html")
    let lines = Self.file(system, checker, "jsonl")
    Attachment.record(jsonLines, named: lines, sourceLocation: place)
    Attachment.record(html, named: picture, sourceLocation: place)
    // Users of one machine share the temporary folder.
    let folder = NSTemporaryDirectory() + "history-testing-\(NSUserName())"
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

  /// Returns a file name for a system and a broken invariant.
  static func file(_ system: String, _ checker: String, _ ending: String) -> String {
    let plain = system.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    return "\(String(plain))-\(checker).\(ending)"
  }
}

/// The name of the running test.
enum TestName {
  /// The test's name as `--filter` accepts it; `nil` outside of a test.
  static var current: String? {
    guard let test = Test.current else { return nil }
    let name = test.name.hasSuffix("()") ? String(test.name.dropLast(2)) : test.name
    return name.filter { $0 != "`" }
  }
}
