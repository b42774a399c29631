import Foundation
import Testing

/// Collects the issues of a case instead of letting them reach the test.
final class IssueRecorder: @unchecked Sendable {
  private let lock = NSLock()
  private var issues: [Issue] = []

  /// Runs a body whose issues are collected here; known ones and warnings do not count.
  ///
  /// Outside of a test there is nobody to keep them from, and they are recorded as usual.
  func collect(_ body: @escaping @Sendable () async throws -> Void) async throws {
    guard let test = Test.current else { return try await body() }
    let trait: IssueHandlingTrait = .compactMapIssues { [self] issue in
      if issue.isFailure { lock.withLock { issues.append(issue) } }
      return nil
    }
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }

  /// Returns what was collected since the last call.
  func take() -> [Issue] {
    lock.withLock {
      defer { issues = [] }
      return issues
    }
  }
}
