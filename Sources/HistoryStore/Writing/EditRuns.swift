import HistoryTypes
import SQLiteStorage

/// Consecutive edits of a save that one statement can write: inserts of one entity, or updates of one
/// entity that set the same attributes of objects with ascending keys.
///
/// A run of at least ``countMin`` edits is written with one statement, because starting a statement
/// costs as much as writing a row. The edits of a shorter run are written one by one.
private struct EditRun {
  /// The minimum number of edits that one statement writes.
  static let countMin = 4
  /// The maximum difference between the keys of two updates that one statement writes.
  ///
  /// The statement also visits the rows in between. A visit costs a tenth of a new statement.
  static let stepMax: Int64 = 4

  let range: Range<Int>
  /// Whether one statement is to write the run: it has at least ``countMin`` inserts or updates.
  let isLong: Bool

  /// Finds the consecutive edits of one type and entity, from an index on, that form a run.
  init(_ edits: [ObjectEdit], from start: Int) {
    let type = edits[start].type
    let (entity, columns) = (edits[start].id.entity, edits[start].columns)
    var end = start + 1
    while end < edits.count, end - start < RowBlock.capacity, edits[end].type == type,
      edits[end].id.entity == entity
    {
      if type == .update {
        let (step, overflow) = edits[end].id.key.subtractingReportingOverflow(edits[end - 1].id.key)
        guard edits[end].columns == columns, step > 0, step <= Self.stepMax, !overflow else {
          break
        }
      }
      end += 1
    }
    range = start..<end
    isLong = end - start >= Self.countMin && type != .delete
  }
}

extension StoreCore {
  /// Writes the edits of a save in order.
  ///
  /// A long run (``EditRun``) of inserts or updates of one entity is written with one statement if
  /// possible. Other edits are written one by one.
  ///
  /// Edits that violate a uniqueness constraint are passed to `postpone`.
  ///
  /// - Returns: The outcome of each edit.
  func applyInOrder(
    _ edits: [ObjectEdit],
    _ number: Int64,
    _ packer: inout ChangePacker,
    _ conflicts: inout ConflictHandling,
    postponing postpone: (AdjustedEdit) -> Void
  ) throws -> [EditOutcome] {
    var outcomes: [EditOutcome] = []
    outcomes.reserveCapacity(edits.count)
    while outcomes.count < edits.count {
      let run = EditRun(edits, from: outcomes.count)
      if run.isLong {
        let (tried, written) = try write(run, of: edits, number, &packer)
        outcomes.append(contentsOf: repeatElement(.written, count: written))
        if tried > 0, written == tried { continue }
      }
      while outcomes.count < run.range.upperBound {
        let index = outcomes.count
        do {
          outcomes.append(try apply(edits[index], number, &packer, &conflicts))
        } catch let error as SQLiteError where error.isDuplicate {
          postpone(AdjustedEdit(index, edits[index]))
          outcomes.append(.leftOut)
        }
      }
    }
    return outcomes
  }

  /// Writes the edits of a run up to the first conflict or duplicate, and adds them to `packer`.
  ///
  /// - Returns: The number of edits that one statement tried to write, and the number of written
  ///   edits. Both are 0 if no statement ran.
  private func write(
    _ run: EditRun,
    of edits: [ObjectEdit],
    _ number: Int64,
    _ packer: inout ChangePacker
  ) throws -> (tried: Int, written: Int) {
    let first = run.range.lowerBound
    let (id, type, columns) = (edits[first].id, edits[first].type, edits[first].columns)
    let table = try table(id.entity)
    let set = type == .insert ? table.columns.all : columns
    guard set != 0, set & ~table.columns.all == 0 else { return (0, 0) }
    let rows = table.rows.block
    defer { rows.pointee.removeAll() }
    let expected = try statements.expectedVersions(connection)
    expected.removeAll()
    try fill(rows, with: edits[run.range], set, type, of: table, expected)
    let tried = rows.pointee.count
    // Large values may fill the buffer with few rows.
    guard tried >= EditRun.countMin else { return (0, 0) }
    do {
      switch type {
      case .insert: try table.inserter(connection).flush(version: number)
      case .update, .delete:
        let updater = try table.editUpdater(columns, connection)
        try updater.update(version: number)
      }
    } catch let error as SQLiteError where error.isDuplicate {
      // A statement with `OR FAIL` keeps the rows that it wrote before the duplicate.
    }
    let written = Int(connection.changes)
    let changed = table.numbers(of: columns)
    for index in run.range.prefix(written) {
      switch type {
      case .insert: packer.insert(id.entity, edits[index].id.key)
      case .update, .delete: packer.update(id.entity, edits[index].id.key, changed)
      }
    }
    return (tried, written)
  }

  /// Buffers the rows of edits that set the attributes in `set`, until the buffer is full.
  private func fill(
    _ rows: UnsafeMutablePointer<RowBlock>,
    with edits: ArraySlice<ObjectEdit>,
    _ set: UInt64,
    _ type: ChangeType,
    of table: EntityStatements,
    _ expected: ExpectedVersions
  ) throws {
    var row = RowWriter(table, only: set)
    for edit in edits {
      row.set(edit.values, in: set)
      try row.end(key: edit.id.key)
      if type == .update { expected.append(edit.id.key, edit.version) }
      if row.isFull { break }
    }
  }
}

/// The versions that the rows of a run of updates must have, exposed to SQL as a function.
///
/// The SQL function `history_expected(_key, _version)` is called for rows in key order. It returns 1
/// if the row has the key and version of the run's next row, and 0 otherwise. It therefore returns 0
/// for rows between those of the run. If another writer has changed or deleted a row of the run, it
/// returns 0 for this and all later rows.
final class ExpectedVersions {
  private struct Run {
    var count = 0
    /// The number of rows that the run's statement has found with the expected version so far.
    var passed = 0
  }

  private let rows = UnsafeMutablePointer<(key: Int64, version: Int64)>.allocate(
    capacity: RowBlock.capacity
  )
  /// The number of rows in ``rows``, and how many of them `history_expected` has matched so far.
  ///
  /// The memory is outside this object, because SQLite calls the function while a statement runs.
  private let run = UnsafeMutablePointer<Run>.allocate(capacity: 1)

  /// Registers the SQL function `history_expected` with a connection.
  init(_ connection: borrowing Connection) throws(SQLiteError) {
    run.initialize(to: Run())
    let (rows, run) = (rows, run)
    try connection.setFunction("history_expected") { row in
      let place = run.pointee.passed
      guard place < run.pointee.count, rows[place] == (row.int(0), row.int(1)) else { return 0 }
      run.pointee.passed = place + 1
      return 1
    }
  }

  deinit {
    rows.deallocate()
    run.deallocate()
  }

  func removeAll() { run.pointee = Run() }

  /// Adds the key and the expected version of the next row to update.
  func append(_ key: Int64, _ version: Int64) {
    rows[run.pointee.count] = (key, version)
    run.pointee.count += 1
  }
}

/// Updates a run of objects with one statement, up to the first object with an unexpected version.
final class EditUpdater {
  /// The attributes to set, as bits.
  let columns: UInt64
  private let rows: UnsafeMutablePointer<RowBlock>
  private let range: PreparedStatement

  /// Creates an updater whose statement reads the buffered values through the SQL function `function`.
  init(
    _ table: EntityStatements,
    _ columns: UInt64,
    values function: String,
    _ connection: borrowing Connection
  ) throws {
    self.columns = columns
    rows = table.rows.block
    let names = table.columnNames
    let set = names.indices.filter { columns >> UInt64($0) & 1 == 1 }
      .map { ", \"\(names[$0])\" = \(function)(_key, \($0))" }.joined()
    range = try PreparedStatement(
      connection,
      """
      UPDATE OR FAIL "\(table.tableName)" SET _version = ?3\(set)
      WHERE \(KeyList.range) AND history_expected(_key, _version)
      """
    )
  }

  /// Updates the objects of the buffered rows, up to the first one with an unexpected version.
  func update(version: Int64) throws {
    rows.pointee.read(from: 0)
    range.statement.bind(version, at: 3)
    let (first, last) = (rows.pointee.key(0), rows.pointee.key(rows.pointee.count - 1))
    try KeyList.run(range, from: first, through: last)
  }
}
