import HistoryInspection
import HistoryStore
import HistoryTypes

/// A property of a history, such as equal timestamps, that is also a condition in which designs are
/// tested.
struct HistoryCondition: Sendable, Hashable {
  /// The name of the test condition, as the command `list conditions` prints it.
  let name: String
  /// The number of occurrences, at least 1.
  let count: Int
  /// A sentence about these occurrences, such as how many transactions have equal timestamps.
  let sentence: String
}

extension HistoryCondition {
  /// The least time between two transactions that counts as a pause, in seconds.
  static let pauseMin = 86_400.0

  /// Returns the test conditions that occur in a history, in the order of `list conditions`.
  ///
  /// - Complexity: one visit to each transaction.
  static func all(in history: PastHistory) -> [HistoryCondition] {
    var tally = HistoryConditionTally()
    for timestamp in history.outline.timestamps { tally.add(timestamp) }
    tally.bursts.finish()
    return clocks(tally) + load(tally) + authors(history) + cuts(history)
  }

  private static func clocks(_ tally: HistoryConditionTally) -> [HistoryCondition] {
    let longest = InspectUnits.duration(tally.longest)
    return [
      HistoryCondition(
        "ties",
        tally.ties,
        "\(tally.ties.counted("transaction has", "transactions have")) the timestamp of the one before: "
          + "a consumer that records dates skips or repeats them"
      ),
      HistoryCondition(
        "clock-back",
        tally.stepsBack,
        "\(tally.stepsBack.counted("transaction is", "transactions are")) earlier than the one before, by "
          + "at most \(InspectUnits.duration(tally.longestBack)): a consumer that records dates skips them"
      ),
      HistoryCondition(
        "pause",
        tally.pauses,
        "\(tally.pauses.counted("gap")) of more than a day, the longest \(longest): a purge by age "
          + "may delete transactions before an absent consumer merges them"
      ),
    ].compactMap(\.self)
  }

  private static func load(_ tally: HistoryConditionTally) -> [HistoryCondition] {
    let bursts = tally.bursts
    let transactions = bursts.transactions.counted("transaction")
    return [
      HistoryCondition(
        "lost-notification",
        bursts.sizes.count,
        "\(bursts.sizes.count.counted("burst")) with \(transactions) at most "
          + "\(InspectUnits.duration(BurstCounts.gapMax)) apart, the longest \(bursts.sizes.greatest ?? 0): "
          + "one notification may announce several commits"
      )
    ].compactMap(\.self)
  }

  private static func authors(_ history: PastHistory) -> [HistoryCondition] {
    let outline = history.outline
    let absent = outline.authors.firstIndex { $0.name == .absent }
    let absentCount = absent.map { index in
      outline.authorIndexes.count { Int($0) == index }
    }
    let mirrors = outline.authors.count(where: \.isMirror) + (outline.hasMirrorTables ? 1 : 0)
    let count = absentCount ?? 0
    return [
      HistoryCondition(
        "absent-author",
        count,
        "\(count.counted("transaction names", "transactions name")) no author: a consumer cannot "
          + "distinguish its own from those of others"
      ),
      HistoryCondition(
        "mirror-lag",
        mirrors,
        "a CloudKit mirror reads this history, often later than the app"
      ),
    ].compactMap(\.self)
  }

  private static func cuts(_ history: PastHistory) -> [HistoryCondition] {
    let gone = Int(clamping: history.goneCount)
    return [
      HistoryCondition(
        "retention",
        gone,
        "\(gone.counted("number is", "numbers are")) missing before the oldest transaction: history "
          + "was purged in the past"
      )
    ].compactMap(\.self)
  }

  /// Creates a condition; `nil` if `count` is 0.
  private init?(_ name: String, _ count: Int, _ sentence: String) {
    guard count > 0 else { return nil }
    self.init(name: name, count: count, sentence: sentence)
  }
}

/// Counts of equal, decreasing and far-apart timestamps of consecutive transactions.
struct HistoryConditionTally {
  private(set) var ties = 0
  private(set) var stepsBack = 0
  private(set) var pauses = 0
  /// The longest time between two consecutive transactions, in seconds.
  private(set) var longest = 0.0
  /// The longest step back from one timestamp to the next, in seconds.
  private(set) var longestBack = 0.0
  var bursts = BurstCounts()
  private var previous: Double?

  /// Adds the timestamp of the next transaction; an unreadable timestamp (NaN) is left out.
  mutating func add(_ timestamp: Double) {
    guard timestamp.isFinite else { return }
    defer { previous = timestamp }
    guard let previous else { return }
    let gap = timestamp - previous
    bursts.add(gap: gap >= 0 ? gap : nil)
    if gap < 0 {
      stepsBack += 1
      longestBack = max(longestBack, -gap)
    } else {
      if gap == 0 { ties += 1 }
      if gap > HistoryCondition.pauseMin { pauses += 1 }
      longest = max(longest, gap)
    }
  }
}
