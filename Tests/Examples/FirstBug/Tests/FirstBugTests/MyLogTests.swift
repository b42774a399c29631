import HistoryTesting
import Testing

@Suite struct MyLogTests {
  @Test func `My log loses nothing`() async throws {
    try await checkHistory(of: MyLog.self, plans: 200)
  }
}
