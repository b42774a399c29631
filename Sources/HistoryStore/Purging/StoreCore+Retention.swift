import PersistentHistory
import SQLiteStorage

/// The position at which retention limits exclude members, and the gaps that they ignored.
struct RetentionCut {
  /// The number that members with contexts must have merged through to stay.
  var number: Int64 = 0
  /// The gaps that did not count, newest first.
  var jumps: [TimestampJump] = []
}

extension StoreCore {
  /// Returns the position below which an order excludes members with contexts.
  func cut(_ order: PurgeOrder) throws -> RetentionCut {
    var cut = try retentionCut(order.limits)
    if order.isCuttingOff {
      cut.number = max(cut.number, min(order.wanted, try head().number - 1))
    }
    return cut
  }

  /// Marks the members below a number as lost, and returns their names; consumers are never lost.
  func cutOff(before number: Int64) throws -> [ActorID] {
    guard number > 0 else { return [] }
    let update = try query(
      "UPDATE history_member SET state = 2 WHERE state = 0 AND kind = 0 AND cursor < ?1 RETURNING id"
    )
    update.statement.bind(number, at: 1)
    defer { update.statement.reset() }
    var lost: [ActorID] = []
    while try update.statement.step() {
      if let name = update.statement.text(0), !name.isEmpty { lost.append(ActorID(name)) }
    }
    return lost.sorted()
  }

  /// Returns the position at which the loosest of all members' limits exclude members.
  ///
  /// A member is thus never excluded by the configuration of another member alone.
  private func retentionCut(_ limits: RetentionLimits) throws -> RetentionCut {
    guard !limits.isOff else { return RetentionCut() }
    let agreed = try activeConfigurations(.actor).compactMap(\.retention)
      .reduce(limits) { $0.loosened(by: $1) }
    let head = try head().number
    guard !agreed.isOff, let least = try leastActorCursor(), least < head else {
      return RetentionCut()
    }
    var cut = RetentionCut()
    if let age = agreed.age { cut = try ageCut(age, above: least) }
    if let count = agreed.transactionCount { cut.number = max(cut.number, head - Int64(count)) }
    if let bytes = agreed.byteCount {
      cut.number = max(cut.number, try byteCut(Int64(bytes), least, head))
    }
    return cut
  }

  private func leastActorCursor() throws -> Int64? {
    let least = try query("SELECT min(cursor) FROM history_member WHERE state = 0 AND kind = 0")
    defer { least.statement.reset() }
    guard try least.statement.step(), !least.statement.isNull(0) else { return nil }
    return least.statement.int(0)
  }

  /// Returns the lowest number after which history takes at most some bytes.
  ///
  /// Each row is visited once: the history after the upper end of the interval is already summed
  /// up.
  private func byteCut(_ limit: Int64, _ least: Int64, _ head: Int64) throws -> Int64 {
    var (low, high, behind) = (least, head, Int64(0))
    guard try bytesUnmerged(least, head) > limit else { return 0 }
    // Invariant: more than the limit lies after `low`, and at most the limit after `high`.
    while high - low > 1 {
      let middle = low + (high - low) / 2
      let sum = behind + (try bytes(after: middle, through: high))
      if sum > limit { low = middle } else { (high, behind) = (middle, sum) }
    }
    return high
  }

  /// Returns the bytes after the slowest member's cursor, reading only what is new since last time.
  private func bytesUnmerged(_ least: Int64, _ head: Int64) throws -> Int64 {
    var sum = lastByteSum
    if sum.after != least || sum.through > head { sum = ByteSum(after: least, through: least) }
    sum.bytes += try bytes(after: sum.through, through: head)
    sum.through = head
    lastByteSum = sum
    return sum.bytes
  }
}

/// The size of a run of transactions, which is constant while they exist.
struct ByteSum {
  var after: Int64 = 0
  var through: Int64 = 0
  var bytes: Int64 = 0
}
