import HistoryTypes
import Traces

/// A plan's query with its answer, and the timeline from which the right answer is computed.
struct AskedQuery {
  let query: PlannedQuery
  let answer: QueryAnswer
  let timeline: Timeline
  let head: Int64
  /// Whether any command so far may have purged history.
  let mayBePurged: Bool

  init(
    _ query: PlannedQuery,
    _ answer: QueryAnswer,
    _ timeline: Timeline,
    mayBePurged: Bool
  ) {
    self.query = query
    self.answer = answer
    self.timeline = timeline
    self.mayBePurged = mayBePurged
    head = answer.head.flatMap { Int64($0) } ?? 0
  }

  var statuses: [TransactionStatus] { timeline.log.statuses }

  func commit(_ position: Int) -> CommittedTransaction {
    timeline.log.transactions[position].commit
  }

  func number(_ position: Int) -> Int64 { Int64(commit(position).name) ?? 0 }

  /// Whether any transaction has no number or no changes.
  ///
  /// The right order, or the right result of a filter, is then undefined.
  var isAmbiguous: Bool {
    timeline.log.transactions.contains { transaction in
      transaction.commit.changes.isEmpty || Int64(transaction.commit.name) == nil
    }
  }

  // MARK: The position

  /// The transaction number after which the query starts.
  ///
  /// `nil` if history does not contain the transaction with this number, or if the query starts at
  /// the beginning of history or at a date.
  var bound: Int64? {
    guard case .behind(let count) = query.start else { return nil }
    let wanted = head - Int64(count)
    let isHeld = statuses.indices.contains { number($0) == wanted && !statuses[$0].isPurged }
    return isHeld ? wanted : nil
  }

  var date: Double? {
    if case .ago(let seconds) = query.start { answer.now - seconds } else { nil }
  }

  private func isAfterStart(_ position: Int) -> Bool {
    if let date { return commit(position).timestamp > date }
    return number(position) > bound ?? 0
  }

  // MARK: Requests

  /// Returns why the lines are not the right answer to the query; `nil` if they are.
  func fault(_ lines: [String]) -> String? {
    switch query.form {
    case .transaction: return difference(lines, transactionLines)
    case .sql: return difference(lines, sqlLines)
    case .rows: return difference(lines, [String(statuses.count { !$0.isPurged })])
    case .find: return foundLines.flatMap { difference(lines, $0) }
    case .members: return memberLines.flatMap { difference(lines, $0) }
    case .sorted: return sortFault(lines)
    case .uris: return uriLines.flatMap { difference(lines, $0) }
    case .tokens: return difference(lines, tokenLines)
    case .size: return sizeFault(lines)
    case .differences: return differenceLines.flatMap { difference(lines, $0) }
    case .lags: return lagLines.flatMap { difference(lines, $0) }
    case .visit: return visitFault(lines)
    case .signals:
      return difference(lines, timeline.log.transactions.map(\.commit.name))
    case .verify: return difference(lines, gapLines)
    case .refusals: return difference(lines, [])
    case _ where query.form.isScript: return difference(lines, [])
    case .table: return difference(lines, tableLines)
    case .files: return copiedLines.flatMap { difference(lines, $0) }
    case .tour: return tourFault(lines)
    default: return requestFault(lines)
    }
  }

  private func requestFault(_ lines: [String]) -> String? {
    let after = statuses.indices.filter(isAfterStart)
    let gap = after.first { statuses[$0].isPurged && matches($0) }
    if lines == QueryAnswer.expired {
      guard bound != nil, statuses.contains(where: \.isPurged) else {
        return "says that history expired, although no requested history was purged"
      }
      return nil
    }
    if bound != nil, let gap {
      return "does not report that \(timeline.label(gap)), which is after the position, was purged"
    }
    return difference(lines, expected(after.filter { !statuses[$0].isPurged && matches($0) }))
  }

  func difference(_ lines: [String], _ expected: [String]) -> String? {
    guard lines != expected else { return nil }
    let missing = expected.first { !lines.contains($0) }
    let extra = lines.first { !expected.contains($0) }
    let what = [missing.map { "lacks \"\($0)\"" }, extra.map { "has \"\($0)\"" }]
      .compactMap(\.self).joined(separator: " and ")
    return what.isEmpty ? "has the right lines in the wrong order, or several times" : what
  }

  private var transactionLines: [String] {
    guard let bound,
      let position = statuses.indices.first(where: { number($0) == bound })
    else { return [] }
    return [QueryAnswer.line(commit(position), with: commit(position).changes)]
  }

  private var sqlLines: [String] {
    var first: Int64 = 0
    if case .behind(let count) = query.start { first = head - Int64(count) }
    return statuses.indices.filter { !statuses[$0].isPurged && number($0) > first }
      .flatMap { position in
        commit(position).changes.map { "#\(number(position)) \($0.type.word) \($0.object)" }
      }.sorted()
  }

  /// The objects that the query must find; `nil` if several states of the data are possible.
  private var foundLines: [String]? {
    guard timeline.ledger.undecided == nil, let objects = timeline.ledger.objects else {
      return nil
    }
    return objects.filter { name, values in
      name.entity == query.entity && query.conditions.allSatisfy { $0.holds(for: values) }
    }.map(\.key.description).sorted()
  }

  /// The members and cursors that the query must return; `nil` if the events do not show them.
  private var memberLines: [String]? {
    guard timeline.plan.header.retention == nil else { return nil }
    var lines: [String] = []
    for member in timeline.everyone {
      guard member.status.alternatives.isEmpty else { return nil }
      guard member.status.isMember else { continue }
      let cursor = member.cursor.map(number) ?? 0
      lines.append("\(member.id) at \(cursor)" + (member.status.isConsumer ? ", consumer" : ""))
    }
    return lines.sorted()
  }

  private func expected(_ positions: [Int]) -> [String] {
    switch query.form {
    case .transactions, .stream:
      positions.map { QueryAnswer.line(commit($0), with: commit($0).changes) }
    case .headers: positions.map { QueryAnswer.line(commit($0)) }
    case .changes: positions.map { QueryAnswer.line(commit($0), with: matchingChanges($0)) }
    case .count: [String(positions.count)]
    case .changeCount: [String(positions.reduce(0) { $0 + matchingChanges($1).count })]
    case .exists: [String(!positions.isEmpty)]
    case .objects:
      Set(positions.flatMap { matchingChanges($0).map(\.object) }).map(\.description).sorted()
    case .transaction, .sql, .rows, .members, .find, .purge, .sorted, .uris, .tokens, .size, .due,
      .differences, .lags, .visit, .signals, .verify, .table, .refusals, .files, .watch, .tour,
      .large, .values, .purges, .damage, .passes, .models, .containers, .foreign, .suspension,
      .lists, .edits, .orders, .conflicts, .aggregates, .upgrades, .duplicates, .edges:
      []
    }
  }

  // MARK: The filter

  private func matches(_ position: Int) -> Bool { !matchingChanges(position).isEmpty }

  private func matchingChanges(_ position: Int) -> [CommittedChange] {
    commit(position).changes.filter { change in
      if query.terms.isEmpty { return true }
      func holds(_ term: QueryTerm) -> Bool {
        self.holds(term.subject, position, change) != term.isNegated
      }
      return query.matchesAny ? query.terms.contains(where: holds) : query.terms.allSatisfy(holds)
    }
  }

  private func holds(
    _ subject: QueryTerm.Subject,
    _ position: Int,
    _ change: CommittedChange
  ) -> Bool {
    switch subject {
    case .author(let author): commit(position).author == author
    case .context(let context): commit(position).context == context
    case .entity(let entity): change.object.entity == entity
    case .type(let type): change.type == type
    case .object(let object): change.object == object
    case .newest(let count): number(position) > head - Int64(count) && count > 0
    case .recent(let seconds):
      answer.now - max(seconds, 0)...answer.now ~= commit(position).timestamp
    }
  }
}

extension AskedQuery {
  /// Returns how the result that a purge reported differs from the expected result; `nil` if it agrees.
  ///
  /// The expected result states the number of transactions in `purged`, and the least cursor of the
  /// members. The result is not compared if the plan has retention limits, or if a fault or a
  /// power-off has made the status of any member uncertain.
  func fault(of lines: [String], having purged: Set<Int>) -> String? {
    guard timeline.plan.header.retention == nil, let watermark else { return nil }
    let least = watermark >= 0 ? number(watermark) : 0
    return difference(lines, ["purged \(purged.count), watermark \(least)"])
  }

  /// Returns a clause about a transaction that a purge wrongly kept or removed; `nil` if none.
  ///
  /// `purged` contains the positions of the transactions that the purge removed. The purge is not
  /// checked if the plan has retention limits, or if a fault or a power-off has made the status of
  /// any member uncertain.
  func fault(of purged: Set<Int>) -> String? {
    guard timeline.plan.header.retention == nil, let watermark else { return nil }
    let authors = ProtectedAuthors(TraceHeader(plan: timeline.plan, system: ""))
    let wanted = statuses.indices.filter { position in
      (!statuses[position].isPurged || purged.contains(position)) && position <= watermark
        && number(position) < head && !authors.protects(commit(position).author)
        && isBeforeBound(position, purged) && isSelected(position)
    }
    if let kept = wanted.first(where: { !purged.contains($0) }) {
      return "is wrong: the purge left \(timeline.label(kept)), which every member has merged"
    }
    if let wrong = purged.sorted().first(where: { !wanted.contains($0) }) {
      return "is wrong: the purge removed \(timeline.label(wrong)), which the query must not purge"
    }
    return nil
  }

  /// The position of the members' least cursor; -1 if a member that counts has no cursor.
  ///
  /// Members that a retention limit has cut off do not count. The value is `nil` if a fault or a
  /// power-off has made the status of any member uncertain.
  private var watermark: Int? {
    var least = statuses.count - 1
    for member in timeline.everyone {
      guard member.status.alternatives.isEmpty else { return nil }
      guard member.status.isMember, !member.status.isCutOff else { continue }
      least = min(least, member.cursor ?? -1)
    }
    return least
  }

  private func isBeforeBound(_ position: Int, _ purged: Set<Int>) -> Bool {
    // For `due` queries the position is the time since the last purge, which excludes no transaction.
    if query.form == .due { return true }
    switch query.start {
    case .beginning: return true
    case .ago: return commit(position).timestamp < date ?? 0
    case .behind(let count):
      let wanted = head - Int64(count)
      // The bound applies only if its transaction was in history when this purge started.
      let isHeld = statuses.indices.contains {
        number($0) == wanted && (!statuses[$0].isPurged || purged.contains($0))
      }
      return !isHeld || number(position) < wanted
    }
  }

  private func isSelected(_ position: Int) -> Bool {
    var authors: [String?] = []
    var contexts: [String?] = []
    for term in query.terms {
      switch term.subject {
      case .author(let name): authors.append(name)
      case .context(let name): contexts.append(name)
      default: break
      }
    }
    return (authors.isEmpty || authors.contains(commit(position).author))
      && (contexts.isEmpty || contexts.contains(commit(position).context))
  }
}
