import HistoryTypes
import SQLiteStorage

/// The arguments of a member's launch.
struct Arrival {
  var member: MemberID
  var kind: MemberKind
  var author: String?
  var declared: MemberConfiguration
  var cursors: KitCursors?
  var resyncsIfLost = false
}

struct MemberRow {
  var epoch: Int64
  var state: MemberState
  var cursor: Int64
  var mark: Int64
}

extension StoreCore {
  /// Registers a member or resumes its membership, and gives this launch of it a new number.
  ///
  /// The number (epoch) increases with each launch, so that an earlier launch can be recognized.
  func join(_ arrival: Arrival) throws -> Registration {
    try checkIsNotOutgrown()
    let epoch = try nextEpoch()
    let known = try row(of: arrival.member)
    guard let known, known.state == .active else {
      let isLost = known?.state == .lost
      guard !isLost || arrival.resyncsIfLost else { throw HistoryError.lost(arrival.member) }
      return try enter(arrival, epoch, known)
    }
    try relaunch(arrival, epoch)
    return Registration(
      member: arrival.member,
      epoch: epoch,
      cursor: HistoryToken(store: id, number: known.cursor, mark: known.mark),
      isNew: false,
      cursorImport: arrival.cursors.map { _ in .ignored(.alreadyAMember) },
      hold: nil
    )
  }

  /// Registers a member that is not active, at the newest transaction or at an imported cursor.
  private func enter(
    _ arrival: Arrival,
    _ epoch: Int64,
    _ known: MemberRow?
  ) throws -> Registration {
    let head = try headToken()
    let outcome = try arrival.cursors.map { cursors in
      known == nil ? try find(cursors, arrival.author) : .ignored(.alreadyAMember)
    }
    var cursor = head
    if case .imported(let token, _) = outcome { cursor = token }
    try insert(arrival, epoch, at: cursor, head: head.number)
    return Registration(
      member: arrival.member,
      epoch: epoch,
      cursor: cursor,
      isNew: true,
      cursorImport: outcome,
      hold: nil
    )
  }

  /// Inserts the row of a member that joins; replaces the row of an earlier membership.
  private func insert(
    _ arrival: Arrival,
    _ epoch: Int64,
    at cursor: HistoryToken,
    head: Int64
  ) throws {
    let insert = try query(
      """
      INSERT OR REPLACE INTO history_member(
        id, epoch, author, process, configuration, seen, kind, state, cursor, mark, registered)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?10)
      """
    )
    try bind(arrival, epoch, to: insert)
    insert.statement.bind(cursor.number, at: 8)
    insert.statement.bind(cursor.mark, at: 9)
    insert.statement.bind(head, at: 10)
    try insert.statement.run()
  }

  /// Updates the row of a known member with the properties of its launch.
  private func relaunch(_ arrival: Arrival, _ epoch: Int64) throws {
    let update = try query(
      """
      UPDATE history_member
      SET epoch = ?2, author = ?3, process = ?4, configuration = ?5, seen = ?6, kind = ?7
      WHERE id = ?1
      """
    )
    try bind(arrival, epoch, to: update)
    try update.statement.run()
  }

  private func bind(_ arrival: Arrival, _ epoch: Int64, to prepared: PreparedStatement) throws {
    prepared.statement.bind(arrival.member.name, at: 1)
    prepared.statement.bind(epoch, at: 2)
    prepared.statement.bind(arrival.author, at: 3)
    prepared.statement.bind(configuration.processID, at: 4)
    prepared.statement.bind(try text(of: arrival.declared), at: 5)
    prepared.statement.bind(configuration.clock().timeIntervalSinceReferenceDate, at: 6)
    prepared.statement.bind(arrival.kind.number, at: 7)
  }

  /// Returns a configuration as text, cached because encoding costs more than the rest of a launch.
  private func text(of declared: MemberConfiguration) throws -> String {
    if let last = configurations.lastDeclared, last.configuration == declared { return last.text }
    let text = try declared.text()
    configurations.lastDeclared = (declared, text)
    return text
  }

  private func nextEpoch() throws -> Int64 {
    let raise = try query(
      """
      UPDATE history_metadata SET value = value + 1 WHERE name = 'epoch' RETURNING value
      """
    )
    defer { raise.statement.reset() }
    guard try raise.statement.step() else {
      throw HistoryError.damaged(path: path, what: "its counter of launches (epoch) is missing")
    }
    return raise.statement.int(0)
  }

  /// Records the position that a member has merged through, unless a later position is recorded.
  func record(_ registration: Registration, through cursor: HistoryToken) throws {
    let update = try statement(.recordCursor)
    update.statement.bind(registration.member.name, at: 1)
    update.statement.bind(registration.epoch, at: 2)
    update.statement.bind(cursor.number, at: 3)
    update.statement.bind(cursor.mark, at: 4)
    update.statement.bind(configuration.clock().timeIntervalSinceReferenceDate, at: 5)
    try update.statement.run()
    if connection.changes == 0 { try validate(registration) }
  }

  /// Throws if a registration is not valid any more.
  ///
  /// A registration becomes invalid when its member is launched again, is retired by itself or by a
  /// migration, is forgotten, or, unless `mayBeLost` is `true`, is cut off by a purge.
  @discardableResult
  func validate(_ registration: Registration, mayBeLost: Bool = false) throws -> MemberRow {
    guard let row = try row(of: registration.member), row.state != .retired else {
      try checkIsNotOutgrown(isRetired: true)
      throw HistoryError.notAMember(registration.member)
    }
    guard row.epoch == registration.epoch else {
      throw HistoryError.superseded(registration.member)
    }
    guard row.state == .active || mayBeLost else {
      throw HistoryError.lost(registration.member)
    }
    return row
  }

  /// Makes a member active, with its cursor at a position.
  func move(_ registration: Registration, to cursor: HistoryToken) throws {
    let update = try query(
      "UPDATE history_member SET state = 0, cursor = ?2, mark = ?3, seen = ?4 WHERE id = ?1"
    )
    update.statement.bind(registration.member.name, at: 1)
    update.statement.bind(cursor.number, at: 2)
    update.statement.bind(cursor.mark, at: 3)
    update.statement.bind(configuration.clock().timeIntervalSinceReferenceDate, at: 4)
    try update.statement.run()
  }

  func setState(_ state: MemberState, of member: MemberID) throws {
    let update = try query(
      "UPDATE history_member SET state = ?2 WHERE id = ?1"
    )
    update.statement.bind(member.name, at: 1)
    update.statement.bind(state.number, at: 2)
    try update.statement.run()
  }

  /// Removes a member's row, and returns whether it existed.
  func remove(_ member: MemberID) throws -> Bool {
    let delete = try query("DELETE FROM history_member WHERE id = ?1")
    delete.statement.bind(member.name, at: 1)
    try delete.statement.run()
    return connection.changes > 0
  }

  func row(of member: MemberID) throws -> MemberRow? {
    let query = try statement(.member)
    query.statement.bind(member.name, at: 1)
    defer { query.statement.reset() }
    guard try query.statement.step() else { return nil }
    return MemberRow(
      epoch: query.statement.int(0),
      state: MemberState(number: query.statement.int(1)) ?? .retired,
      cursor: query.statement.int(2),
      mark: query.statement.int(3)
    )
  }
}

extension StoreCore {
  /// Returns all members sorted by name, each with its lag.
  func members() throws -> [Member] {
    let head = try head()
    var rows = try memberRows()
    let bytes = try bytesBehind(rows.map(\.cursor.rawValue), head: head.number)
    for index in rows.indices where rows[index].cursor.rawValue < head.number {
      let cursor = rows[index].cursor.rawValue
      let next = try row(atOrAfter: cursor + 1)
      rows[index].lag = MemberLag(
        transactionCount: Int(head.number - cursor),
        byteCount: Int(bytes[cursor] ?? 0),
        duration: next.map {
          Duration(clampedSeconds: max(0, head.timestamp - $0.timestamp))
        } ?? .zero
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
    guard !name.isEmpty, let kind = MemberKind(number: row.int(1)),
      let state = MemberState(number: row.int(2))
    else { throw HistoryError.damaged(path: path, what: "the member \"\(name)\" is invalid") }
    return Member(
      id: MemberID(name),
      kind: kind,
      state: state,
      cursor: TransactionNumber(row.int(3)),
      seen: Date(timeIntervalSinceReferenceDate: row.real(4)),
      epoch: row.int(5),
      registeredAt: TransactionNumber(row.int(6)),
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
      throw HistoryError.damaged(path: path, what: "the configuration of \"\(name)\" is not JSON")
    }
  }

  /// Returns the configurations of the active members, or of the active members of one kind.
  ///
  /// Their order is undefined. Equal rows are not grouped, because SQLite would sort all rows to
  /// group them at each purge.
  func activeConfigurations(_ kind: MemberKind? = nil) throws -> [MemberConfiguration] {
    let texts = try query(
      """
      SELECT configuration, id FROM history_member
      WHERE state = 0 AND configuration IS NOT NULL AND kind = ifnull(?1, kind)
      """
    )
    if let kind {
      texts.statement.bind(kind.number, at: 1)
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

  /// Returns the configuration that a text encodes, decoded on first use.
  ///
  /// The results are cached, because each purge needs the configurations of all active members.
  private func remembered(_ text: String, by name: String) throws -> MemberConfiguration {
    try configurations.configuration(text) { try declared(text, by: name) }
  }
}
