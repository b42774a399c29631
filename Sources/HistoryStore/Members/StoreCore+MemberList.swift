import PersistentHistory
import SQLiteStorage

extension StoreCore {
  /// Returns all members by name, each with its lag.
  func members() throws -> [Member] {
    let head = try head()
    var rows = try memberRows()
    let bytes = try bytesBehind(rows.map(\.cursor), head: head.number)
    for index in rows.indices where rows[index].cursor < head.number {
      let cursor = rows[index].cursor
      let next = try row(atOrAfter: cursor + 1)
      rows[index].lag = MemberLag(
        transactionCount: head.number - cursor,
        byteCount: bytes[cursor] ?? 0,
        seconds: next.map { max(0, head.timestamp - $0.timestamp) } ?? 0
      )
    }
    return rows
  }

  private func memberRows() throws -> [Member] {
    let rows = try query(
      """
      SELECT id, kind, state, cursor, seen, epoch, registered, author, process, configuration
      FROM history_member ORDER BY id
      """
    )
    defer { rows.statement.reset() }
    var members: [Member] = []
    while try rows.statement.step() { members.append(try member(rows.statement)) }
    return members
  }

  private func member(_ row: borrowing Statement) throws -> Member {
    let name = row.text(0) ?? ""
    guard !name.isEmpty, let kind = MemberKind(rawValue: row.int(1)),
      let state = MemberState(rawValue: row.int(2))
    else { throw HistoryError.damaged(path: path, what: "the registry has a member \"\(name)\"") }
    return Member(
      id: ActorID(name),
      kind: kind,
      state: state,
      cursor: row.int(3),
      seen: Date(timeIntervalSinceReferenceDate: row.real(4)),
      epoch: row.int(5),
      registeredAt: row.int(6),
      author: row.text(7),
      processID: row.text(8),
      configuration: try declared(row.text(9), by: name),
      lag: .none
    )
  }

  /// Decodes the configuration that a member declared.
  private func declared(_ text: String?, by name: String) throws -> MemberConfiguration {
    do {
      return try MemberConfiguration(text: text)
    } catch {
      throw HistoryError.damaged(path: path, what: "the configuration of \"\(name)\" is no JSON")
    }
  }

  /// Returns the configurations of the active members, or of those of one kind.
  ///
  /// Their order is undefined. The rows are not grouped, since SQLite would sort them for that at
  /// each purge.
  func activeConfigurations(_ kind: MemberKind? = nil) throws -> [MemberConfiguration] {
    let texts = try query(
      """
      SELECT configuration, id FROM history_member
      WHERE state = 0 AND configuration IS NOT NULL AND kind = ifnull(?1, kind)
      """
    )
    if let kind {
      texts.statement.bind(kind.rawValue, at: 1)
    } else {
      texts.statement.bindNull(at: 1)
    }
    defer { texts.statement.reset() }
    var found: [MemberConfiguration] = []
    while try texts.statement.step() {
      guard let text = texts.statement.text(0) else { continue }
      found.append(try remembered(text, by: texts.statement.text(1) ?? ""))
    }
    return found
  }

  /// Decodes a configuration with a cache, since each purge needs all of them.
  private func remembered(_ text: String, by name: String) throws -> MemberConfiguration {
    if let known = configurations[text] { return known }
    let made = try declared(text, by: name)
    if configurations.count >= Self.configurationCountMax { configurations.removeAll() }
    configurations[text] = made
    return made
  }

  private static let configurationCountMax = 64
}
