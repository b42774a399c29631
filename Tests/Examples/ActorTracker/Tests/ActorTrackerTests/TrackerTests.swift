import HistoryTesting
import Testing

@Suite struct TrackerTests {
  @Test func `A tracker whose tasks end in stop() loses nothing`() async throws {
    try await checkHistory(of: TrackedApp.self, plans: 200, under: [.restart, .lateJoin])
  }

  @Test func `A cursor recorded after the stop is detected`() async {
    await withKnownIssue("This tracker's stop() does not wait for its recording task.") {
      try await checkHistory(
        of: { TrackedApp($0, stopsInTime: false) },
        plans: 50,
        under: [.restart, .lateJoin]
      )
    }
  }
}
