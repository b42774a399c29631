internal import Foundation
public import Systems
public import Testing
internal import Traces

/// A file that contains a counterexample, as an argument of a parameterized test.
public struct SavedCounterexample: Hashable, Sendable, CustomTestStringConvertible {
  let name: String
  let path: String

  /// The file's name, which test results show as the argument.
  public var testDescription: String { name }
}

/// Returns the counterexamples in a folder, as arguments of a parameterized test.
///
///     @Test(arguments: try counterexamples(in: "Counterexamples"))
///     func `Saved counterexamples hold`(_ saved: SavedCounterexample) async throws {
///       try await replayHistory(saved, on: MyTracker.self)
///     }
///
/// - Parameters:
///   - folder: The folder, relative to the folder of the test's file.
///   - file: The path of the test's source file.
/// - Returns: The files whose names end in `.jsonl`, sorted by name.
/// - Throws: ``HistorySettingsError`` if the folder does not exist.
public func counterexamples(
  in folder: String,
  file: String = #filePath
) throws -> [SavedCounterexample] {
  let corpus = CorpusFolder(folder, from: file)
  guard corpus.exists else {
    throw HistorySettingsError(
      "There is no folder \(corpus.path). Create it, and put .jsonl files of failures there."
    )
  }
  return try corpus.files()
}

/// Runs the plan of a counterexample on a design, and records an issue if it breaks an invariant.
///
/// See ``counterexamples(in:file:)`` for an example.
///
/// - Parameters:
///   - saved: The counterexample.
///   - log: The type of the design.
///   - checkers: Custom invariants, in addition to the built-in ones. The default is none.
///   - sourceLocation: The location at which the issue is recorded.
/// - Throws: ``HistorySettingsError`` if the file cannot be read.
public func replayHistory<Log: HistoryLog>(
  _ saved: SavedCounterexample,
  on log: Log.Type,
  checking checkers: [any HistoryChecker.Type] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try await CounterexampleReplay(Subject(log: log), checkers, saved).run(sourceLocation)
}

/// Runs a counterexample's plan on a real system, and records an issue if it breaks an invariant.
///
/// See ``counterexamples(in:file:)`` for an example.
///
/// - Parameters:
///   - saved: The counterexample.
///   - system: The type of the system.
///   - checkers: Custom invariants, in addition to the built-in ones. The default is none.
///   - sourceLocation: The location at which the issue is recorded.
/// - Throws: ``HistorySettingsError`` if the file cannot be read, or contains commands that the
///   system does not support.
public func replayHistory<System: HistorySystem>(
  _ saved: SavedCounterexample,
  on system: System.Type,
  checking checkers: [any HistoryChecker.Type] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let subject = Subject { try await System($0) }
  try await CounterexampleReplay(subject, checkers, saved).run(sourceLocation)
}

struct CounterexampleReplay: Sendable {
  private let subject: Subject
  private let checkers: [any HistoryChecker.Type]
  private let saved: SavedCounterexample

  init(
    _ subject: Subject,
    _ checkers: [any HistoryChecker.Type],
    _ saved: SavedCounterexample
  ) {
    (self.subject, self.checkers, self.saved) = (subject, checkers, saved)
  }

  /// Runs the plan, and records an issue for the first invariant that it breaks.
  func run(_ place: SourceLocation) async throws {
    let plan = try plan()
    let found = await OwnThread.run { () -> Result<Counterexample?, SystemFailure> in
      do throws(SystemFailure) { return .success(try counterexample(plan)) } catch {
        return .failure(error)
      }
    }
    switch found {
    case .success(let counterexample?):
      let name = TestName.current ?? subject.name
      HistoryFailure(
        counterexample,
        checkers,
        note: "Saved counterexample: \(saved.path)",
        replay: "swift test --filter '\(name)'"
      ).record(name, at: place)
    case .success(nil): return
    case .failure(let failure):
      throw HistorySettingsError(
        "\(saved.name) could not be replayed on \(subject.name): \(failure.message)"
      )
    }
  }

  private func plan() throws -> Plan {
    do {
      return try LabFile(String(contentsOfFile: saved.path, encoding: .utf8)).plan
    } catch let error as FormatError {
      throw HistorySettingsError("\(saved.path): \(error.description)")
    }
  }

  private func counterexample(_ plan: Plan) throws(SystemFailure) -> Counterexample? {
    let runner = PlanRunner(subject, checkers)
    defer { runner.close() }
    let (verdicts, trace) = try runner.run(plan)
    if let runFailure = runner.runFailure { throw SystemFailure(.crashed, runFailure.clause) }
    let violations = verdicts.answers.compactMap { answer -> Violation? in
      if case .invalid(let violation) = answer.verdict { violation } else { nil }
    }
    return violations.min { $0.at < $1.at }.map { Counterexample(trace: trace, violation: $0) }
  }
}

/// A folder that contains counterexamples.
struct CorpusFolder: Sendable {
  private let url: URL

  /// Describes the folder at a path; a relative path starts at the folder of the given source file.
  init(_ path: String, from file: String) {
    let base = URL(filePath: file).deletingLastPathComponent()
    url = path.hasPrefix("/") ? URL(filePath: path) : base.appending(path: path)
  }

  /// The folder's path.
  var path: String { url.path(percentEncoded: false) }

  /// Whether the folder exists.
  var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// Returns the counterexamples, sorted by name; empty if the folder does not exist yet.
  func files() throws -> [SavedCounterexample] {
    guard exists else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { $0.hasSuffix(".jsonl") }.sorted()
      .map { SavedCounterexample(name: $0, path: url.appending(path: $0).path) }
  }

  /// Writes a counterexample into the folder, under a name that depends on its content.
  func add(_ failure: HistoryFailure) throws {
    try create()
    let name = "\(failure.checker)-\(Self.hash(failure.jsonLines)).jsonl"
    try failure.jsonLines.write(
      to: url.appending(path: name),
      atomically: true,
      encoding: .utf8
    )
  }

  /// Returns the command that repeats the plan during which the last run of the test crashed.
  ///
  /// The result is `nil` if the last run did not crash.
  func unfinished(_ test: String) -> String? {
    let text = try? String(contentsOf: place(of: test), encoding: .utf8)
    return text?.isEmpty == false ? text : nil
  }

  /// Creates the file that records which plan a test is running.
  ///
  /// - Throws: an error of the file system when the file cannot be written. Without the file, a
  ///   trap would leave no record of its plan.
  func mark(_ test: String) throws -> PlanMark {
    try create()
    let mark = PlanMark(url: place(of: test))
    try Data().write(to: mark.url)
    return mark
  }

  private func place(of test: String) -> URL {
    url.appending(path: HistoryFailure.file(test, "unfinished", "txt"))
  }

  private func create() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// The FNV-1a hash of a text, in hexadecimal digits.
  private static func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return String(hash, radix: 16)
  }
}

/// A file that contains the command to repeat the plan that is running.
///
/// If a runtime trap ends the process, the file remains and names the plan.
struct PlanMark: Sendable {
  let url: URL

  /// Replaces the file's contents by the shell command that repeats the running plan.
  ///
  /// A failure to write is ignored, because plans also run without this file.
  func write(_ command: String) { try? Data(command.utf8).write(to: url) }

  func remove() { try? FileManager.default.removeItem(at: url) }
}
