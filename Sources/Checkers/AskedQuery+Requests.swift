import HistoryTypes
import Traces

/// The expected answers to requests about objects, tokens, members and the file.
extension AskedQuery {
  // MARK: Objects

  /// Returns why the answer does not list the objects in the requested order; `nil` if it does.
  ///
  /// Objects with equal sort values may come in any order. The store orders them by their keys,
  /// which the answer does not show.
  func sortFault(_ lines: [String]) -> String? {
    guard timeline.ledger.undecided == nil, timeline.ledger.possibilities.count == 1 else {
      return nil
    }
    var model = timeline.ledger.possibilities[0].model
    model.apply(query.pending)
    let matching = model.objects.filter { name, values in
      name.entity == query.entity && query.conditions.allSatisfy { $0.holds(for: values) }
    }
    let sorted = matching.values.map(query.orders.values(in:))
      .sorted(by: query.orders.precede)
    var offset = 0
    if case .behind(let count) = query.start { offset = count }
    let expected = Array(sorted.dropFirst(offset).prefix(query.page))
    guard lines.count == expected.count else {
      return "has \(lines.count.counted("object")), where \(expected.count) match"
    }
    let known = Dictionary(
      matching.map { name, values in
        (QueryAnswer.line(name, query.orders.values(in: values)), name)
      }
    ) { first, _ in first }
    if let wrong = lines.first(where: { known[$0] == nil }) { return "has \"\(wrong)\"" }
    if Set(lines).count < lines.count { return "has an object twice" }
    for (line, values) in zip(lines, expected) {
      guard let name = known[line], let found = matching[name] else { continue }
      let order = query.orders.values(in: found)
      if query.orders.precede(order, values) || query.orders.precede(values, order) {
        return "has \"\(line)\" in the wrong place"
      }
    }
    return nil
  }

  /// The expected answer to a URI request: the objects, then the errors; `nil` if the data are uncertain.
  var uriLines: [String]? {
    guard timeline.ledger.undecided == nil, let objects = timeline.ledger.objects else {
      return nil
    }
    let names = objects.keys.filter { $0.entity == query.entity }.map(\.description).sorted()
    return names + ["other store", "unknown entity", "bad URI"]
  }

  // MARK: Positions

  var tokenLines: [String] {
    var wanted = head
    // If the position's transaction is not in history, the token of the newest transaction is used instead.
    if let bound { wanted = bound }
    let found = statuses.indices.first { number($0) == wanted && !statuses[$0].isPurged }
    let errors = ["rewound", "rewound", "other store", "other store"]
    guard let found else { return ["none"] + errors }
    return [QueryAnswer.line(commit(found), with: commit(found).changes)] + errors
      + ["rewound", "rewound"]
  }

  func sizeFault(_ lines: [String]) -> String? {
    let sizes = (lines.first ?? "").split(separator: " ").compactMap { Int64($0) }
    guard lines.count == 1, sizes.count == 2 else { return "does not consist of two sizes" }
    let heldCount = Int64(statuses.count { !$0.isPurged })
    if sizes[0] < heldCount * Self.transactionBytesMin {
      return "reports only \(sizes[0]) bytes for \(Int(heldCount).counted("transaction"))"
    }
    return sizes[1] < max(sizes[0], Self.pageBytes)
      ? "reports a file size that is smaller than the history or than one page" : nil
  }

  /// The size in bytes of the smallest possible transaction, one without changes.
  private static let transactionBytesMin: Int64 = 16
  private static let pageBytes: Int64 = 4096

  // MARK: Members

  /// The registered members; `nil` if the events do not show which members are registered.
  private var activeMembers: [Member]? {
    guard timeline.plan.header.retention == nil else { return nil }
    guard timeline.everyone.allSatisfy({ $0.status.alternatives.isEmpty }) else { return nil }
    return timeline.everyone.filter(\.status.isMember)
  }

  /// The expected answer to a query for each member's unmerged transactions; `nil` if it is unknown.
  var lagLines: [String]? {
    activeMembers?.map { member in
      let cursor = member.cursor.map(number) ?? 0
      let next = statuses.indices.first { number($0) > cursor && !statuses[$0].isPurged }
      let last = statuses.indices.last
      let seconds = next.flatMap { next in
        last.map { max(0, commit($0).timestamp - commit(next).timestamp) }
      }
      return QueryAnswer.line(
        member.id,
        author: timeline.plan.header.actor(member.id)?.author,
        behind: Int(head - cursor),
        seconds: seconds ?? 0
      )
    }.sorted()
  }

  /// The expected answer to a query for the settings in which members differ.
  ///
  /// `nil` if the events do not show which members are registered.
  var differenceLines: [String]? {
    let actors = activeMembers?.compactMap { timeline.plan.header.actor($0.id) }
    guard let actors else { return nil }
    var lines: [String] = []
    func compare(_ setting: String, _ value: (PlannedActor) -> String?) {
      var groups: [String: [String]] = [:]
      for actor in actors {
        if let value = value(actor) { groups[value, default: []].append(actor.id.name) }
      }
      if groups.count > 1 { lines.append(QueryAnswer.line(setting, groups: Array(groups.values))) }
    }
    compare("authors") { Self.text($0.allAuthors) }
    compare("batchAuthors") { Self.text($0.batchAuthors) }
    compare("strategy") { $0.strategy ?? "whenMerged" }
    for actor in actors {
      guard let author = actor.author else { continue }
      for other in actors where other.id != actor.id && other.batchAuthors?.contains(author) == true
      {
        lines.append(
          QueryAnswer.line("batchAuthorIsMember", groups: [[actor.id.name], [other.id.name]])
        )
      }
    }
    return lines.sorted()
  }

  /// Returns the authors that a member declares as text; `nil` if it declares none.
  private static func text(_ authors: [String]?) -> String? {
    guard let authors, !authors.isEmpty else { return nil }
    return Set(authors).sorted().joined(separator: "\u{0}")
  }

  // MARK: A visit

  /// Returns the expected answer to a `visit` query, without its first line.
  ///
  /// A `visit` query registers and retires a member of its own, which the plan does not have. The
  /// first line is `at N, new`, where N is `start`: the transaction number at which that member
  /// starts.
  private func visitLines(from start: Int64) -> [String] {
    let isLocked = timeline.plan.header.locks == .held
    guard isLocked else {
      // Without a lock the second process replaced the first one; the member was then removed from
      // the registry while this second process ran.
      return [
        "accepted", "superseded", "tracker at \(start), registered at \(head)",
        "accepted", "not a member", "not a member", "forgotten: false, again: false",
      ]
    }
    return [
      "in use", "accepted", "tracker at \(head), registered at \(head)", "in use", "accepted",
      "not a member", "forgotten: true, again: false",
    ]
  }

  /// Returns why the answer to a `visit` query is wrong; `nil` if it is correct.
  func visitFault(_ lines: [String]) -> String? {
    let allowed = visitStarts.map { ["at \($0), new"] + visitLines(from: $0) }
    return allowed.contains(lines) ? nil : difference(lines, allowed[0])
  }

  /// The transaction numbers that a `visit` or `tour` query may report as its first cursor.
  ///
  /// Both queries are tests of a member that exists only during the query.
  ///
  /// If the query has no date, the cursor is the newest transaction number. If it has a date, as if
  /// imported from PersistentHistoryTrackingKit, the cursor is one number below the first
  /// transaction in history at or after that date, or the newest number if there is no such
  /// transaction. If history may have been purged before, the newest number is accepted too.
  var visitStarts: [Int64] {
    guard let date else { return [head] }
    let next = statuses.indices.first { !statuses[$0].isPurged && commit($0).timestamp >= date }
    let start = next.map { number($0) - 1 } ?? head
    return mayBePurged ? [start, head] : [start]
  }
}

/// The expected answers about copies of a store, tables and trackers.
extension AskedQuery {
  /// The transactions in history after the queried number, one line each.
  ///
  /// The queried number itself need not belong to a transaction in history.
  var tableLines: [String] {
    var first: Int64 = 0
    if case .behind(let count) = query.start { first = head - Int64(count) }
    return statuses.indices.filter { !statuses[$0].isPurged && number($0) > first }
      .map { QueryAnswer.line(commit($0), with: commit($0).changes) }
  }

  /// The expected answer to a query for gaps between transaction numbers.
  ///
  /// The answer states how many numbers between the least and the greatest number in history have no
  /// transaction in history. It is empty if there are none.
  var gapLines: [String] {
    let numbers = statuses.indices.filter { !statuses[$0].isPurged }.map(number)
    guard let least = numbers.min(), let greatest = numbers.max() else { return [] }
    let count = Int(greatest - least) + 1 - numbers.count
    return count > 0 ? ["\(count.counted("number")) missing"] : []
  }

  /// The expected objects of a copied store; `nil` if the data are uncertain.
  ///
  /// The actor copies the entities and attributes that its own version of the model declares.
  var copiedLines: [String]? {
    guard timeline.ledger.undecided == nil, let objects = timeline.ledger.objects else {
      return nil
    }
    let entities = timeline.plan.header.model(of: query.actor).entities
    return objects.compactMap { name, values in
      entities.first { $0.name == name.entity }.map { entity in
        QueryAnswer.line(name, entity.attributes.map { values[$0.name] ?? .null })
      }
    }.sorted()
  }

  // MARK: A tour

  /// Returns how the answer to a `tour` query differs from the expected one; `nil` if they agree.
  ///
  /// A `tour` query runs a tracker for a member that exists only during the query. The answer has
  /// the tracker's reports, hook calls, log messages and objects. The result is also `nil` if the
  /// expected data are uncertain.
  func tourFault(_ lines: [String]) -> String? {
    guard timeline.ledger.undecided == nil, let objects = timeline.ledger.objects else {
      return nil
    }
    let held = objects.keys.map { "has \($0)" }.sorted()
    let allowed = visitStarts.map { tourLines(from: $0) + held }
    return allowed.contains(lines) ? nil : difference(lines, allowed[0])
  }

  /// Returns the expected answer to a `tour` query, without the lines about objects.
  ///
  /// `start` is the transaction number at which the query's tracker starts.
  private func tourLines(from start: Int64) -> [String] {
    let positions = statuses.indices.filter { !statuses[$0].isPurged && number($0) > start }
    let numbers = positions.map(number)
    let changeCount = positions.reduce(0) { $0 + commit($1).changes.count }
    let pages = stride(from: 0, to: numbers.count, by: query.page).map {
      Array(numbers[$0..<min($0 + query.page, numbers.count)])
    }
    // A tracker without a list of authors counts every author as declared.
    let listed = timeline.plan.header.actors.first?.author
    let strangers = Set(positions.compactMap { commit($0).author }).filter {
      listed != nil && $0 != listed && $0 != "tourist"
        && !$0.hasPrefix("NSCloudKitMirroringDelegate.")
    }
    func message(_ level: String, _ text: String) -> String { "\(level) of tourist: \(text)" }
    return [
      "at \(start), new",
      "\(numbers.count.counted("transaction")) with \(changeCount.counted("change")) in "
        + "\(pages.count.counted("page")), through #\(head)",
      "numbers \(numbers)", "undeclared \(strangers.sorted())",
    ] + positions.flatMap(observed).sorted()
      + pages.flatMap { ["before \($0)", "merges \($0)"] }
      + strangers.map { _ in message("notice", "writes and is not among allAuthors") }
      + (pages.isEmpty ? [] : [message("debug", "pass")])
      + [
        message("info", "follows"), message("info", "stopped"),
        message("notice", "read the data again"),
      ]
  }

  /// Returns the expected observer calls for a transaction: one call for each change type in it.
  private func observed(_ position: Int) -> [String] {
    var groups: [String: [String]] = [:]
    for change in commit(position).changes {
      groups["\(change.object.entity) \(change.type.word)", default: []]
        .append(change.object.description)
    }
    return groups.map { kind, names in
      let word = kind.split(separator: " ").last ?? ""
      return "#\(number(position)) \(word): \(names.sorted().joined(separator: ", "))"
    }
  }
}
