import HistoryStore
import HistoryTypes
import Traces

/// The requests about members and purges.
extension PlanProcess {
  /// Purges if the last purge is at least as many seconds ago as the query says.
  func purgeIfDue(_ query: PlannedQuery) throws(HistoryError) -> [String] {
    var seconds = 0.0
    if case .ago(let some) = query.start { seconds = some }
    let result = try store.purge(when: .atIntervals(of: Duration(clampedSeconds: seconds)))
    guard result.isDue else { return ["not due"] }
    return ["purged \(result.transactionCount), watermark \(result.watermark)"]
  }

  /// Returns the settings in which members differ, with the groups of members that agree on each.
  func differenceLines() throws(HistoryError) -> [String] {
    try store.configurationDifferences().map { difference in
      let groups = Dictionary(grouping: difference.statements.keys) { difference.statements[$0] }
      return QueryAnswer.line(
        difference.subject.rawValue,
        groups: groups.values.map { $0.map(\.name) }
      )
    }.sorted()
  }

  /// Returns the errors in the registry: a wrong order, or settings that this process did not declare.
  func registryFaults() throws(HistoryError) -> [String] {
    let register = try store.register()
    let (members, authors) = (register.members.map(\.id), register.marks.map(\.author))
    var faults: [String] = []
    if members != members.sorted() { faults.append("members in another order: \(members)") }
    if authors != authors.sorted(by: { ($0 ?? "") < ($1 ?? "") }) {
      faults.append("authors in another order: \(authors)")
    }
    let own = try store.members().first { $0.id == actor.id }
    let ignored = actor.ignores.flatMap { $0.isEmpty ? nil : Set($0) }
    if let own, own.state == .active, own.configuration.ignoredAuthors != ignored {
      faults.append("\(actor.id) ignores \(own.configuration.ignoredAuthors ?? [])")
    }
    return faults
  }

  /// Returns the lag of each active member.
  func lagLines() throws(HistoryError) -> [String] {
    let members = try store.members().filter { $0.state == .active }
    var faults: [String] = []
    for member in members where store.configuration.layout == .packed {
      let bytes = Int64(member.lag.byteCount)
      let held = try bytesHeld(after: member.cursor.rawValue)
      if bytes != held { faults.append("\(member.id) has not merged \(bytes) bytes of \(held)") }
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

  /// Returns the size in bytes of all transactions after a number, measured in the file.
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

  /// Runs the life of one member: join, a second process of the member, retirement, removal.
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
