import HistoryTypes
package import Traces

/// History has a change for every effect of a write, with the changed columns, and no other change.
///
/// Verifies: each update that a commit or history reports names every attribute whose value the
/// update changed, and only attributes that the write set. Reported values are the values after the
/// write. When history is read, it contains exactly the committed transactions that were not
/// purged, in commit order, with the author and the changes that were reported at the commit. If
/// the plan requires monotone timestamps, they rise strictly in commit order.
///
/// The answer to each query of history, and the effect of each purge of a part of history, is
/// exactly what the committed transactions and the filter determine. Each consumer that reads page
/// by page receives every transaction after its confirmed position once, in order and with its
/// changes. It receives a transaction again if it did not confirm the transaction. No write, query
/// or reading fails without a reason in the plan. Convergence checks that the data follow the
/// reported changes. The two invariants together verify that history has every change of the data.
///
/// Does not verify: columns and values that a system never reports; tombstones (TombstoneFidelity);
/// writes between a write of unknown outcome and the event that shows its outcome.
package struct HistoryExplainsData: Invariant {
  package static let name = "HistoryExplainsData"
  package static let sentence =
    "Every change of the data is in history, and history has no other change."
  package private(set) var violation: Violation?
  /// The first update that was reported without its changed columns.
  ///
  /// This is a violation only if another update in the trace is reported with columns: a system may
  /// report no columns at all.
  private var bare: Violation?
  private var hasColumns = false
  private var hasHistory = false
  private var answers = QueryAnswers()
  private var readings = ConsumerReadings()
  private let entities: [String: Entity]
  /// The commands that write or read history.
  private static let words: Set<String> = ["write", "batch", "commit", "query", "read"]
  /// Whether timestamps must rise in commit order.
  private let timesRise: Bool

  package init(_ header: TraceHeader) {
    let entities = header.plan.header.model.entities
    timesRise = header.plan.header.timestamps == .monotone
    self.entities = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
  }

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil else { return }
    answers.observe(event, on: timeline)
    if let failure = timeline.unexplainedFailure(event), Self.words.contains(timeline.command.word)
    {
      let because =
        "\(event.who)'s \(timeline.command.word) failed, and the plan does not explain why: \(failure)"
      violation = Self.violation(at: event, because: because)
      return
    }
    if let fault = readings.fault(of: event, on: timeline) {
      let because = "\(event.who) \(fault)"
      violation = Self.violation(at: event, because: because)
      return
    }
    switch event.kind {
    case .answered(let answer):
      if let fault = answers.fault(of: answer, on: timeline) {
        violation = Self.violation(
          at: event,
          because: "the answer to \(event.who)'s query \(fault)"
        )
      }
    case .committed(let transaction): commit(transaction, event, on: timeline)
    case .history(let held): compare(held, event, on: timeline)
    default: break
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    if hasColumns, let bare { return .invalid(bare) }
    guard hasHistory || hasColumns else {
      return .unknown("No event of the trace reports changed columns or the content of history.")
    }
    return .valid
  }

  /// Adds to `state` whether any update was reported without its changed columns, and any with.
  func describe(_ state: inout StateSketch) {
    state.add(bare != nil)
    state.add(hasColumns)
  }

  // MARK: Commits

  private mutating func commit(
    _ transaction: CommittedTransaction,
    _ event: Event,
    on timeline: Timeline
  ) {
    checkTime(transaction, event, on: timeline)
    guard violation == nil, let net = timeline.ledger.net, let objects = timeline.ledger.objects
    else { return }
    for change in transaction.changes where change.type != .delete {
      guard let expected = net.first(where: { $0.object == change.object }) else { continue }
      let after = objects[change.object] ?? [:]
      let fault =
        Self.wrongValue(change, after) ?? wrongColumn(change, expected, after, event, transaction)
      guard let fault else { continue }
      return accuse(event, "\(event.who)'s write #\(transaction.name) \(fault)", transaction.name)
    }
  }

  /// Checks that timestamps rise; the timestamp 0 means that the system reports no timestamp.
  private mutating func checkTime(
    _ transaction: CommittedTransaction,
    _ event: Event,
    on timeline: Timeline
  ) {
    guard timesRise, let last = timeline.log.transactions.last, last.commit.timestamp != 0,
      transaction.timestamp != 0, transaction.timestamp <= last.commit.timestamp
    else { return }
    accuse(
      event,
      "\(event.who)'s write #\(transaction.name) has the time \(transaction.timestamp), which is not "
        + "later than that of #\(last.commit.name) before it",
      transaction.name
    )
  }

  private static func wrongValue(_ change: CommittedChange, _ after: Values) -> String? {
    for (attribute, value) in change.values.sorted(by: { $0.key < $1.key })
    where !value.isSame(as: after[attribute] ?? .null) {
      return "reports \(attribute) = \(value) for \(change.object), but the value after "
        + "the write is \(after[attribute] ?? .null)"
    }
    return nil
  }

  private mutating func wrongColumn(
    _ change: CommittedChange,
    _ net: NetChange,
    _ after: Values,
    _ event: Event,
    _ transaction: CommittedTransaction
  ) -> String? {
    let set = entities[change.object.entity]?.names(in: net.columns) ?? []
    guard change.type == .update, net.type == .update, !net.isReplacement, let before = net.before
    else { return nil }
    if change.columns.isEmpty {
      guard bare == nil, net.changesValues else { return nil }
      bare = Self.violation(
        at: event,
        because: "\(event.who)'s write #\(transaction.name) reports no column for its update of "
          + "\(change.object)",
        transaction: transaction.name
      )
      return nil
    }
    hasColumns = true
    for (attribute, value) in after.sorted(by: { $0.key < $1.key })
    where !value.isSame(as: before[attribute] ?? .null) && !change.columns.contains(attribute) {
      return "changed \(attribute) of \(change.object) and does not report that column"
    }
    let invented = change.columns.first { !set.contains($0) }
    return invented.map { "reports the column \($0) of \(change.object), which it did not set" }
  }

  // MARK: History

  private mutating func compare(
    _ held: [CommittedTransaction],
    _ event: Event,
    on timeline: Timeline
  ) {
    hasHistory = true
    guard let (because, name) = Self.fault(of: held, on: timeline) else { return }
    accuse(event, because, name)
  }

  /// Returns the first fault in a report of the whole history, and its transaction.
  ///
  /// The result is `nil` if history contains exactly the transactions that were committed and not
  /// purged, with the content that was reported at their commits. Additional or missing transactions
  /// are accepted while the outcome of a write or a purge is uncertain.
  static func fault(
    of held: [CommittedTransaction],
    on timeline: Timeline
  ) -> (because: String, TransactionName)? {
    var next = 0
    for transaction in held {
      guard let position = timeline.log.position(of: transaction.name) else {
        guard !timeline.mayHoldUnreported else { continue }
        return ("history holds #\(transaction.name), which was never committed", transaction.name)
      }
      if let missing = lack(in: next..<max(next, position), on: timeline) { return missing }
      if let fault = fault(of: transaction, at: position, next: next, on: timeline) {
        return ("history \(fault)", transaction.name)
      }
      next = position + 1
    }
    return lack(in: next..<timeline.log.count, on: timeline)
  }

  private static func lack(
    in positions: Range<Int>,
    on timeline: Timeline
  ) -> (because: String, TransactionName)? {
    missing(positions, on: timeline).map { missing in
      (
        "history lacks \(timeline.label(missing)), which no purge removed",
        timeline.log.transactions[missing].commit.name
      )
    }
  }

  private static func missing(_ positions: Range<Int>, on timeline: Timeline) -> Int? {
    positions.first { position in
      !timeline.log.statuses[position].isPurged && !timeline.log.statuses[position].mayBePurged
    }
  }

  private static func fault(
    of held: CommittedTransaction,
    at position: Int,
    next: Int,
    on timeline: Timeline
  ) -> String? {
    let label = timeline.label(position)
    guard position >= next else { return "has \(label) out of commit order" }
    guard !timeline.log.statuses[position].isPurged else {
      return "still holds \(label), which was purged"
    }
    let committed = timeline.log.transactions[position].commit
    guard held.author == committed.author else {
      return "reports a different author for \(label) than its commit did"
    }
    guard same(held.changes, committed.changes) else {
      return "reports different changes for \(label) than its commit did"
    }
    return nil
  }

  /// Returns whether two reports of one transaction agree; details in only one of them are ignored.
  private static func same(_ first: [CommittedChange], _ second: [CommittedChange]) -> Bool {
    guard first.count == second.count else { return false }
    func sorted(_ changes: [CommittedChange]) -> [CommittedChange] {
      guard changes.count > 1 else { return changes }
      return changes.sorted { ($0.object, $0.type.rawValue) < ($1.object, $1.type.rawValue) }
    }
    return zip(sorted(first), sorted(second)).allSatisfy { left, right in
      let haveColumns = !left.columns.isEmpty && !right.columns.isEmpty
      return left.type == right.type && left.object == right.object
        && (!haveColumns || Set(left.columns) == Set(right.columns))
    }
  }

  private mutating func accuse(_ event: Event, _ because: String, _ transaction: TransactionName) {
    violation = Self.violation(at: event, because: because, transaction: transaction)
  }
}
