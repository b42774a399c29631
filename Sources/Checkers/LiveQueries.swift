import HistoryTypes
package import Traces

/// Each live query shows what its context contains, and reports each change once.
///
/// Verifies, after each successful command of an actor with live queries: the last result that each
/// live query reported agrees with the query evaluated over the data of the reference model. It has
/// the same objects with the same values, in the requested order. Objects with equal sort values
/// are in the order of their keys. The result does not exceed its limit. It lacks matching objects
/// only once the limit is reached, and none whose sort values come before those of its last object.
/// The differences in each report lead from the previous result to the new one. No report repeats the
/// previous result. A live query ends with an error only after a fault.
///
/// Does not verify: the objects in transactions that the actor's view (its first context) has not
/// merged since it last read all data. A result may contain these objects in their old or their new
/// state, or not at all. These transactions include those of ignored authors, and those that a merge
/// hook handled in place of the default merge. After a write of unknown outcome nothing is compared
/// until the outcome is known. A live query with a condition or a sort order on a reference is not
/// compared with the data, because a plan does not know the keys that references contain.
package struct LiveQueries: Invariant {
  package static let name = "LiveQueries"
  package static let sentence =
    "A live query shows what its context contains, and reports each change once."
  package private(set) var violation: Violation?
  private var views: [ActorID: WatchedView] = [:]
  /// Whether the checker applies: the plan has live queries, and no actor has an older model.
  private let isPossible: Bool
  private let partial: Set<ActorID>
  private let references: [String: Set<String>]
  private var hasFault = false
  private var wasCompared = false

  package init(_ header: TraceHeader) {
    let plan = header.plan
    isPossible =
      !plan.header.hasOlderModel
      && plan.commands.contains { if case .watch = $0.action { true } else { false } }
    partial = isPossible ? Set(plan.header.actors.filter(\.isPartial).map(\.id)) : []
    references = Dictionary(
      (isPossible ? plan.header.model.entities : []).map { entity in
        (entity.name, Set(entity.attributes.filter { $0.reference != nil }.map(\.name)))
      }
    ) { first, _ in first }
  }

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard isPossible, violation == nil else { return }
    switch event.kind {
    case .committed(let transaction): commit(transaction, by: event.actor)
    case .fault: hasFault = true
    case .recovered: views.removeAll()
    default:
      guard let actor = event.actor else { return }
      if let clause = follow(event.kind, of: actor, on: timeline) {
        violation = Self.violation(at: event, because: "\(event.who)'s live query \(clause)")
      }
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    return wasCompared ? .valid : .unknown("No live query reported a result.")
  }

  // MARK: Events

  private mutating func commit(_ transaction: CommittedTransaction, by writer: ActorID?) {
    for actor in views.keys {
      views[actor]?.commit(transaction, isOwn: actor == writer && transaction.context == "view")
    }
  }

  /// Updates the state of an actor's view with an event.
  ///
  /// Returns a clause about an error in a live query of the actor; `nil` if there is none.
  private mutating func follow(
    _ kind: EventKind,
    of actor: ActorID,
    on timeline: Timeline
  ) -> String? {
    switch kind {
    case .registered, .launched: views[actor] = WatchedView()
    case .stopped, .crashed, .retired: views[actor] = nil
    case .resynced: views[actor]?.resync()
    case .called(let command, let word):
      views[actor]?.begin()
      if word == "watch" { views[actor]?.start(command, timeline.plan) }
    case .merged(let names): views[actor]?.merge(names)
    case .finished: views[actor]?.finish(timeline.named, on: timeline)
    case .listed(let report):
      return views[actor, default: WatchedView()]
        .take(report, hasFault: hasFault, isPartial: partial.contains(actor))
    case .ended(_, let outcome):
      views[actor]?.end(outcome)
      if outcome == .ok { return compare(actor, on: timeline) }
    default: break
    }
    return nil
  }

  /// Compares the live queries of an actor with the data.
  ///
  /// Returns a clause about the first difference; `nil` if there is none or the data are unknown.
  private mutating func compare(_ actor: ActorID, on timeline: Timeline) -> String? {
    guard let view = views[actor], !view.lists.isEmpty, timeline.ledger.undecided == nil,
      timeline.ledger.mismatch == nil, !timeline.mayHoldUnreported,
      let objects = timeline.ledger.objects
    else { return nil }
    for list in view.lists {
      guard let rows = list.rows else { return "\(list.title) reported no first result" }
      wasCompared = true
      let own = references[list.watch.entity] ?? []
      guard own.isDisjoint(with: list.watch.attributes) else { continue }
      let expected = ExpectedRows(list.watch, objects, except: view.openObjects)
      if let fault = expected.fault(of: rows) { return "\(list.title) \(fault)" }
    }
    return nil
  }
}

/// The view of a running actor: its live queries, and the transactions that the view may lack.
private struct WatchedView: Sendable {
  /// For each transaction that the view may lack, the objects that the transaction changed.
  private var unmerged: [TransactionName: Set<ObjectName>] = [:]
  /// The objects in the view's own saves that did not report success but were committed.
  private var unknown: Set<ObjectName> = []
  private(set) var lists: [ReportedList] = []
  private var startedCount = 0
  /// The number of the live query that the current command replaces if the command succeeds.
  ///
  /// The value is `nil` if the command replaces none.
  private var oldest: Int?
  /// The transaction that the current command has committed as a save of the view.
  private var saved: CommittedTransaction?
  /// The objects that were changed by the transactions which the current command has merged.
  private var mergedNow: Set<ObjectName> = []
  /// Whether the view has read all objects again in the current command, even unchanged ones.
  private var hasResynced = false
  private var isStarting = false

  /// The objects for which the view may be out of date.
  ///
  /// A live query may report them with old or new values, or leave them out.
  var openObjects: Set<ObjectName> { unmerged.values.reduce(into: unknown) { $0.formUnion($1) } }

  /// Notes that the view has read all objects again.
  mutating func resync() {
    unmerged.removeAll()
    unknown.removeAll()
    hasResynced = true
  }

  mutating func begin() {
    mergedNow.removeAll()
    hasResynced = false
    isStarting = false
  }

  mutating func start(_ command: Int?, _ plan: Plan) {
    guard let command, plan.commands.indices.contains(command),
      case .watch(let watch) = plan.commands[command].action
    else { return }
    isStarting = true
    startedCount += 1
    oldest = lists.count == PlannedWatch.countMax ? lists.first?.number : nil
    lists.append(ReportedList(number: startedCount, watch: watch))
  }

  mutating func commit(_ transaction: CommittedTransaction, isOwn: Bool) {
    guard !isOwn else {
      saved = transaction
      return
    }
    unmerged[transaction.name] = Set(transaction.changes.map(\.object))
  }

  mutating func merge(_ names: [TransactionName]) {
    for name in names {
      if let objects = unmerged.removeValue(forKey: name) { mergedNow.formUnion(objects) }
    }
  }

  /// Notes transactions that a merge hook handled, in place of the default merge.
  ///
  /// The view may lack their changes.
  mutating func finish(_ positions: [Int], on timeline: Timeline) {
    for position in positions where timeline.log.transactions.indices.contains(position) {
      let commit = timeline.log.transactions[position].commit
      unmerged[commit.name] = Set(commit.changes.map(\.object))
    }
  }

  /// Updates the view at the end of a command of its actor.
  ///
  /// If the command did not succeed but its save was committed, the view may lack the saved
  /// changes. A command `watch` starts a live query. If the view already has the maximum number of
  /// live queries, the new live query replaces the oldest one. If the command succeeded, the
  /// replaced live query is removed; otherwise the new live query is removed.
  mutating func end(_ outcome: Outcome) {
    if let saved, outcome != .ok { unknown.formUnion(saved.changes.map(\.object)) }
    saved = nil
    guard isStarting else { return }
    isStarting = false
    if outcome != .ok {
      lists.removeAll { $0.number == startedCount }
      startedCount -= 1
    } else {
      lists.removeAll { $0.number == oldest }
    }
  }

  /// Updates a live query with its new report.
  ///
  /// Returns a clause about an error in the report; `nil` if there is none.
  mutating func take(_ report: LiveReport, hasFault: Bool, isPartial: Bool) -> String? {
    guard let index = lists.firstIndex(where: { $0.number == report.list }) else {
      return "\(report.list) reports a result, but no command started this query"
    }
    if let failure = report.failure {
      let list = lists.remove(at: index)
      return hasFault ? nil : "\(list.title) ended, and the plan does not explain why: \(failure)"
    }
    let mayRepeat = openObjects.union(mergedNow)
    defer { lists[index].rows = report.rows }
    let isExcused = isPartial || hasResynced
    return lists[index].fault(of: report) { isExcused || mayRepeat.contains($0) }
      .map { "\(lists[index].title) \($0)" }
  }
}

/// A live query, and the result that it reported last.
private struct ReportedList: Sendable {
  /// The number of the live query among those of its process.
  let number: Int
  let watch: PlannedWatch
  /// The last reported result; `nil` before the first report.
  var rows: [ListedRow]?

  /// The query's number and its request, for messages: `1 (the first 2 of Item by -count)`.
  var title: String {
    let first = watch.limit.map { "the first \($0) of " } ?? ""
    let conditions = watch.conditions.isEmpty ? "" : ", with conditions"
    let orders = watch.orders.map { ($0.isAscending ? "" : "-") + $0.attribute }
    let sorted = orders.isEmpty ? "" : " by " + orders.joined(separator: ", ")
    return "\(number) (\(first)\(watch.entity)\(sorted)\(conditions))"
  }

  /// Returns a clause about an error in the differences of a report; `nil` if they are correct.
  ///
  /// `mayRepeat` returns whether the previous result may already have contained the new values of an
  /// object that the report lists as updated.
  func fault(of report: LiveReport, mayRepeat: (ObjectName) -> Bool) -> String? {
    let before = rows ?? []
    guard Self.keys(before.map(\.key), after: report) == report.rows.map(\.key) else {
      return "reports differences that do not lead from \(Self.text(before)) to "
        + Self.text(report.rows)
    }
    guard rows != nil, report.removed.isEmpty, report.inserted.isEmpty else { return nil }
    let changes = zip(before, report.rows).contains { !$0.values.isSame(as: $1.values) }
    return changes || report.updated.contains(where: mayRepeat)
      ? nil : "reports \(Self.text(report.rows)) again, although nothing has changed"
  }

  /// Applies the differences of a report to the keys of the previous result, and returns the new keys.
  ///
  /// The result is `nil` if the differences do not fit the previous result.
  private static func keys(_ before: [Int64], after report: LiveReport) -> [Int64]? {
    let (removed, inserted) = (Set(report.removed), Set(report.inserted))
    guard removed.isSubset(of: before.indices), inserted.isSubset(of: report.rows.indices) else {
      return nil
    }
    var kept = before.indices.filter { !removed.contains($0) }.map { before[$0] }.makeIterator()
    var keys: [Int64] = []
    for position in report.rows.indices {
      guard !inserted.contains(position) else {
        keys.append(report.rows[position].key)
        continue
      }
      guard let key = kept.next() else { return nil }
      keys.append(key)
    }
    return kept.next() == nil ? keys : nil
  }

  private static func text(_ rows: [ListedRow]) -> String {
    "[" + rows.map(\.object.description).joined(separator: ", ") + "]"
  }
}

/// The objects that a live query must show, with their sort values.
private struct ExpectedRows {
  private let watch: PlannedWatch
  private let objects: Objects
  /// The objects for which the actor's view (its first context) may be out of date.
  ///
  /// The live query's result may contain such an object in any state, or not contain it.
  private let open: Set<ObjectName>
  /// The matching objects that are not in ``open``, in the order of the live query.
  private let matching: [(object: ObjectName, sorted: [Value])]

  init(_ watch: PlannedWatch, _ objects: Objects, except open: Set<ObjectName>) {
    self.watch = watch
    self.objects = objects
    self.open = open
    var matching: [(object: ObjectName, sorted: [Value])] = []
    for (object, values) in objects where Self.matches(object, values, watch) {
      if !open.contains(object) { matching.append((object, watch.orders.values(in: values))) }
    }
    self.matching = matching.sorted { left, right in
      if watch.orders.precede(left.sorted, right.sorted) { return true }
      return !watch.orders.precede(right.sorted, left.sorted) && left.object < right.object
    }
  }

  private static func matches(_ name: ObjectName, _ values: Values, _ watch: PlannedWatch) -> Bool {
    name.entity == watch.entity && watch.conditions.allSatisfy { $0.holds(for: values) }
  }

  /// Returns a clause about an error in a result; `nil` if the result is correct.
  func fault(of rows: [ListedRow]) -> String? {
    if let limit = watch.limit, rows.count > limit {
      return "shows \(rows.count.counted("object")), more than its limit"
    }
    if Set(rows.map(\.key)).count < rows.count { return "shows an object twice" }
    let fixed = rows.filter { !isOpen($0.object) }
    for row in fixed {
      if let fault = fault(of: row) { return fault }
    }
    return orderFault(of: fixed) ?? gap(in: fixed, isFull: rows.count == watch.limit)
  }

  /// Returns whether an object in a result is not checked: the view may be out of date for it.
  ///
  /// A negative key denotes an outdated object whose name the plan now uses for another object. Such
  /// an object is not checked if the view may be out of date for any object of its entity.
  private func isOpen(_ object: ObjectName) -> Bool {
    object.key < 0 ? open.contains { $0.entity == object.entity } : open.contains(object)
  }

  private func fault(of row: ListedRow) -> String? {
    guard let values = objects[row.object] else {
      return "shows \(row.object), which does not exist"
    }
    if let attribute = values.firstDifference(from: row.values) {
      return "shows \(attribute) = \(row.values[attribute] ?? .null) for \(row.object), "
        + "which has \(values[attribute] ?? .null)"
    }
    return Self.matches(row.object, values, watch)
      ? nil : "shows \(row.object), which does not match"
  }

  private func orderFault(of rows: [ListedRow]) -> String? {
    for (row, next) in zip(rows, rows.dropFirst()) {
      let values = watch.orders.values(in: row.values)
      let others = watch.orders.values(in: next.values)
      if watch.orders.precede(others, values) {
        return "shows \(row.object) before \(next.object), which must come first"
      }
      if !watch.orders.precede(values, others), row.key > next.key {
        return "shows \(row.object) before \(next.object), which has the same sort values and a "
          + "smaller key"
      }
    }
    return nil
  }

  /// Returns a clause about a missing object; `nil` if none is missing.
  ///
  /// `rows` are the rows of the result, without the objects for which the view may be out of date.
  /// If `isFull` is `true`, the result has as many rows as its limit allows. An object then counts
  /// as missing only if its sort values come before those of the last of `rows`.
  private func gap(in rows: [ListedRow], isFull: Bool) -> String? {
    let shown = Set(rows.map(\.object))
    let missing = matching.first { !shown.contains($0.object) }
    guard let missing else { return nil }
    guard isFull else { return "does not show \(missing.object), which matches" }
    guard let last = rows.last,
      watch.orders.precede(missing.sorted, watch.orders.values(in: last.values))
    else { return nil }
    return "does not show \(missing.object), which comes before \(last.object)"
  }
}

extension PlannedWatch {
  /// The attributes that the conditions and the sort orders use.
  fileprivate var attributes: Set<String> {
    conditions.reduce(into: Set(orders.map(\.attribute))) { $0.formUnion($1.attributes) }
  }
}

extension PlannedCondition {
  fileprivate var attributes: Set<String> {
    switch self {
    case .compare(let name, _, _), .among(let name, _), .between(let name, _, _),
      .like(let name, _):
      [name]
    case .all(let parts), .any(let parts):
      parts.reduce(into: []) { $0.formUnion($1.attributes) }
    case .not(let part): part.attributes
    }
  }
}
