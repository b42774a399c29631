import CoreDataTracker
import HistoryTesting
import Testing

@Suite struct CoreDataTrackerTests {
  /// Without Core Data, only its declarations exist and nothing can run.
  private static var hasCoreData: Bool {
    #if os(macOS)
    true
    #else
    false
    #endif
  }

  @Test(.enabled(if: hasCoreData, "needs macOS: Core Data is on Apple's systems only"))
  func `A tracker by token on Core Data loses nothing`() async throws {
    try await checkHistory(of: CoreDataTracker.self, plans: 100, under: [.lateJoin])
  }
}
