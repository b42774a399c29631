package import HistoryStore
package import Testing

/// Runs every test of a suite twice, once for each layout of history.
package struct LayoutTrait: SuiteTrait, TestTrait, TestScoping {
  /// The layout in which fixtures create their files.
  @TaskLocal package static var layout = HistoryLayout.packed

  package var isRecursive: Bool { true }

  @concurrent
  package func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    for layout in HistoryLayout.allCases {
      try await Self.$layout.withValue(layout) { try await function() }
    }
  }
}

extension Trait where Self == LayoutTrait {
  /// Runs every test of a suite over each layout of history.
  package static var inEveryLayout: Self { LayoutTrait() }
}
