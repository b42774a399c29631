import SQLiteStorage

/// The tables of the toy in one in-memory database, with its seeded bug.
///
/// Its statements stay prepared between cases: `reset` empties the tables.
final class SharedLogStore {
  private let mistake: SharedLog.Mistake?
  private let connection: Connection
  private let clearLog: Statement
  private let clearCursors: Statement
  private let clearSequence: Statement
  private let insert: Statement
  private let position: Statement
  private let rows: Statement
  private let top: Statement
  private let move: Statement
  private let positions: Statement
  private let delete: Statement
  private let register: Statement
  private let numbers: Statement
  /// The number of actors at the first purge.
  private var known: Int?

  init(_ mistake: SharedLog.Mistake?) throws {
    self.mistake = mistake
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE txn(id INTEGER PRIMARY KEY AUTOINCREMENT, author INT NOT NULL, n INT NOT NULL);
      CREATE TABLE cursor(actor INTEGER PRIMARY KEY, pos INT NOT NULL);
      """
    )
    clearLog = try Statement(connection, "DELETE FROM txn")
    clearCursors = try Statement(connection, "DELETE FROM cursor")
    clearSequence = try Statement(connection, "DELETE FROM sqlite_sequence")
    insert = try Statement(connection, "INSERT INTO txn(author,n) VALUES(?,?)")
    position = try Statement(connection, "SELECT pos FROM cursor WHERE actor=?")
    rows = try Statement(
      connection,
      "SELECT id,n FROM txn WHERE id>? AND author<>? ORDER BY id LIMIT ?"
    )
    top = try Statement(connection, "SELECT seq FROM sqlite_sequence WHERE name='txn'")
    move = try Statement(connection, "UPDATE cursor SET pos=? WHERE actor=?")
    positions = try Statement(connection, "SELECT pos FROM cursor ORDER BY actor")
    delete = try Statement(connection, "DELETE FROM txn WHERE id<=?")
    register = try Statement(connection, "INSERT INTO cursor VALUES(?,?)")
    numbers = try Statement(connection, "SELECT id FROM txn")
  }

  /// Empties the tables and registers the first actors.
  func reset(actorCount: Int) throws {
    known = nil
    try clearLog.run()
    try clearCursors.run()
    try clearSequence.run()
    for actor in 0..<actorCount { try register(actor, at: 0) }
  }

  private func register(_ actor: Int, at place: Int64) throws {
    register.bind(Int64(actor), at: 1)
    register.bind(place, at: 2)
    try register.run()
  }

  func append(_ author: Int, size: Int) throws {
    insert.bind(Int64(author), at: 1)
    insert.bind(Int64(size), at: 2)
    try insert.run()
  }

  /// Reads the entries that an actor has not merged, and moves its cursor to the end.
  func merge(_ actor: Int) throws -> NumberSet {
    position.bind(Int64(actor), at: 1)
    let start = try integers(position).first ?? 0
    var new = try unmerged(actor, after: start)
    move.bind(try integers(top).first ?? 0, at: 1)
    move.bind(Int64(actor), at: 2)
    try move.run()
    let isRare = new.count == 3 && new[0].size >= 7 && new.allSatisfy { $0.size == new[0].size }
    if mistake == .rareData, isRare { new.removeLast() }
    if mistake == .longRun { new = Array(new.prefix(29)) }
    return NumberSet(new.map(\.number))
  }

  private func unmerged(_ actor: Int, after start: Int64) throws -> [(number: Int64, size: Int64)] {
    rows.bind(start, at: 1)
    rows.bind(Int64(actor), at: 2)
    rows.bind(Int64(mistake == .shortPage ? 8 : -1), at: 3)
    var result: [(number: Int64, size: Int64)] = []
    while try rows.step() { result.append((rows.int(0), rows.int(1))) }
    rows.reset()
    return result
  }

  /// Deletes the entries that every actor has merged, subject to the bug.
  func purge() throws {
    var places = try integers(positions)
    known = known ?? places.count
    if mistake == .lateJoiner { places = Array(places.prefix(known ?? 0)) }
    var mark = (mistake == .greatest ? places.max() : places.min()) ?? 0
    if mistake == .offByOne { mark += 1 }
    let isRare = places.count == 4 && Set(places).count == 4
    if mistake == .rareState, isRare { mark = places.max() ?? 0 }
    delete.bind(mark, at: 1)
    try delete.run()
  }

  /// Registers another actor at the lowest cursor.
  func join(_ actor: Int) throws { try register(actor, at: integers(positions).min() ?? 0) }

  /// The numbers in the log.
  func held() throws -> NumberSet {
    var result = NumberSet()
    while try numbers.step() { result.insert(numbers.int(0)) }
    numbers.reset()
    return result
  }

  private func integers(_ statement: borrowing Statement) throws -> [Int64] {
    var result: [Int64] = []
    while try statement.step() { result.append(statement.int(0)) }
    statement.reset()
    return result
  }
}

/// A set of the numbers 0 to 63: a plan has fewer steps.
struct NumberSet: Equatable {
  private var bits: UInt64 = 0

  init() {}

  init(_ numbers: [Int64]) { for number in numbers { insert(number) } }

  mutating func insert(_ number: Int64) { bits |= 1 << UInt64(number) }

  mutating func formUnion(_ other: NumberSet) { bits |= other.bits }

  mutating func formIntersection(_ other: NumberSet) { bits &= other.bits }

  mutating func subtract(_ other: NumberSet) { bits &= ~other.bits }

  func isSuperset(of other: NumberSet) -> Bool { other.bits & ~bits == 0 }

  var isEmpty: Bool { bits == 0 }
}
