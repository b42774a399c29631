import HistoryInspection
import HistoryStore

/// A past time at which a consumer would have missed transactions that a purge would have deleted.
struct PastCut: Sendable, Hashable {
  /// The author whose writes show when the consumer ran.
  let consumer: String
  /// The time of the write that ended the consumer's absence, in seconds since 2001-01-01 UTC.
  let time: Double
  /// The length of the absence: the seconds since the consumer's previous write.
  let gapSeconds: Double
  /// The number of other authors' transactions that the consumer would have missed.
  let transactions: Int
  /// The number of changes in the transactions that the consumer would have missed.
  let changes: Int
}

/// A simulation of purges that would have run during the history that a file contains.
///
/// The simulation assumes that a consumer runs, and merges everything, whenever it writes under its
/// author, and that it is off between two of its writes. It assumes that each purge runs all the
/// time. The consumer is cut off if, while it is off, a purge deletes a transaction of another
/// author that it has not merged.
struct PastReplay: Sendable {
  /// A past time at which a consumer would have missed transactions if one purge had always run.
  ///
  /// `plan` is the index of that purge in the list of replayed purges.
  struct Entry: Sendable {
    let plan: Int
    let cut: PastCut
  }

  /// The maximum number of authors that count as consumers; the most frequent authors are taken.
  static let authorsMax = 32

  /// The past losses, in order of time.
  ///
  /// Each is a time at which a consumer would have missed transactions if a purge had always run.
  private(set) var cuts: [Entry] = []
  private let plans: [PurgePlan]
  private let history: PastHistory
  private let ageMin: Double
  private let countMin: Int
  /// Whether timestamps never decrease.
  ///
  /// If so, and if two writes of an author are no further apart than the age limit of a purge, the
  /// purge deletes no transaction between them before the second write: none is old enough yet.
  private let isRising: Bool

  /// Finds the transactions that consumers would have missed if each purge had always run.
  ///
  /// The consumers are at most ``authorsMax`` authors that may read history as well as write it. If
  /// the store has active members, nothing is missed, because purges wait for these members.
  ///
  /// - Complexity: linear in the transactions for each pair of a purge and such an author.
  init(_ plans: [PurgePlan], _ history: PastHistory, writesOnly: Set<String>) {
    self.plans = plans
    self.history = history
    ageMin = plans.compactMap(\.age).min() ?? .infinity
    countMin = plans.compactMap(\.kept).min() ?? .max
    let timestamps = history.outline.timestamps
    isRising = zip(timestamps, timestamps.dropFirst()).allSatisfy { $0 <= $1 }
    guard history.outline.watermark == nil else { return }
    for author in Self.readers(history, writesOnly) { replay(author) }
    cuts.sort { ($0.cut.time, $0.plan) < ($1.cut.time, $1.plan) }
  }

  /// Returns the indexes of the authors that may read history as well as write it.
  ///
  /// At most ``authorsMax`` authors are returned, most frequent first.
  static func readers(_ history: PastHistory, _ writesOnly: Set<String>) -> [Int] {
    let outline = history.outline
    var counts = Array(repeating: 0, count: outline.authors.count)
    for author in outline.authorIndexes { counts[Int(author)] += 1 }
    let named = outline.authors.indices.filter { index in
      outline.authors[index].readerName.map { !writesOnly.contains($0) } ?? false
    }
    return Array(named.sorted { (counts[$1], $0) < (counts[$0], $1) }.prefix(authorsMax))
  }

  private mutating func replay(_ author: Int) {
    let outline = history.outline
    var previous: Int?
    for index in 0..<outline.count where Int(outline.authorIndexes[index]) == author {
      defer { previous = index }
      guard let previous else { continue }
      let gap = outline.timestamps[index] - outline.timestamps[previous]
      let mayLose = !isRising || gap > ageMin || index - previous > countMin
      if mayLose { replay(author, previous, index, gap) }
    }
  }

  /// Finds what each purge would have cost an author during one absence, and adds it to ``cuts``.
  ///
  /// The author wrote the transaction at the index `left`, was then absent for `gap` seconds, and
  /// wrote the one at `back`. It would have missed those transactions between the two that a purge
  /// just before `back` would have deleted.
  private mutating func replay(_ author: Int, _ left: Int, _ back: Int, _ gap: Double) {
    let outline = history.outline
    let now = outline.timestamps[back]
    var missed = plans.map { _ in (transactions: 0, changes: 0) }
    for index in left + 1..<back where !history.isProtected[Int(outline.authorIndexes[index])] {
      let timestamp = outline.timestamps[index]
      for (place, plan) in plans.enumerated() {
        let isGone =
          switch plan {
          case .olderThan(let days): timestamp < now - days * 86400
          case .newest(let count): back - index > count
          case .merged: false
          }
        guard isGone else { continue }
        missed[place].transactions += 1
        missed[place].changes += Int(outline.changeCounts[index])
      }
    }
    for (place, missed) in missed.enumerated() where missed.transactions > 0 {
      let cut = PastCut(
        consumer: outline.authors[author].name.text,
        time: now,
        gapSeconds: gap,
        transactions: missed.transactions,
        changes: missed.changes
      )
      cuts.append(Entry(plan: place, cut: cut))
    }
  }
}

extension PurgePlan {
  /// The age in seconds above which the purge deletes transactions; `nil` if it has another rule.
  fileprivate var age: Double? {
    guard case .olderThan(let days) = self else { return nil }
    return days * 86400
  }

  /// The number of newest transactions that the purge keeps; `nil` if it has another rule.
  fileprivate var kept: Int? {
    guard case .newest(let count) = self else { return nil }
    return count
  }
}

/// The transactions that a history still has, with values that several analyses derive from them.
struct PastHistory: Sendable {
  let outline: HistoryOutline
  /// For each author, by the index in ``outline``, whether purges keep the author's transactions.
  let isProtected: [Bool]
  /// The timestamp of the newest transaction that has one, in seconds since 2001-01-01 UTC.
  let newestTime: Double?
  /// The index of the oldest transaction that a purge may delete; `nil` if none may be deleted.
  let oldestIndex: Int?
  /// The number of deleted transactions that were older than the one at ``oldestIndex``.
  let goneCount: Int64
  /// The number of changes in all kept transactions.
  let changeCount: Int

  /// Creates the value and derives all other properties from the outline.
  ///
  /// - Complexity: one visit to each transaction.
  init(_ outline: HistoryOutline) {
    self.outline = outline
    let protected = outline.authors.map(\.isProtected)
    isProtected = protected
    newestTime = outline.timestamps.last { $0.isFinite }
    let oldest = outline.authorIndexes.firstIndex { !protected[Int($0)] }
    oldestIndex = oldest
    goneCount = oldest.map { outline.numbers[$0] - 1 - Int64($0) } ?? 0
    changeCount = outline.changeCounts.reduce(0) { $0 + Int($1) }
  }

  /// Whether some history was purged in the past.
  var wasPurged: Bool { goneCount > 0 }

  /// The time in seconds from the oldest transaction that a purge may delete to the newest of all.
  ///
  /// Transactions without a timestamp are skipped. `nil` if a purge may delete none, or if none has
  /// a timestamp.
  var keptSeconds: Double? {
    guard let oldestIndex, let newestTime else { return nil }
    let oldest = outline.timestamps[oldestIndex...].first { $0.isFinite }
    return oldest.map { max(0, newestTime - $0) }
  }

  /// The number of the newest transaction; 0 if history is empty.
  var head: Int64 { outline.numbers.last ?? 0 }

  /// Returns whether history after a position was deleted already.
  ///
  /// For a date, the result is `true` if the date is before the oldest transaction that is still
  /// kept.
  func isGone(after position: Consumer.Position) -> Bool {
    guard wasPurged, let oldestIndex else { return false }
    let first = outline.numbers[oldestIndex]
    switch position {
    case .number(let number):
      let kept = oldestIndex - outline.firstIndex(after: number)
      return number < first - 1 && first - 1 - number > Int64(max(0, kept))
    case .date(let date):
      let oldest = outline.timestamps[oldestIndex]
      return oldest.isFinite && date < oldest
    case .unknown: return false
    }
  }
}
