import PersistentHistory
import SQLiteStorage

/// Where retention limits cut, and what they met.
struct RetentionCut {
  /// An actor that has not merged through this number is cut off.
  var number: Int64 = 0
  /// The gaps that count for nothing, the newest first.
  var jumps: [TimestampJump] = []
}

extension StoreCore {
  /// Where an order cuts actors off.
  func cut(_ order: PurgeOrder) throws -> RetentionCut {
    var cut = try retentionCut(order.limits)
    if order.isCuttingOff {
      cut.number = max(cut.number, min(order.wanted, try head().number - 1))
    }
    return cut
  }

  /// Marks the actors below a number as lost, and names them; a consumer never is.
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

  /// Where limits cut, if every actor agrees: a limit that differs holds in its loosest form, so that
  /// nobody is cut off by another's configuration.
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

  /// The least number behind which history takes no more than so many bytes.
  ///
  /// Each row is looked at once: what lies behind the upper end of the interval is summed up already.
  private func byteCut(_ limit: Int64, _ least: Int64, _ head: Int64) throws -> Int64 {
    var (low, high, behind) = (least, head, Int64(0))
    guard try bytesUnmerged(least, head) > limit else { return 0 }
    // More than the limit lies behind `low`, no more than it behind `high`.
    while high - low > 1 {
      let middle = low + (high - low) / 2
      let sum = behind + (try bytes(after: middle, through: high))
      if sum > limit { low = middle } else { (high, behind) = (middle, sum) }
    }
    return high
  }

  /// The bytes behind the slowest actor: only what is new since the last time is looked at.
  private func bytesUnmerged(_ least: Int64, _ head: Int64) throws -> Int64 {
    var sum = lastByteSum
    if sum.after != least || sum.through > head { sum = ByteSum(after: least, through: least) }
    sum.bytes += try bytes(after: sum.through, through: head)
    sum.through = head
    lastByteSum = sum
    return sum.bytes
  }
}

/// The bytes of a run of transactions, which never change while they are there.
struct ByteSum {
  var after: Int64 = 0
  var through: Int64 = 0
  var bytes: Int64 = 0
}
