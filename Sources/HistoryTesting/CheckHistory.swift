internal import Checkers
internal import Foundation
// `HistorySystems` is exported so that a test needs only one import.
@_exported public import HistorySystems
internal import Reporting
public import Systems
public import Testing
internal import Traces

/// Checks with random plans that no member of a tracking design loses transactions.
///
/// A plan is a sequence of commands for several members, which save, fetch and merge history,
/// purge, stop and crash in a random order.
///
///     @Test func `My log loses nothing`() async throws {
///       try await checkHistory(of: MyLog.self, plans: 500, under: [.restart, .crash])
///     }
///
/// If plans break invariants, one issue is recorded at the call. It shows the shortest plan found
/// for the most harmful broken invariant, the command that repeats this plan, and the names of all
/// other broken invariants. The issue has two attachments: the plan as JSON lines, and a page with
/// a picture.
///
/// - Parameters:
///   - log: The type of the design.
///   - plans: The number of plans. The default is 200.
///   - conditions: The conditions that the plans may contain. The default is crashes, restarts and
///     late joins.
///   - checkers: Custom invariants, which are checked in addition to the built-in ones.
///   - seed: The seed of the plans. The default is 1, so that every run has the same plans.
///   - time: The time limit, which includes shrinking. The default is no limit.
///   - corpus: The folder of counterexamples, relative to the folder of the test's file; see the
///     trait `.history`.
///   - file: The path of the test's source file.
///   - sourceLocation: The location at which issues are recorded.
/// - Returns: The verdicts, and the failure if an invariant broke.
/// - Throws: ``HistorySettingsError`` if a setting is invalid, `CancellationError` if the test was
///   cancelled. A broken invariant does not throw.
@discardableResult
public func checkHistory<Log: HistoryLog>(
  of log: Log.Type,
  plans: Int? = nil,
  under conditions: [HistoryCondition]? = nil,
  checking checkers: [any HistoryChecker.Type] = [],
  seed: UInt64? = nil,
  time: Duration? = nil,
  corpus: String? = nil,
  file: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> HistoryReport {
  let settings = HistorySettings(plans: plans, seed: seed, time: time, corpus: corpus)
  let check = try HistoryCheck(Subject(log: log), conditions, checkers, settings, file)
  return try await check.run(sourceLocation)
}

/// Checks with random plans that no member of a real system loses transactions.
///
/// A plan is a sequence of commands, such as saves, purges and crashes, for several members.
///
///     @Test func `Our tracker loses nothing`() async throws {
///       try await checkHistory(of: MyTracker.self, plans: 500, under: [.ties, .crash, .pause])
///     }
///
/// For the parameters and the result, see `checkHistory` for a `HistoryLog`.
///
/// - Throws: ``HistorySettingsError`` if a setting is invalid, `CancellationError` if the test was
///   cancelled. A broken invariant does not throw.
@discardableResult
public func checkHistory<System: HistorySystem>(
  of system: System.Type,
  plans: Int? = nil,
  under conditions: [HistoryCondition]? = nil,
  checking checkers: [any HistoryChecker.Type] = [],
  seed: UInt64? = nil,
  time: Duration? = nil,
  corpus: String? = nil,
  file: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> HistoryReport {
  let settings = HistorySettings(plans: plans, seed: seed, time: time, corpus: corpus)
  let subject = Subject { try await System($0) }
  let check = try HistoryCheck(subject, conditions, checkers, settings, file)
  return try await check.run(sourceLocation)
}

/// Checks with random plans that no member of a real system loses transactions.
///
/// A plan is a sequence of commands, such as saves, purges and crashes, for several members.
///
/// A closure creates the system for each plan, so that the test can pass arguments to the initializer.
///
///     try await checkHistory(of: { try await MyTracker($0, batchSize: 2) }, under: [.restart])
///
/// For the parameters and the result, see `checkHistory` for a `HistoryLog`.
///
/// - Throws: ``HistorySettingsError`` if a setting is invalid, `CancellationError` if the test was
///   cancelled. A broken invariant does not throw.
@discardableResult
public func checkHistory<System: HistorySystem>(
  of make: @escaping @Sendable (HistoryEnvironment) async throws -> System,
  plans: Int? = nil,
  under conditions: [HistoryCondition]? = nil,
  checking checkers: [any HistoryChecker.Type] = [],
  seed: UInt64? = nil,
  time: Duration? = nil,
  corpus: String? = nil,
  file: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> HistoryReport {
  let settings = HistorySettings(plans: plans, seed: seed, time: time, corpus: corpus)
  let check = try HistoryCheck(Subject(make), conditions, checkers, settings, file)
  return try await check.run(sourceLocation)
}

/// The results of a call of `checkHistory`.
public struct HistoryReport: Sendable {
  /// The numbers of plans in which one invariant held or broke.
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
  /// The shrunk plan that breaks the most harmful broken invariant; `nil` if no invariant broke.
  public let failure: HistoryFailure?
  /// The number of jobs that other threads enqueued on the executors of the plans.
  ///
  /// The seed does not determine the order of these jobs; see `SeededExecutor`.
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
  /// The plan, its events and the verdict, as a file that ``counterexamples(in:file:)`` finds.
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
    // All users of a machine may share the temporary folder, so each user gets a separate folder in
    // it.
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
