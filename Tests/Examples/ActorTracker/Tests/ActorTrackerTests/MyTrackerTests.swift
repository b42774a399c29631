import HistoryTesting
import Testing

@Test func `Our tracker loses nothing`() async throws {
  try await checkHistory(of: MyTracker.self, plans: 200, under: [.ties, .crash, .pause])
}
