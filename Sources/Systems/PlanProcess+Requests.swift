import DiskScripts
import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

/// The plan's requests about objects, positions and the file.
extension PlanProcess {
  /// Returns objects in a requested order, from a separate context that is never saved.
  ///
  /// Each line contains an object and the values that determine its order.
  func sorted(_ query: PlannedQuery, _ planStore: PlanStore) throws(HistoryError) -> [String] {
    let context = ObjectContext(store: store, author: nil, name: "query")
    let inserted = try edit(query.pending, in: context, planStore.objects).inserted
    let new = Dictionary(inserted.map { ($1, $0) }) { first, _ in first }
    var offset = 0
    if case .behind(let count) = query.start { offset = count }
    let found = try context.objects(
      query.entity ?? "",
      where: .all(query.conditions.map(ObjectPredicate.init)),
      sortedBy: query.orders.map { ObjectOrder($0.attribute, isAscending: $0.isAscending) },
      limit: query.page,
      offset: offset
    )
    return try found.map { (object) throws(HistoryError) in
      let name = new[object.id] ?? planStore.objects.name(object.id, in: store.model)
      return QueryAnswer.line(name, try object.values(of: query.orders.map(\.attribute)))
    }
  }

  /// Converts the identifiers of an entity's objects to URIs and back, and tries invalid URIs.
  ///
  /// - Returns: the names of the objects, and the error codes for the invalid URIs.
  func uris(of entity: String, _ planStore: PlanStore) throws(HistoryError) -> [String] {
    let context = ObjectContext(store: store, author: nil, name: "query")
    let names = try context.objects(entity).map { (object) throws(HistoryError) in
      let same = try store.objectID(forURI: store.uri(of: object.id))
      return planStore.objects.name(same, in: store.model).description
    }
    let none = StoreID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    let foreign = [
      ObjectURI(store: none, entity: entity, key: 1).description,
      ObjectURI(store: store.id, entity: "Nowhere", key: 1).description,
      "x-history://\(store.id)/\(entity)/1",
    ]
    return names.sorted()
      + foreign.map { uri in
        word { () throws(HistoryError) in
          _ = try store.objectID(forURI: uri)
        }
      }
  }

  /// Returns a line with the transaction at a token, and lines with the errors for invalid tokens.
  ///
  /// The token is that of the transaction `number`, or the newest one if there is no such
  /// transaction. One invalid token is after the newest transaction, and one belongs to another
  /// store. If the token has a transaction, a third one differs from it in the transaction's mark,
  /// which is a random number.
  func tokenLines(_ number: Int64?, _ planStore: PlanStore) throws(HistoryError) -> [String] {
    let head = try store.currentToken()
    let token = try number.flatMap { (number) throws(HistoryError) in
      try store.transaction(TransactionNumber(number))?.token
    }
    let found = try store.transaction(at: token ?? head)
    var lines = [found.map { line(planStore.committed($0)) } ?? "none"]
    let none = StoreID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    var foreign = [
      HistoryToken(store: head.store, number: head.number + 1, mark: head.mark),
      HistoryToken(store: none, number: head.number, mark: head.mark),
    ]
    if let found {
      let token = found.token
      foreign.append(
        HistoryToken(store: token.store, number: token.number, mark: token.mark &+ 1)
      )
    }
    for token in foreign {
      lines.append(word { () throws(HistoryError) in _ = try store.transaction(at: token) })
      lines.append(
        word { () throws(HistoryError) in _ = try store.fetch(HistoryRequest(after: token)) }
      )
    }
    return lines
  }

  /// Returns the sizes of history and of the file in bytes.
  func sizeLines() throws(HistoryError) -> [String] {
    let size = try store.historySize()
    return ["\(size.historyBytes) of \(size.storeBytes)"]
  }

  /// Returns the problems of the store, and the gaps: missing numbers between transactions.
  ///
  /// An intact store may have gaps, but has no problem.
  func verificationLines() throws(HistoryError) -> [String] {
    let findings = try store.verify().filter { $0.isWrong || $0.kind == .gaps }
    return findings.map { $0.kind.sentence(of: Int($0.count)) }
      + [try store.integrityProblem()].compactMap(\.self)
  }

  /// Returns the code of the error that a request throws, or `accepted` if the request succeeds.
  func word(_ body: () throws(HistoryError) -> Void) -> String {
    do throws(HistoryError) { try body() } catch {
      return switch error.code {
      case .rewound: "rewound"
      case .expired: "expired"
      case .otherStore, .otherStoreURL: "other store"
      case .unknownEntity: "unknown entity"
      case .badURL: "bad URI"
      case .inUse: "in use"
      case .superseded: "superseded"
      case .notAMember: "not a member"
      default: error.description
      }
    }
    return "accepted"
  }
}

/// The plan's requests about members and purges.
extension PlanProcess {
  /// Purges if the time since the last purge is at least the interval in the query.
  func purgeIfDue(_ query: PlannedQuery) throws(HistoryError) -> [String] {
    var seconds = 0.0
    if case .ago(let some) = query.start { seconds = some }
    let result = try store.purge(when: .atIntervals(of: Duration(clampedSeconds: seconds)))
    guard result.isDue else { return ["not due"] }
    return ["purged \(result.transactionCount), watermark \(result.watermark)"]
  }

  /// Returns a line for each setting that differs between members.
  ///
  /// A line contains the members, grouped by their values of the setting.
  func differenceLines() throws(HistoryError) -> [String] {
    try store.configurationDifferences().map { difference in
      let groups = Dictionary(grouping: difference.statements.keys) { difference.statements[$0] }
      return QueryAnswer.line(
        difference.subject.rawValue,
        groups: groups.values.map { $0.map(\.name) }
      )
    }.sorted()
  }

  /// Returns lines about errors in the registry; empty if it is correct.
  ///
  /// Checks the order of members and authors, and the authors that the actor ignores.
  func registryFaults() throws(HistoryError) -> [String] {
    let register = try store.register()
    let (members, authors) = (register.members.map(\.id), register.marks.map(\.author))
    var faults: [String] = []
    if members != members.sorted() { faults.append("the members are not in order: \(members)") }
    if authors != authors.sorted(by: { ($0 ?? "") < ($1 ?? "") }) {
      faults.append("the authors are not in order: \(authors)")
    }
    let own = try store.members().first { $0.id == actor.id }
    let ignored = actor.ignores.flatMap { $0.isEmpty ? nil : Set($0) }
    if let own, own.state == .active, own.configuration.ignoredAuthors != ignored {
      faults.append(
        "the registry says that \(actor.id) ignores \(own.configuration.ignoredAuthors ?? [])"
      )
    }
    return faults
  }

  /// Returns a line for each active member with its lag.
  ///
  /// Lines about members whose lag has a wrong size in bytes come first.
  func lagLines() throws(HistoryError) -> [String] {
    let members = try store.members().filter { $0.state == .active }
    var faults: [String] = []
    for member in members where store.configuration.layout == .packed {
      let bytes = Int64(member.lag.byteCount)
      let held = try bytesHeld(after: member.cursor.rawValue)
      if bytes != held {
        faults.append(
          "\(member.id)'s lag is reported as \(bytes) bytes, but the transactions have \(held)"
        )
      }
    }
    return faults
      + members.map { member in
        QueryAnswer.line(
          member.id,
          author: member.author,
          behind: member.lag.transactionCount,
          seconds: member.lag.duration.inSeconds
        )
      }
  }

  /// Returns the size in bytes of all transactions above `number`, measured in the file.
  private func bytesHeld(after number: Int64) throws(HistoryError) -> Int64 {
    let answer = try store.query(
      """
      SELECT (SELECT ifnull(sum(44 + ifnull(length(changes), 0)), 0) FROM history_transaction
        WHERE number > ?1) + (SELECT ifnull(sum(length(changes)), 0) FROM history_chunk
        WHERE id >> 20 > ?1)
      """,
      [.int(number)]
    )
    if case .int(let bytes)? = answer.rows.first?.first { return bytes }
    return 0
  }

  /// Registers, replaces, retires and removes a member "visitor", which the plan does not have.
  ///
  /// With a `date`, the member imports it, as if PersistentHistoryTrackingKit had stored the date
  /// for the member's author, and starts after the history that the date proves to be merged.
  ///
  /// - Returns: the result of each call.
  func visit(importing date: Date?) throws(HistoryError) -> [String] {
    let visitor: ActorID = "visitor"
    let cursors = date.map { KitCursors([KitCursors.standardPrefix + "visitor": $0]) }
    var registration: Registration? = try store.join(
      visitor,
      author: "visitor",
      importing: cursors
    )
    guard let first = registration?.released else { return [] }
    var lines = ["at \(first.cursor.number)" + (first.isNew ? ", new" : "")]
    let head = try store.currentToken()
    // The second process replaces the first one if the first one holds no lock.
    lines.append(
      word { () throws(HistoryError) in
        registration = try store.join(visitor, author: "visitor")
      }
    )
    lines.append(word { () throws(HistoryError) in try store.record(first, through: head) })
    lines += try store.members().filter { $0.id == visitor }.map { member in
      "\(member.kind) at \(member.cursor), registered at \(member.registeredAt)"
    }
    lines.append(word { () throws(HistoryError) in _ = try store.forget(visitor) })
    if let registration {
      lines.append(word { () throws(HistoryError) in try store.retire(registration) })
      lines.append(
        word { () throws(HistoryError) in try store.record(registration, through: head) }
      )
    }
    registration = nil
    let isForgotten = try store.forget(visitor)
    let isForgottenTwice = try store.forget(visitor)
    return lines + ["forgotten: \(isForgotten), again: \(isForgottenTwice)"]
  }
}
