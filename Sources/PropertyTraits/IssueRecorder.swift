import PropertyTesting
import Synchronization
import Testing

/// A recorder that intercepts the issues of a case before they reach the test.
final class IssueRecorder: Sendable {
  /// The first failure of a case, or else its first known issue.
  private let first = Mutex<Issue?>(nil)

  /// Runs a body and collects its issues, except warnings, which are dropped.
  ///
  /// Outside of a test, issues cannot be intercepted and are recorded as usual.
  func collect(_ body: @escaping @Sendable () async throws -> Void) async throws {
    guard let test = Test.current else { return try await body() }
    let trait: IssueHandlingTrait = .compactMapIssues { [self] issue in
      if issue.severity >= .error {
        first.withLock { first in
          if first == nil || issue.isFailure && first?.isFailure == false { first = issue }
        }
      }
      return nil
    }
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }

  /// Removes and returns the first failure since the last call, or else the first known issue.
  func take() -> Issue? {
    first.withLock { first in
      defer { first = nil }
      return first
    }
  }

  /// Returns whether an issue fails the case of the property in which it was recorded.
  ///
  /// An issue that is not known fails its case. A known issue does not fail its case if the body
  /// itself calls `withKnownIssue`. If the whole property is inside `withKnownIssue`, known issues
  /// fail the case. To distinguish the two, this function records another issue outside of the
  /// body, which is known only if the whole property is inside `withKnownIssue`.
  static func isFailure(_ issue: Issue) async -> Bool {
    if issue.isFailure { return true }
    guard let test = Test.current, let place = issue.sourceLocation else { return false }
    let isKnown = Mutex(false)
    let trait: IssueHandlingTrait = .compactMapIssues { issue in
      isKnown.withLock { $0 = !issue.isFailure }
      return nil
    }
    try? await trait.provideScope(for: test, testCase: Test.Case.current) {
      Issue.record("Is an issue known here?", sourceLocation: place)
    }
    return isKnown.withLock { $0 }
  }

  /// Records an intercepted issue again, with its own source location and values.
  static func record(_ issue: Issue, _ comment: Comment) async throws {
    guard let test = Test.current else { return }
    var issue = issue
    issue.comments.append(comment)
    let trait: IssueHandlingTrait = .compactMapIssues { [issue] _ in issue }
    try await trait.provideScope(for: test, testCase: Test.Case.current) { Issue.record(comment) }
  }
}

/// The text of the issue that a run records.
struct PropertyReport {
  let result: PropertyResult
  /// The name of the test.
  let name: String
  /// The values of the failing case; empty if the failure's message contains them.
  var values = ""
  let isReplay: Bool

  /// The text of the issue, or `nil` if the run succeeded.
  var text: String? {
    switch result.outcome {
    case .passed: nil
    case .failed: result.failure.map(failed)
    case .tooManyDiscarded:
      "\(result.counts.discarded) of \(Self.counted(result.counts.total, "case")) were discarded"
        + "\(reasons(result.statistics.rejections)); generate suitable values instead of filtering. "
        + seedNote
    case .vacuous:
      "\(result.counts.vacuous) of \(Self.counted(result.counts.total, "case")) could not have failed"
        + "\(reasons(result.statistics.vacuities)): the property is vacuous; generate cases that "
        + "test it. \(seedNote)"
    case .notCovered:
      "Too few cases belong to the required classes: "
        + result.statistics.missed.map(coverage).joined(separator: "; ")
        + ". Generate more of these cases. \(seedNote)"
    case .outOfTime:
      result.counts.passed > 0
        ? nil
        : "No case passed within the time limit; raise `time` or PROPERTY_TIME."
    }
  }

  /// The statistics of the cases in readable form.
  var statistics: String { "\(name): \(result.statistics)" }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private var seedNote: String { "Seed: \(result.seed)." }

  private func reasons(_ counts: [String: Int]) -> String {
    let reasons = counts.keys.sorted().prefix(3)
    return reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
  }

  private func coverage(_ label: String) -> String {
    guard let required = result.statistics.coverage[label] else { return label }
    return "\(required.count) of \(required.total) were \"\(label)\", "
      + "\(required.share * 100) % are required"
  }

  private func failed(_ failure: PropertyFailure) -> String {
    let shrunk = failure.shrunk
    var lines = [headline(shrunk.ending)] + (values.isEmpty ? [] : [values]) + [shrunk.message]
    if !isReplay {
      lines.append(
        "Case \(failure.caseIndex + 1) of seed \(result.seed) failed. It was simplified "
          + Self.counted(shrunk.improvements, "time") + " in "
          + Self.counted(shrunk.evaluations, "further run") + "."
      )
    }
    lines.append("Replay: PROPERTY_REPLAY='\(failure.replayLine)' swift test --filter '\(name)'")
    return lines.joined(separator: "\n")
  }

  private func headline(_ ending: ShrinkResult.Ending) -> String {
    switch ending {
    case .fixedPoint: "The property fails. The simplest failing case found:"
    case .flaky: "The property is flaky: it failed once, but not again for the same choices:"
    case .outOfEvaluations, .outOfTime: "The property fails. Failing case (simpler ones may exist):"
    }
  }
}
