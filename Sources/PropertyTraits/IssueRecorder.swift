import Foundation
import Testing

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
