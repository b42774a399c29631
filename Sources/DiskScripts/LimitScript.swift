import HistoryStore
import HistoryTypes
import ObjectContexts
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Scripted checks of imported dates, sizes, purge times and retention limits.
struct LimitScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private let now = ScriptClock()
  private let effects = Effects()
  /// All transactions that were written, purged ones included.
  private var written: [HistoryTransaction] = []
  /// The size of each transaction in bytes.
  private var sizes: [Int64] = []

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  /// The purges and cursors that a store announces to its `StoreActionObserver` before each commit.
  private final class Effects: Sendable {
    private let writes = Mutex<[MemberWrite]>([])

    var last: MemberWrite? { writes.withLock { $0.last } }

    func add(_ write: MemberWrite) { writes.withLock { $0.append(write) } }
  }

  private var head: Int64 { Int64(written.count) }

  private func time(_ index: Int) -> Double {
    written[index].timestamp.timeIntervalSinceReferenceDate
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    var configuration = configuration()
    configuration.clock = { [now] in now.date }
    configuration.actionObserver = StoreActionObserver(
      begins: { [effects] in effects.add($0) },
      ends: { _ in }
    )
    let path = folder.file("limited")
    let file = try Store(path: path, model: store.model, configuration: configuration)
    // This request continues after an empty page, which was read before the first transaction.
    let empty = HistoryRequest(after: nil)
    let next = empty.next(after: try file.fetch(empty))
    try write(10 + seed.draw(20), into: file)
    try importDates(file)
    try measure(file)
    for _ in 0..<4 {
      try limit(file)
      try write(1 + seed.draw(8), into: file)
    }
    try interrupt(file, path)
    try compareTimes(file)
    expect(.expired, of: "to continue a request from an empty page after a purge") {
      () throws(HistoryError) in
      _ = try file.fetch(next)
    }
    expect(
      try file.verify().allSatisfy { !$0.isWrong },
      "the verification of the file finds errors"
    )
  }

  private mutating func write(_ count: Int, into file: Store) throws(HistoryError) {
    for _ in 0..<count {
      now.move(by: seed.pick([0, 0, 1, 1, 3600, 86_400, 86_400, 90_000, -5]))
      let context = ObjectContext.retaining(file, author: seed.pick(["a", "b", nil]), name: "view")
      for _ in 0...seed.draw(3) { _ = try context.insert(store.model.entities[0].name) }
      guard let number = try context.save()?.number,
        let transaction = try file.transaction(number)
      else { return faults.append("a save has added no transaction to history") }
      written.append(transaction)
      sizes.append(try size(transaction, in: file))
    }
  }

  private func size(
    _ transaction: HistoryTransaction,
    in file: Store
  ) throws(HistoryError) -> Int64 {
    guard layout == .packed else { return 82 + 34 * Int64(transaction.changes.count) }
    let sql = "SELECT 44 + length(changes) FROM history_transaction WHERE number = ?1"
    let rows = try file.query(sql, [.int(transaction.number.rawValue)]).rows
    if case .int(let bytes)? = rows.first?.first { return bytes }
    return 0
  }

  // MARK: Dates and sizes

  /// Registers members with merge dates that another library stored, before the first purge.
  private mutating func importDates(_ file: Store) throws(HistoryError) {
    for offset in [0, 0.25, -0.25, 0.25, -1e9] {
      try importDate(time(seed.draw(written.count)) + offset, file)
      // The registration has released the member's lock.
      expect(try file.forget("kit"), "a member that has retired cannot be forgotten")
    }
  }

  private mutating func importDate(_ seconds: Double, _ file: Store) throws(HistoryError) {
    let key = KitCursors.standardPrefix + "a"
    let dates = KitCursors([key: Date(timeIntervalSinceReferenceDate: seconds)])
    let registration = try file.join("kit", author: "a", importing: dates)
    // The member has merged every transaction before the first one at or after the imported date.
    let merged = written.indices.first { time($0) >= seconds } ?? written.count
    let beginning = HistoryToken(store: file.id, number: 0, mark: 0)
    let wanted = merged == 0 ? beginning : written[merged - 1].token
    expect(
      registration.cursor == wanted,
      "a member with the imported date \(seconds) starts after #\(registration.cursor.number); "
        + "it must start after #\(merged)"
    )
    expect(.inUse, of: "to forget a running member") { () throws(HistoryError) in
      _ = try file.forget("kit")
    }
    try file.retire(registration)
  }

  /// Checks the reported size of history before and after further writes, and a purge by that size.
  private mutating func measure(_ file: Store) throws(HistoryError) {
    let first = try file.historySize()
    expect(
      first.historyBytes % 4096 == 0,
      "history takes \(first.historyBytes) bytes, not whole pages of 4096 bytes"
    )
    let count = written.count
    try write(1 + seed.draw(5), into: file)
    let second = try file.historySize()
    let added = sizes[count...].reduce(0, +)
    expect(
      Int64(second.historyBytes) == Int64(first.historyBytes) + added,
      "history grows from \(first.historyBytes) to \(second.historyBytes) bytes, not by \(added)"
    )
    let share = second.share
    expect(
      share == Double(second.historyBytes) / Double(second.storeBytes) && share < 1,
      "\(second) gives the share of history in the file as \(share)"
    )
    let same = try file.purge(when: .whenLargerThan(share: share))
    expect(
      !same.isDue,
      "a purge above the share \(share) is due although history has exactly this share"
    )
    expect(
      try file.heldNumbers().count == written.count,
      "a purge that is not due deletes transactions"
    )
  }

  // MARK: Limits

  /// Purges with retention limits while a member lags, and checks which members are cut off.
  private mutating func limit(_ file: Store) throws(HistoryError) {
    let slow = try file.join("slow", author: "a")
    let least = slow.cursor.number
    let index = try file.join("index", kind: .consumer)
    try write(2 + seed.draw(5), into: file)
    let near = try file.join("near", author: "b")
    try write(1 + seed.draw(5), into: file)
    let behind = Int(sizes[Int(least)...].reduce(0, +))
    let lag = try file.members().first { $0.id == "slow" }?.lag
    expect(lag?.byteCount == behind, "a member lags by \(lag?.byteCount ?? 0) bytes, not \(behind)")
    var limits = RetentionLimits()
    switch seed.draw(4) {
    case 0: limits.transactionCount = seed.draw(14)
    case 1: limits.byteCount = Int(behind) + seed.pick([-1, 0, 1])
    case 2:
      let last = Int(least) + seed.draw(written.count - Int(least))
      limits.byteCount = Int(sizes[last...].reduce(0, +)) + seed.pick([-1, 0, 1])
    default: limits.age = .seconds(seed.pick([0.5, 2.5, 5_000.5, 86_399.5, 86_400.5, 200_000.5]))
    }
    let (cut, jumps) = expectedCut(limits, above: least)
    let lost: [MemberID] =
      (near.cursor.number < cut ? ["near"] : []) + (least < cut ? ["slow"] : [])
    let result = try file.purge(retaining: limits)
    let what = "with a member at #\(least) of #\(head), a purge with \(limits)"
    expect(
      result.lostMembers == lost,
      "\(what) cuts off \(result.lostMembers), not \(lost), which are below #\(cut)"
    )
    expect(
      result.timestampJumps == jumps,
      "\(what) ignores the jumps \(result.timestampJumps), not \(jumps)"
    )
    // Limits never cut off a consumer, so the consumer's cursor is the watermark.
    expect(result.watermark.rawValue == least, "\(what) has the watermark \(result.watermark)")
    if lost.contains("slow") {
      expect(.lost, of: "a record by a member that was cut off") { () throws(HistoryError) in
        try file.record(slow, through: slow.cursor)
      }
    }
    for member in [slow, near, index] { try file.retire(member) }
  }

  /// Computes from sizes and dates which members the retention limits must cut off.
  ///
  /// - Returns: The least cursor that is not cut off, and the timestamp jumps: differences of more
  ///   than 24 hours between consecutive transactions, which do not count toward the age limit.
  private func expectedCut(
    _ limits: RetentionLimits,
    above least: Int64
  ) -> (number: Int64, jumps: [TimestampJump]) {
    var number = limits.transactionCount.map { head - Int64($0) } ?? 0
    if let limit = limits.byteCount.map(Int64.init) {
      var (sum, place) = (Int64(0), head)
      while place > 0, sum + sizes[Int(place) - 1] <= limit {
        sum += sizes[Int(place) - 1]
        place -= 1
      }
      if place > least { number = place }
    }
    guard let age = limits.age?.inSeconds else { return (number, []) }
    var (seconds, jumps) = (0.0, [TimestampJump]())
    var place = head
    while place - 1 > least {
      let gap = time(Int(place) - 1) - time(Int(place) - 2)
      if abs(gap) > 86_400 {
        let later = TransactionNumber(place)
        jumps.append(TimestampJump(number: later, difference: Duration(clampedSeconds: gap)))
      } else {
        seconds += max(0, gap)
      }
      place -= 1
      if seconds > age { return (place, jumps) }
    }
    return (number, jumps)
  }

  // MARK: Purges

  /// Raises the purged position without deleting rows, and checks fetches and the next purge.
  ///
  /// A process that ends during a purge leaves a file in this state.
  private mutating func interrupt(_ file: Store, _ path: String) throws(HistoryError) {
    try write(4, into: file)
    let held = try file.heldNumbers()
    let bound = held[seed.draw(held.count - 1)]
    do {
      let raw = try RawFile(path)
      try raw.run(
        """
        UPDATE history_author SET purged = max(purged, \(bound));
        UPDATE history_metadata SET value = max(value, \(bound)) WHERE name = 'purged';
        """
      )
    }
    let rest = held.filter { $0 > bound }
    let found = try file.fetch(HistoryRequest(after: nil)).transactions.map(\.number.rawValue)
    expect(found == rest, "after an interrupted purge a fetch returns \(found), not \(rest)")
    expect(
      try file.heldNumbers() == rest,
      "after an interrupted purge, the wrong transactions are visible"
    )
    let result = try file.purge()
    expect(
      result.transactionCount == held.count - 1,
      "the purge after an interrupted one counts \(result.transactionCount) transactions, not "
        + "\(held.count - 1)"
    )
    expect(
      try file.heldNumbers() == [head],
      "the purge after an interrupted one keeps the wrong transactions"
    )
  }

  /// Checks the effects that purges report, and when a purge `.atIntervals(of:)` is due.
  ///
  /// The interval starts at the last purge whose time the store has recorded. The store must record
  /// the time of a purge `.atIntervals(of:)` if it was due, and of any other purge if it deleted
  /// transactions. It must not record other times.
  private mutating func compareTimes(_ file: Store) throws(HistoryError) {
    try write(3, into: file)
    let gone = try file.heldNumbers().dropLast()
    let first = try file.purge()
    expect(
      first.transactionCount == gone.count,
      "a purge that must delete \(gone) returns \(first)"
    )
    let purged = effects.last?.purged ?? 0..<0
    expect(
      gone.allSatisfy(purged.contains) && purged.upperBound == first.purgedThrough.rawValue + 1,
      "a purge that must delete \(gone) reports the numbers \(purged) as its effect"
    )
    now.move(by: 100)
    let none = try file.purge()
    expect(
      none.transactionCount == 0,
      "a second purge deletes \(none.transactionCount) transactions"
    )
    expect(
      effects.last?.purged.isEmpty == true,
      "a purge that deletes nothing reports deleted transactions"
    )
    let member = try file.join("main")
    let token = try file.currentToken()
    try file.purge(by: member, recording: token)
    let recorded = effects.last
    expect(
      recorded?.cursor == token && recorded?.member == "main",
      "a purge that records a cursor does not report the cursor"
    )
    try file.retire(member)
    now.move(by: 50)
    for (pause, interval, isDue) in [
      (0, 151, false), (0, 150, true), (10, 11, false), (1, 11, true), (-1_000, 3_600, true),
    ] {
      now.move(by: Double(pause))
      let result = try file.purge(when: .atIntervals(of: .seconds(interval)))
      expect(result.isDue == isDue, "a purge every \(interval) s must\(isDue ? "" : " not") be due")
    }
  }
}
