internal import Foundation
public import Systems
public import Testing
internal import Traces

/// A counterexample in a file.
public struct SavedCounterexample: Hashable, Sendable, CustomTestStringConvertible {
  let name: String
  let path: String

  /// The name of the file.
  public var testDescription: String { name }
}

/// Returns the counterexamples of a folder, for a test with arguments.
///
///     @Test(arguments: try counterexamples(in: "Counterexamples"))
///     func `Saved counterexamples hold`(_ saved: SavedCounterexample) async throws {
///       try await replayHistory(saved, on: MyTracker.self)
///     }
///
/// - Parameters:
///   - folder: The folder, relative to the test's file.
///   - file: The path of the test's file.
/// - Returns: The files with the ending `.jsonl`, sorted by name.
/// - Throws: ``HistorySettingsError`` if there is no such folder.
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
/// - Throws: ``HistorySettingsError`` if the file cannot be read.
public func replayHistory<Log: HistoryLog>(
  _ saved: SavedCounterexample,
  on log: Log.Type,
  checking checkers: [any HistoryChecker.Type] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try await CounterexampleReplay(Subject(log: log), checkers, saved).run(sourceLocation)
}

/// Runs the plan of a counterexample on a real system, and records an issue if it breaks an
/// invariant.
///
/// See ``counterexamples(in:file:)`` for an example.
///
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

/// The replay of one counterexample.
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
        note: "It broke before: \(saved.path)",
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
    if let trouble = runner.trouble { throw SystemFailure(.crashed, trouble.clause) }
    let violations = verdicts.answers.compactMap { answer -> Violation? in
      if case .invalid(let violation) = answer.verdict { violation } else { nil }
    }
    return violations.min { $0.at < $1.at }.map { Counterexample(trace: trace, violation: $0) }
  }
}
