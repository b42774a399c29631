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

  /// Returns the first failure since the last call, or else the first known issue, and forgets it.
  func take() -> Issue? {
    first.withLock { first in
      defer { first = nil }
      return first
    }
  }

  /// Returns whether an issue of a case, which may be known, fails the case.
  ///
  /// A known issue belongs to the case if the body calls `withKnownIssue`. If the whole property is
  /// in such a scope, an issue recorded after the body is known as well; then known issues of the
  /// body fail the case, too.
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

  /// Records an intercepted issue, with its own place and values.
  static func record(_ issue: Issue, _ comment: Comment) async throws {
    guard let test = Test.current else { return }
    var issue = issue
    issue.comments.append(comment)
    let trait: IssueHandlingTrait = .compactMapIssues { [issue] _ in issue }
    try await trait.provideScope(for: test, testCase: Test.Case.current) { Issue.record(comment) }
  }
}
