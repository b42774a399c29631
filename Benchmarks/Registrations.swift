import Foundation
import HistoryStore
import HistoryTracking
import HistoryTypes
import Measuring
import ObjectContexts

/// The cost that the first launch of a member causes concurrent writers.
enum Registrations {
  static let all = [
    BenchmarkSubject(
      "member register",
      part: "MemberSession.init",
      operation: "beside a writer",
      condition: "as many rows as transactions",
      "Members register while a thread commits without a pause, the first one reading all rows of the "
        + "store; the samples of the write lock are the times for which the registrations held it, and "
        + "the thread's commits tell how long they had to wait; instead of the floor stand its commits "
        + "alone."
    ) { setting in
      let path = try setting.copy()
      try fill(path, rows: setting.historySize)
      let store = try Store(path: path, configuration: try LockWatch.configuration())
      let view = ObjectContext(store: store, author: "reader")
      let alone = try BusyWriter(path: path).commits(during: { Thread.sleep(forTimeInterval: 0.3) })
      var launching: Double = 0
      var joins: [Double] = []
      var holds: [Double] = []
      let beside = try BusyWriter(path: path).commits {
        holds = try LockWatch.holds {
          let start = NanosecondClock.wall.now()
          _ = try MemberSession(
            MemberID("reader"),
            store: store,
            contexts: [view],
            author: "reader"
          )
          launching = Double(NanosecondClock.wall.now() - start)
          joins = try (0..<100).map { try join(store, MemberID("other \($0)")) }
        }
      }
      return [
        row(LockWatch.contender, holds),
        row(MeasuredWork.store, joins),
        row("the writer", beside),
        row("the writer alone", alone),
        row("the launch with its rows", [launching]),
      ]
    }
  ]

  private static func join(_ store: Store, _ member: MemberID) throws -> Double {
    let start = NanosecondClock.wall.now()
    _ = try store.join(member)
    return Double(NanosecondClock.wall.now() - start)
  }

  private static func row(_ contender: String, _ samples: [Double]) -> SampledRow {
    SampledRow(contender: contender, metric: .wall, outcome: .samples(samples))
  }

  /// Inserts the given number of slips.
  private static func fill(_ path: String, rows: Int) throws {
    let store = try Store(path: path, configuration: StoreTemplate.configuration)
    var left = rows
    let item = SampleItem(1)
    _ = try store.batchInsert(into: SampleData.slip, by: BatchAuthor(nil)) { row in
      guard left > 0 else { return false }
      row.set(item)
      left -= 1
      return true
    }
  }
}

/// A thread that commits one row after the other, and measures each commit.
private final class BusyWriter: @unchecked Sendable {
  private let store: Store
  private let lock = NSLock()
  private let hasBegun = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  private var isOver = false
  private var result: Result<[Double], any Error> = .success([])

  init(path: String) throws {
    store = try Store(path: path, configuration: StoreTemplate.configuration)
  }

  /// Returns the times of the commits in nanoseconds while a closure runs.
  func commits(during body: () throws -> Void) throws -> [Double] {
    Thread.detachNewThread {
      self.result = Result { try self.commit() }
      self.hasEnded.signal()
    }
    hasBegun.wait()
    let outcome = Result { try body() }
    lock.withLock { isOver = true }
    hasEnded.wait()
    try outcome.get()
    return try result.get()
  }

  private func commit() throws -> [Double] {
    defer { hasBegun.signal() }
    var times: [Double] = []
    while !lock.withLock({ isOver }) {
      let start = NanosecondClock.wall.now()
      try store.insertSlip()
      times.append(Double(NanosecondClock.wall.now() - start))
      if times.count == 1 { hasBegun.signal() }
    }
    return times
  }
}
