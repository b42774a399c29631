import BenchmarkFloor
import Foundation
import HistoryStore
import HistoryTracking
import HistoryTypes
import Measuring
import ObjectContexts

/// Writes of a member to the registry: recording a cursor, and joining.
enum Members {
  static let all = [
    BenchmarkSubject(
      "member record",
      part: "Store.record",
      operation: "of a cursor",
      "A member records how far it has merged; the floor (SQLite in C, cost 1) updates the member's row."
    ) { setting in
      let times = setting.repeats(300)
      return [try recordOurs(setting, times), try recordFloor(setting, times)]
    }.varying([.full]) { try recordOurs($0, $0.repeats(300)) },
    BenchmarkSubject(
      "member join",
      part: "Store.join",
      operation: "of a known member",
      "A member launches again in a new epoch; the floor (SQLite in C, cost 1) increments the epoch "
        + "and updates the row."
    ) { setting in
      let times = setting.repeats(200)
      return [try joinOurs(setting, times), try joinFloor(setting, times)]
    },
  ]

  private static let name = "reader"

  private static func recordOurs(
    _ setting: BenchmarkSetting,
    _ times: Int
  ) throws -> MeasuredWork {
    let file = try setting.store()
    let member = try file.store.join(MemberID(name))
    let token = try file.store.currentToken()
    return MeasuredWork(contender: MeasuredWork.store, operations: times) { watch in
      try file.side.checkpoint()
      try watch.time {
        for _ in 0..<times { try file.store.record(member, through: token) }
      }
      return try file.side.tallyOfMembers()
    }
  }

  private static func recordFloor(
    _ setting: BenchmarkSetting,
    _ times: Int
  ) throws -> MeasuredWork {
    let file = try setting.floorWithMember()
    let head = try file.side.head()
    let mark = try file.side.mark(of: head)
    return MeasuredWork(contender: MeasuredWork.floor, operations: times) { watch in
      try file.side.checkpoint()
      try watch.time {
        for time in 0..<times {
          try file.floor.record(name, cursor: head, mark: mark, seen: Double(time))
        }
      }
      return try file.side.tallyOfMembers()
    }
  }

  private static func joinOurs(
    _ setting: BenchmarkSetting,
    _ times: Int
  ) throws -> MeasuredWork {
    let file = try setting.store()
    _ = try file.store.join(MemberID(name))
    return MeasuredWork(contender: MeasuredWork.store, operations: times) { watch in
      try file.side.checkpoint()
      try watch.time {
        for _ in 0..<times { _ = try file.store.join(MemberID(name)) }
      }
      return try file.side.tallyOfMembers()
    }
  }

  private static func joinFloor(
    _ setting: BenchmarkSetting,
    _ times: Int
  ) throws -> MeasuredWork {
    let file = try setting.floorWithMember()
    return MeasuredWork(contender: MeasuredWork.floor, operations: times) { watch in
      try file.side.checkpoint()
      try watch.time {
        for time in 0..<times { _ = try file.floor.join(name, seen: Double(time)) }
      }
      return try file.side.tallyOfMembers()
    }
  }
}

extension BenchmarkSetting {
  /// Creates the floor, plain SQLite in C, on a file in which a member has joined.
  fileprivate func floorWithMember() throws -> BenchmarkFloorFile {
    let path = try copy()
    let store = try Store(path: path, configuration: StoreTemplate.configuration)
    _ = try store.join(MemberID("reader"))
    return try BenchmarkFloorFile(path: path)
  }
}

extension SideConnection {
  /// Returns the sum of the members' cursors, and the sum of their launch numbers (epochs).
  fileprivate func tallyOfMembers() throws -> WorkTally {
    WorkTally(
      count: try integer("SELECT sum(cursor) FROM history_member"),
      sum: try integer("SELECT sum(epoch) FROM history_member")
    )
  }
}

/// The cost of a member's resync after history that it needs was purged.
enum Resyncs {
  static let all = [
    BenchmarkSubject(
      "member resync",
      part: "MemberSession.resync",
      operation: "of 10,000 objects",
      "A member moves its cursor to the head and reads all 10,000 objects into its context again; the "
        + "floor (SQLite in C, cost 1) reads the same rows in C.",
      prepare: { [try ours($0), try floor($0)] }
    ).varying([.cold]) { try ours($0) }
  ]

  private static func ours(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.store()
    let member = try MemberSession("reader", store: file.store, contexts: [], author: nil).snapshot
    return MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let store = try file.fresh()
      let context = ObjectContext(store: store, author: "reader")
      let session = MemberSession(member, store: store, contexts: [context])
      _ = try watch.time { try session.resync() }
      return try tally(of: context)
    }
  }

  /// Returns the number of items in a context, and the sum of their quantities.
  private static func tally(of context: ObjectContext) throws -> WorkTally {
    var tally = WorkTally(count: 0 as Int64, sum: 0)
    context.forEachRegistered { _, values in
      tally.count += 1
      tally.sum += MergeData.int(values[values.startIndex + 2])
    }
    return tally
  }

  private static func floor(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.floor()
    let room = [FloorRow](repeating: FloorRow(), count: SampleData.itemCount + 1)
    return MeasuredWork(contender: MeasuredWork.floor, operations: 1) { watch in
      var rows = room
      let found = try rows.withUnsafeMutableBufferPointer { rows in
        try watch.time { try file.floor.allRows(into: rows) }
      }
      return WorkTally(
        count: found,
        sum: rows.prefix(found).reduce(0) { $0 + $1.item.quantity }
      )
    }
  }
}

/// How much the first launch of a member slows concurrent writers down.
enum Registrations {
  static let all = [
    BenchmarkSubject(
      "member register",
      part: "MemberSession.init",
      operation: "beside a writer",
      condition: "as many rows as transactions",
      "Members register while a thread commits without a pause; the first member reads all rows of "
        + "the store. The samples of the write lock are the times for which the registrations held "
        + "it; the samples of the writer are the times of the thread's commits, compared with those "
        + "of commits without registrations; the floor (SQLite in C, cost 1) is not measured."
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

  /// Inserts the given number of `Slip` objects.
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

  /// Commits on another thread until a closure returns; returns the commits' durations in nanoseconds.
  ///
  /// The closure starts after the first commit, whose duration is included.
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
