package import HistoryStore
import SQLiteStorage

/// A member that an inspected file has registered: a process or a consumer, in any state.
package struct CensusMember: Sendable, Hashable {
  package let name: String
  package let kind: MemberKind
  package let state: MemberState
  /// The number of the last transaction that the member has recorded as merged.
  package let cursor: Int64
  /// The time when the member last launched or recorded a cursor, in seconds since 2001-01-01 UTC.
  package let seen: Double
  /// The author that the member writes under, or `nil` if it declared none.
  package let author: String?
  /// The configured process name at the member's last launch, or `nil` for none.
  package let process: String?
  /// The number of transactions written after the member's cursor, including the member's own.
  package let lag: Int64
  /// The seconds from the oldest kept transaction after the cursor to the newest transaction.
  ///
  /// `nil` if the member has merged all history, or one of the two transactions has no timestamp.
  package let lagSeconds: Double?
  /// Whether purges stop at this member's cursor, because no active member has a lower one.
  package let holdsBack: Bool

  package init(
    name: String,
    kind: MemberKind = .tracker,
    state: MemberState = .active,
    cursor: Int64,
    seen: Double,
    author: String? = nil,
    process: String? = nil,
    lag: Int64 = 0,
    lagSeconds: Double? = nil,
    holdsBack: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.state = state
    self.cursor = cursor
    self.seen = seen
    self.author = author
    self.process = process
    self.lag = lag
    self.lagSeconds = lagSeconds
    self.holdsBack = holdsBack
  }
}

/// The members of an inspected file, and the history that active members protect from purges.
struct CensusRegistry {
  static let table = "history_member"

  /// The members, sorted by name.
  private(set) var members: [CensusMember] = []
  /// The patterns of the authors whose transactions active members protect from purges.
  private(set) var protectedAuthors: Set<String> = []
  /// The lowest cursor of the active members, or `nil` if there are none.
  private(set) var watermark: Int64?

  /// Reads the registry of a store of this library.
  ///
  /// - Throws: ``InspectionError/damaged(path:reason:)`` for a member that cannot be decoded.
  /// - Complexity: two rows for each member.
  init(_ connection: borrowing Connection, _ layout: HistoryLayout, path: String) throws {
    watermark = try connection.integer(StoreStatement.watermark.sql(layout))
    let head = try Statement(
      connection,
      "SELECT \(layout.number), \(layout.timestamp) FROM \(layout.transactions) ORDER BY 1 DESC LIMIT 1"
    )
    let newest: (number: Int64, timestamp: Double?) =
      try head.step() ? (head.int(0), head.time(1)) : (0, nil)
    let next = try Statement(
      connection,
      """
      SELECT \(layout.timestamp) FROM \(layout.transactions)
      WHERE \(layout.number) > ?1 ORDER BY \(layout.number) LIMIT 1
      """
    )
    let rows = try Statement(
      connection,
      """
      SELECT id, kind, state, cursor, seen, author, process, configuration
      FROM \(Self.table) ORDER BY id
      """
    )
    while try rows.step() {
      let name = rows.text(0) ?? ""
      guard let kind = MemberKind(number: rows.int(1)),
        let state = MemberState(number: rows.int(2))
      else {
        throw InspectionError.damaged(
          path: path,
          reason: "the registry's member \(name.debugDescription) has an unknown kind or state"
        )
      }
      if state == .active { try addProtection(rows.text(7), by: name, path) }
      let cursor = rows.int(3)
      let lag = max(0, newest.number - cursor)
      members.append(
        CensusMember(
          name: name,
          kind: kind,
          state: state,
          cursor: cursor,
          seen: rows.real(4),
          author: rows.text(5),
          process: rows.text(6),
          lag: lag,
          lagSeconds: lag == 0 ? nil : try next.seconds(after: cursor, until: newest.timestamp),
          holdsBack: state == .active && lag > 0 && cursor == watermark
        )
      )
    }
  }

  private mutating func addProtection(
    _ configuration: String?,
    by name: String,
    _ path: String
  ) throws {
    do {
      protectedAuthors.formUnion(
        try MemberConfiguration(text: configuration).protectedAuthors ?? []
      )
    } catch {
      throw InspectionError.damaged(
        path: path,
        reason: "the configuration of the member \(name.debugDescription) is not JSON"
      )
    }
  }
}

extension Statement {
  /// Returns a timestamp, or `nil` if the column does not contain a number.
  borrowing func time(_ column: Int32) -> Double? {
    storage(column) == .real || storage(column) == .integer ? real(column) : nil
  }

  /// Returns the seconds from the timestamp of the first transaction above `number` to `end`.
  fileprivate borrowing func seconds(after number: Int64, until end: Double?) throws -> Double? {
    bind(number, at: 1)
    defer { reset() }
    guard let end, try step(), let start = time(0) else { return nil }
    return max(0, end - start)
  }
}
