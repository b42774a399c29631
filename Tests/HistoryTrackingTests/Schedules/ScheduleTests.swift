import Foundation
import HistoryStore
import Testing

@testable import HistoryTracking

/// Three concurrent trackers under seeded schedules.
///
/// `SCHEDULES=10000` sets their number, and `SCHEDULE_SEED=0x2a` selects the one with a seed.
@Suite struct `Schedules of three trackers` {
  /// The number of schedules: from the environment, or a hundred.
  private static let count = number("SCHEDULES") ?? 100
  private static let onlySeed = number("SCHEDULE_SEED")

  private static func number(_ name: String) -> UInt64? {
    guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
    return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }

  private static func replay(_ seed: UInt64) -> Comment {
    "seed \(seed): SCHEDULE_SEED=\(seed) swift test --filter 'Schedules of three trackers'"
  }

  @Test func `No schedule breaks an invariant`() throws {
    let template = try ScheduleTemplate()
    var choices = 0
    var transactions: Int64 = 0
    for seed in Self.onlySeed.map({ $0...$0 }) ?? 1...Self.count {
      let outcome = try TrackerSchedule(seed: seed).run(on: template)
      try #require(outcome.violations.isEmpty, Self.replay(seed))
      #expect(outcome.trackers.allSatisfy { $0.tracker == nil }, Self.replay(seed))
      choices += outcome.choiceCount
      transactions += outcome.transactionCount
    }
    // A schedule without a choice or a write proves nothing.
    #expect(choices > 100 && transactions > 0)
    print("schedules: \(Self.count), choices among ready jobs: \(choices), writes: \(transactions)")
  }

  @Test func `The same seed leads to the same schedule`() throws {
    let template = try ScheduleTemplate()
    for seed in 1...10 as ClosedRange<UInt64> {
      let first = try TrackerSchedule(seed: seed).run(on: template)
      let second = try TrackerSchedule(seed: seed).run(on: template)
      #expect(first.stepCount == second.stepCount, Self.replay(seed))
      #expect(first.notified == second.notified, Self.replay(seed))
    }
  }
}
