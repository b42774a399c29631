import Synchronization
import Testing

/// A recorder that intercepts the issues of a case before they reach the test.
final class IssueRecorder: Sendable {
  private let first = Mutex<Issue?>(nil)

  /// Runs a body and collects its issues, except known issues and warnings, which are dropped.
  ///
  /// Outside of a test, issues cannot be intercepted and are recorded as usual.
  func collect(_ body: @escaping @Sendable () async throws -> Void) async throws {
    guard let test = Test.current else { return try await body() }
    let trait: IssueHandlingTrait = .compactMapIssues { [self] issue in
      if issue.isFailure { first.withLock { $0 = $0 ?? issue } }
      return nil
    }
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }

  /// Returns the first issue since the last call, and forgets it.
  func take() -> Issue? {
    first.withLock { first in
      defer { first = nil }
      return first
    }
  }

  /// Records an intercepted issue, with its own place and values.
  static func record(_ issue: Issue, _ comment: Comment) async throws {
    guard let test = Test.current else { return }
    var issue = issue
    issue.comments.append(comment)
    let trait: IssueHandlingTrait = .compactMapIssues { [issue] _ in issue }
    try await trait.provideScope(for: test, testCase: Test.Case.current) { Issue.record(comment) }
  }
}
