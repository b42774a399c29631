import HistoryInspection
import HistoryStore
import Measuring

/// The size of a history in its file, its growth, and the shares of its writers.
struct HistoryCost: Sendable, Hashable {
  /// The transactions of one day, counted from the newest transaction backwards.
  struct Day: Sendable, Hashable {
    /// The age of this day's transactions in whole days, relative to the newest transaction.
    ///
    /// 0 stands for the newest day.
    let age: Int
    var transactions = 0
    var changes = 0
    var bytes = 0.0
  }

  /// The transactions of one author.
  struct Writer: Sendable, Hashable {
    let author: OutlineAuthor
    var transactions = 0
    var changes = 0
    var bytes = 0.0
  }

  /// The bytes of the history's tables and indexes; `nil` if this SQLite cannot measure them.
  let bytes: Int64?
  /// The bytes of all pages of the database.
  let databaseBytes: Int64
  /// The mean growth in bytes per day, with a confidence interval.
  ///
  /// `nil` for fewer than ``daysMin`` whole days of history, or if ``bytes`` is `nil`.
  private(set) var growth: Interval?
  /// The days of history, newest first, without days before the oldest transaction.
  private(set) var days: [Day] = []
  /// The authors by descending number of bytes, then of transactions.
  private(set) var writers: [Writer] = []

  /// The minimum number of whole days from which growth is estimated.
  static let daysMin = 3
  /// The maximum number of days that are counted; older ones are left out.
  static let daysMax = 3650

  /// Adds up transactions, changes and bytes by author and by day, and estimates the growth.
  ///
  /// - Complexity: one visit to each transaction.
  init(_ history: PastHistory) {
    let outline = history.outline
    bytes = outline.storage.historyBytes
    databaseBytes = outline.storage.pageCount * outline.storage.pageBytes
    writers = outline.authors.map { Writer(author: $0) }
    for index in 0..<outline.count {
      let author = Int(outline.authorIndexes[index])
      writers[author].transactions += 1
      writers[author].changes += Int(outline.changeCounts[index])
      writers[author].bytes += Double(outline.bytes[index])
      if let newest = history.newestTime { addDay(outline, index, newest) }
    }
    writers.sort {
      ($1.bytes, $1.transactions, $0.author.name.text)
        < ($0.bytes, $0.transactions, $1.author.name.text)
    }
    growth = Self.growth(of: days, isMeasured: bytes != nil)
  }

  private mutating func addDay(_ outline: HistoryOutline, _ index: Int, _ newest: Double) {
    let seconds = newest - outline.timestamps[index]
    guard seconds.isFinite, seconds < Double(Self.daysMax) * 86400 else { return }
    let age = max(0, Int(seconds / 86400))
    while days.count <= age { days.append(Day(age: days.count)) }
    days[age].transactions += 1
    days[age].changes += Int(outline.changeCounts[index])
    days[age].bytes += Double(outline.bytes[index])
  }

  /// Returns the mean bytes per day, with a confidence interval.
  ///
  /// The oldest day is left out, because it is incomplete. The result is `nil` if `isMeasured` is
  /// `false`, or if fewer than ``daysMin`` days remain.
  private static func growth(of days: [Day], isMeasured: Bool) -> Interval? {
    let whole = days.dropLast().map(\.bytes)
    guard isMeasured, whole.count >= daysMin else { return nil }
    return Bootstrap(resamples: 1000, seed: 1).interval(units: whole.count) { drawn in
      drawn.reduce(0) { $0 + whole[$1] } / Double(drawn.count)
    }
  }

  /// The share of the database that the history takes, from 0 to 1; `nil` if not measured.
  var share: Double? {
    guard let bytes, databaseBytes > 0 else { return nil }
    return Double(bytes) / Double(databaseBytes)
  }

  /// The days until the history is twice as large; `nil` if its growth is unknown or may be 0.
  var doublingDays: Interval? {
    guard let growth, let bytes, growth.lower > 0 else { return nil }
    // More bytes a day double the history sooner: the bounds swap.
    return Interval(
      estimate: Double(bytes) / growth.estimate,
      lower: Double(bytes) / growth.upper,
      upper: Double(bytes) / growth.lower,
      confidence: growth.confidence
    )
  }
}
