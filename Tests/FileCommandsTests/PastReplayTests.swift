import HistoryInspection
import HistoryStore
import LabFixtures
import PropertyTesting
import PropertyTraits
import TestSupport
import Testing

@testable import FileCommands

@Suite struct `The replay of purges over the past` {
  private static let plans = PurgePlan.ages.map { PurgePlan.olderThan(days: $0) } + [.newest(5)]

  @Test func `A widget that was off for twenty days is cut off on the day that it comes back`() {
    let history = PastHistory(.stated(AdviceFile.fortyDays))
    let cuts = PastReplay(Self.plans, history, writesOnly: []).cuts.filter {
      $0.cut.consumer == "widget"
    }
    // The widget wrote at day 9.5 and again at day 30.5; the app wrote on each day from 10 to 30.
    let week = cuts.filter { $0.plan == 2 }.map(\.cut)
    #expect(week.map(\.time) == [30.5 * 86400] && week.map(\.gapSeconds) == [21 * 86400])
    // Older than seven days at day 30.5 are the app's days 10 to 23, with day % 4 + 1 changes each.
    #expect(week.map(\.transactions) == [14])
    #expect(week.map(\.changes) == [(10...23).reduce(0) { $0 + $1 % 4 + 1 }])
    #expect(cuts.filter { $0.plan == 4 || $0.plan == 5 }.isEmpty)
    // All but the newest five: 21 of the app's transactions, the last five of which are kept.
    #expect(cuts.filter { $0.plan == 6 }.map(\.cut.transactions) == [16])
  }

  @Test func `An author that only writes is not replayed, and neither is one without a name`() {
    let transactions = [
      StatedTransaction("a", 0), StatedTransaction(nil, 0.1), StatedTransaction("b", 1),
      StatedTransaction(nil, 20), StatedTransaction("a", 21),
    ]
    let history = PastHistory(.stated(transactions))
    #expect(!PastReplay(Self.plans, history, writesOnly: []).cuts.isEmpty)
    #expect(PastReplay(Self.plans, history, writesOnly: ["a"]).cuts.isEmpty)
  }

  @Test func `A store whose members hold purges back is not replayed`() {
    var outline = HistoryOutline.stated(AdviceFile.fortyDays)
    outline.watermark = 3
    #expect(PastReplay(Self.plans, PastHistory(outline), writesOnly: []).cuts.isEmpty)
  }

  @Test(.property(cases: 100, seed: 1))
  func `A replay agrees with purges at each step of 100 random histories`() async throws {
    let histories = Generator<[StatedTransaction]> { source in
      var day = 0.0
      return try (0..<30).map { _ in
        day += try source.draw(.element(of: [0, 0.2, 1.5, 4, 40, -1]))
        return StatedTransaction(
          try source.draw(.element(of: ["a", "b", "NSCloudKitMirroringDelegate.import"])),
          day,
          try source.draw(.ints(in: 0...3))
        )
      }
    }
    try await property(histories) { transactions in
      let cuts = PastReplay(Self.plans, PastHistory(.stated(transactions)), writesOnly: []).cuts
      for (place, plan) in Self.plans.enumerated() {
        let expected = ["a", "b"].flatMap { Self.cuts(of: $0, transactions, plan) }.sorted()
        let found = cuts.filter { $0.plan == place }.map {
          "\($0.cut.time) \($0.cut.consumer) \($0.cut.transactions) \($0.cut.changes)"
        }.sorted()
        #expect(found == expected, "\(plan)")
      }
    }
  }

  /// Runs the purge before each transaction on a list, and reads as the author before each of its own.
  private static func cuts(
    of author: String,
    _ transactions: [StatedTransaction],
    _ plan: PurgePlan
  ) -> [String] {
    var unread: [Int]?
    var cuts: [String] = []
    for (index, transaction) in transactions.enumerated() {
      guard transaction.author == author else {
        unread?.append(index)
        continue
      }
      let gone = (unread ?? []).filter { other in
        if transactions[other].author?.hasPrefix("NSCloudKit") == true { return false }
        switch plan {
        case .olderThan(let days):
          return transactions[other].seconds < transaction.seconds - days * 86400
        case .newest(let count): return other < index - count
        case .merged: return false
        }
      }
      if !gone.isEmpty {
        let changes = gone.reduce(0) { $0 + transactions[$1].changes }
        cuts.append("\(transaction.seconds) \(author) \(gone.count) \(changes)")
      }
      unread = []
    }
    return cuts
  }
}
