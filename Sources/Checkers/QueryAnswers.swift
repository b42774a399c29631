import HistoryTypes
import Traces

/// The expected answers to queries, computed from the transactions that were committed and purged.
///
/// SQL is not used: every condition is evaluated on the transactions as their commits reported
/// them. No answer is checked while the outcome of a write or a purge is uncertain.
struct QueryAnswers: Sendable {
  /// The query in progress; `nil` if the current command is not a query.
  private var query: PlannedQuery?
  /// Whether a query has requested a purge.
  ///
  /// Tokens below the purge's bound may then expire, even if the purge failed or removed no
  /// transaction.
  private var hasPurged = false
  /// The time of the last purge, from which the interval to the next purge is measured.
  private var lastPurge = LastPurge.never
  /// The time of the last purge before the current `purge` or `due` query.
  ///
  /// It decides whether a `due` query, which purges only after an interval, had to purge.
  private var lastPurgeBefore = LastPurge.never
  /// Whether a power-off has occurred, which loses the store's signals (notifications of commits).
  ///
  /// The answers to three kinds of queries are then no longer checked: `signals`, and the tests
  /// `visit` and `tour` of a member that exists only during the query.
  private var hasLostPower = false
  /// The positions of the transactions that the current command has purged.
  private var purged: Set<Int> = []
  /// Whether a fault was injected: a failed purge may have left rows in the file.
  private var hasFault = false

  /// Updates the current query and the purged transactions; call it for every event.
  mutating func observe(_ event: Event, on timeline: Timeline) {
    switch event.kind {
    case .called(let command, let word):
      // In an empty store, commands count as purges only under a strategy that purges at intervals.
      if LastPurge.words.contains(word), timeline.log.count > 0 || timeline.purgesAtIntervals {
        lastPurge = .unknown
      }
      query = nil
      guard word == "query" else { return }
      purged = []
      query = command.flatMap { timeline.plan.commands.indices.contains($0) ? $0 : nil }
        .flatMap { position in
          if case .query(let query) = timeline.plan.commands[position].action { query } else { nil }
        }
      if query?.form == .purge || query?.form == .due { hasPurged = true }
    case .fault:
      hasFault = true
      lastPurge = .unknown
    case .recovered:
      hasLostPower = true
      lastPurge = .unknown
    case .purged where query != nil: purged.formUnion(timeline.named.filter { $0 >= 0 })
    default: break
    }
  }

  /// Returns why an answer is wrong, or `nil` if it is right.
  ///
  /// - Complexity: linear in the transactions and their changes, times the conditions.
  mutating func fault(of answer: QueryAnswer, on timeline: Timeline) -> String? {
    if let query, query.form == .purge || query.form == .due { noteDue(query, answer) }
    guard let query, !timeline.isHistoryUncertain, !timeline.command.hasFault else { return nil }
    if hasFault, [.rows, .lags, .verify].contains(query.form) { return nil }
    if [.signals, .visit, .tour].contains(query.form), hasFault || hasLostPower { return nil }
    let head = timeline.log.transactions.last?.commit.name
    guard answer.head == head else {
      return
        "names \(answer.head.map { "#\($0)" } ?? "none") as the newest transaction, which is "
        + (head.map { "#\($0)" } ?? "none")
    }
    let asked = AskedQuery(query, answer, timeline, mayBePurged: mayBePurged)
    guard !asked.isAmbiguous else { return nil }
    if query.form == .purge { return purgeFault(asked, answer) }
    if query.form == .due, let isDue = answer.isDue {
      if let fault = dueFault(query, isDue, answer.now) { return fault }
      return isDue ? purgeFault(asked, answer) : nil
    }
    if hasPurged, answer.lines == QueryAnswer.expired { return nil }
    return asked.fault(answer.lines)
  }

  /// Returns why a purge or its reported result is wrong, or `nil` if both are right.
  ///
  /// The result is not checked after a fault, because a failed purge may have left rows that the next
  /// purge counts.
  private func purgeFault(_ asked: AskedQuery, _ answer: QueryAnswer) -> String? {
    asked.fault(of: purged)
      ?? (hasFault ? nil : asked.fault(of: answer.lines, having: purged))
  }

  // MARK: The time of the last purge

  private var mayBePurged: Bool { if case .never = lastPurge { false } else { true } }

  private mutating func noteDue(_ query: PlannedQuery, _ answer: QueryAnswer) {
    lastPurgeBefore = lastPurge
    // A purge before a position resets the interval only if it has purged a transaction.
    guard query.form == .due, let isDue = answer.isDue else {
      lastPurge = .unknown
      return
    }
    if isDue { lastPurge = .at(answer.now) }
  }

  private func dueFault(_ query: PlannedQuery, _ isDue: Bool, _ now: Double) -> String? {
    var seconds = 0.0
    if case .ago(let some) = query.start { seconds = some }
    guard let expected = lastPurgeBefore.isDue(after: seconds, now: now), expected != isDue else {
      return nil
    }
    return expected
      ? "says that a purge is not due, although the interval is over"
      : "is wrong: the query purged before the interval was over"
  }
}

extension Timeline {
  /// Whether the strategy of an actor purges at intervals.
  fileprivate var purgesAtIntervals: Bool {
    plan.header.actors.contains { $0.strategy?.hasPrefix("byDuration") ?? false }
  }
}

/// The time of the last purge, from which the interval to the next purge is measured.
private enum LastPurge: Sendable {
  case never
  /// Seconds since 2001-01-01 UTC.
  case at(Double)
  case unknown

  /// The words of the commands, other than queries, that may purge.
  static let words: Set<String> = ["pass", "purge", "launch", "deliver", "poll", "belated"]

  /// Returns whether a purge is due after an interval; `nil` if the time of the last purge is unknown.
  ///
  /// Times are compared in whole milliseconds. If the last purge has a later time than `now`, a
  /// purge is due.
  func isDue(after seconds: Double, now: Double) -> Bool? {
    switch self {
    case .never: return true
    case .unknown: return nil
    case .at(let last):
      let (last, now) = ((last * 1000).rounded(.down), (now * 1000).rounded(.down))
      return now < last || now - last >= seconds * 1000
    }
  }
}

extension QueryAnswer {
  /// Whether a purge was due, according to the answer; `nil` if the answer does not state this.
  fileprivate var isDue: Bool? {
    switch lines.first {
    case "not due": false
    case let line?: line.hasPrefix("purged ") ? true : nil
    case nil: nil
    }
  }
}
