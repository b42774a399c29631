import Foundation
import HistoryInspection
import HistoryStore
import HistoryTypes
import LabFixtures
import Synchronization
import TestSupport
import Testing

@testable import FileCommands

/// Forecasts of losses, compared with purges that are done and consumers that go on afterwards.
@Suite struct `Losses that a purge causes` {
  /// A kept transaction as a consumer sees it.
  private struct Seen: Hashable {
    let number: Int64
    let seconds: Double
    let changes: Int
  }

  /// A clock that a test sets, in seconds since 2001-01-01 UTC.
  private final class SetClock: Sendable {
    private let seconds = Mutex(0.0)

    func set(_ value: Double) { seconds.withLock { $0 = value } }
    var date: Date { seconds.withLock { Date(timeIntervalSinceReferenceDate: $0) } }
  }

  private static let authors = ["app", "widget", "NSCloudKitMirroringDelegate.import", nil]

  /// Writes a random history with ties, pauses and, with raw timestamps, steps back.
  private func makeStore(_ path: String, _ random: inout SeededRandom) throws {
    let clock = SetClock()
    var configuration = StoreConfiguration()
    configuration.clock = { clock.date }
    configuration.signalsChanges = false
    configuration.layout = Bool.random(using: &random) ? .packed : .coreData
    configuration.timestamps = Bool.random(using: &random) ? .monotone : .wallClock
    let model = try Model([Entity("Note", [Attribute("text", .string)])])
    let store = try Store(path: path, model: model, configuration: configuration)
    var day = 100.0
    for _ in 0..<Int.random(in: 2...14, using: &random) {
      day += [0, 0.01, 0.7, 2, 9, -0.5].randomElement(using: &random) ?? 0
      clock.set(day * 86400)
      let rows = Array(
        repeating: ["text": Value("x")],
        count: Int.random(in: 1...3, using: &random)
      )
      let author = Self.authors.randomElement(using: &random) ?? nil
      try store.batchInsert(into: "Note", rows, by: BatchAuthor(author))
    }
  }

  private func seen(_ page: HistoryPage) -> [Seen] {
    page.transactions.map { transaction in
      Seen(
        number: transaction.number.rawValue,
        seconds: transaction.timestamp.timeIntervalSinceReferenceDate,
        changes: transaction.changes.count
      )
    }
  }

  /// Returns what a consumer gets when it goes on, and whether its token has expired.
  ///
  /// A consumer whose token has expired reads everything that is left.
  private func goOn(
    _ store: Store,
    from position: Consumer.Position,
    _ tokens: [Int64: HistoryToken]
  ) throws -> (read: [Seen], isExpired: Bool) {
    switch position {
    case .number(let number):
      do {
        return try (seen(store.fetch(HistoryRequest(after: tokens[number]))), false)
      } catch  where error.code == .expired {
        return try (seen(store.fetch(HistoryRequest(after: nil))), true)
      }
    case .date(let seconds):
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      return try (seen(store.fetch(HistoryRequest(after: date))), false)
    case .unknown: return ([], false)
    }
  }

  /// Does the purge that a plan describes.
  private func purge(
    _ store: Store,
    _ plan: PurgePlan,
    _ all: [Seen],
    _ tokens: [Int64: HistoryToken],
    _ consumers: [Consumer] = []
  ) throws {
    switch plan {
    case .olderThan(let days):
      let newest = try #require(all.last).seconds
      try store.purge(before: Date(timeIntervalSinceReferenceDate: newest - days * 86400))
    case .newest(let count):
      guard all.count > count else { return }
      try store.purge(before: try #require(tokens[all[all.count - count].number]))
    case .merged:
      let next = all.first { seen in
        !consumers.allSatisfy { $0.hasMerged(seen.number, seen.seconds) }
      }
      guard let bound = next ?? all.last else { return }
      try store.purge(before: try #require(tokens[bound.number]))
    }
  }

  /// Returns a copy of a store whose connections are closed.
  private func copy(_ path: String, to target: String) throws {
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: target + suffix)
    }
  }

  @Test func `In 200 random cases a consumer loses exactly the forecast transactions`() async throws
  {
    var (losing, keeping) = (0, 0)
    try await withFolder { folder in
      for seed in 0..<40 as Range<UInt64> {
        var random = SeededRandom(seed: seed)
        let (path, purged) = ("\(folder)/\(seed)", "\(folder)/\(seed)-purged")
        try makeStore(path, &random)
        let outline = try StoreInspector().outline(of: path)
        let consumers = (0..<5).map { index in
          let place = Int.random(in: 0..<outline.count, using: &random)
          return Consumer(
            "\(index)",
            at: index < 3 ? .number(outline.numbers[place]) : .date(outline.timestamps[place])
          )
        }
        let plan: PurgePlan =
          Bool.random(using: &random)
          ? .olderThan(days: [1, 3, 7].randomElement(using: &random) ?? 1)
          : .newest(Int.random(in: 1...8, using: &random))
        let history = PastHistory(outline)
        let rule = try #require(PurgeRule(plan, history, consumers))
        let forecast = PurgeForecast(rule, history, consumers)
        try copy(path, to: purged)
        let store = try Store(path: purged)
        let page = try store.fetch(HistoryRequest(after: nil))
        let (all, tokens) = (
          seen(page),
          Dictionary(uniqueKeysWithValues: page.transactions.map { ($0.number.rawValue, $0.token) })
        )
        try purge(store, plan, all, tokens)
        let left = Set(try seen(store.fetch(HistoryRequest(after: nil))))
        #expect(all.count - left.count == forecast.transactions, "seed \(seed), \(plan)")
        for consumer in consumers {
          let loss = forecast.losses.first { $0.consumer == consumer.name }
          let unmerged = all.filter { !consumer.hasMerged($0.number, $0.seconds) }
          let (read, isExpired) = try goOn(store, from: consumer.position, tokens)
          let missed = unmerged.filter { !read.contains($0) }
          let place: Comment = "seed \(seed), \(plan), \(consumer.position)"
          #expect(missed.count == loss?.transactions ?? 0, place)
          #expect(missed.reduce(0) { $0 + $1.changes } == loss?.changes ?? 0, place)
          // A token never skips history silently.
          if case .number = consumer.position, loss != nil { #expect(isExpired, place) }
          if loss == nil { keeping += 1 } else { losing += 1 }
        }
      }
    }
    #expect(losing + keeping == 200 && losing > 40 && keeping > 40, "\(losing) of 200 lose")
  }

  @Test
  func `A purge of merged history deletes the forecast transactions, and no consumer loses any`()
    async throws
  {
    var deleted = 0
    try await withFolder { folder in
      for seed in 100..<120 as Range<UInt64> {
        var random = SeededRandom(seed: seed)
        let path = "\(folder)/\(seed)"
        try makeStore(path, &random)
        let outline = try StoreInspector().outline(of: path)
        // If the clock stepped back, a date may have merged a transaction after one that it lacks.
        let isRising = outline.timestamps == outline.timestamps.sorted()
        let consumers = (0..<3).map { index in
          let place = Int.random(in: outline.count / 2..<outline.count, using: &random)
          return Consumer(
            "\(index)",
            at: index < 2 || !isRising
              ? .number(outline.numbers[place]) : .date(outline.timestamps[place])
          )
        }
        let history = PastHistory(outline)
        let rule = try #require(PurgeRule(.merged, history, consumers))
        let forecast = PurgeForecast(rule, history, consumers)
        #expect(!forecast.loses, "seed \(seed)")
        let store = try Store(path: path)
        let page = try store.fetch(HistoryRequest(after: nil))
        let (all, tokens) = (
          seen(page),
          Dictionary(uniqueKeysWithValues: page.transactions.map { ($0.number.rawValue, $0.token) })
        )
        try purge(store, .merged, all, tokens, consumers)
        let left = try seen(store.fetch(HistoryRequest(after: nil)))
        #expect(all.count - left.count == forecast.transactions, "seed \(seed)")
        for consumer in consumers {
          let unmerged = all.filter { !consumer.hasMerged($0.number, $0.seconds) }
          let (read, _) = try goOn(store, from: consumer.position, tokens)
          #expect(unmerged.allSatisfy(read.contains), "seed \(seed), \(consumer.position)")
        }
        deleted += forecast.transactions
      }
    }
    #expect(deleted > 20, "\(deleted)")
  }

  @Test func `A purge waits for members; other consumers lose the forecast transactions`()
    async throws
  {
    try await withFolder { folder in
      var random = SeededRandom(seed: 7)
      let path = "\(folder)/store"
      try makeStore(path, &random)
      let store = try Store(path: path)
      let merged = try store.fetch(HistoryRequest(after: nil)).transactions.map(\.token)
      _ = try store.join("member")
      for _ in 0..<3 {
        try store.batchInsert(into: "Note", [["text": "x"]], by: BatchAuthor("app"))
      }
      let page = try store.fetch(HistoryRequest(after: nil))
      let outline = try StoreInspector().outline(of: path)
      let outsider = Consumer("outsider", at: .number(0))
      let advice = Advice(outline, given: [outsider], Advice.Settings(keptCount: 1))
      let forecast = try #require(advice.forecast(.newest(1)))
      #expect(forecast.losses.map(\.consumer) == ["outsider"])
      let position = try #require(merged.last)
      #expect(forecast.last?.number ?? 0 <= position.number && forecast.heldBack > 0)
      try store.purge(before: try #require(page.transactions.last))
      let left = try store.fetch(HistoryRequest(after: nil)).transactions.count
      #expect(page.transactions.count - left == forecast.transactions)
      #expect(try store.fetch(HistoryRequest(after: position)).transactions.count == 3)
    }
  }
}
