import PersistentHistory
import SQLiteStorage

/// Reads rows by their keys, all with one statement that joins the table with the keys.
///
/// SQLite passes the rows to a function instead of returning at each. Function and join cost 1.04
/// to 1.10 times as much as a loop in C over the same join, for rows of seven columns; lists of
/// bound keys and the columns of a statement cost 1.48 times as much.
final class RowReader {
  /// The destination of the rows that the function receives.
  private enum Sink {
    case none
    case batch(UnsafeMutablePointer<RowBatch>)
    case differences(UnsafeMutablePointer<RowDifferences>, KnownRows.Lent)
  }

  /// The state of the function; in separate memory, since it is called while a method runs.
  private let sink = UnsafeMutablePointer<Sink>.allocate(capacity: 1)
  private let types = UnsafeMutablePointer<UnsafeBufferPointer<AttributeType>>.allocate(capacity: 1)
  private let keys: KeyTable

  /// Adds the table of keys and the function to a connection.
  init(_ connection: borrowing Connection) throws(SQLiteError) {
    sink.initialize(to: .none)
    types.initialize(to: UnsafeBufferPointer(start: nil, count: 0))
    keys = try KeyTable("history_keys", connection)
    let (sink, types) = (sink, types)
    try connection.setCollector("history_row") { row in
      switch sink.pointee {
      case .none: break
      case .batch(let batch): batch.pointee.append(row, types.pointee)
      case .differences(let differences, let known):
        differences.pointee.append(row, types.pointee, beside: known)
      }
    }
  }

  deinit {
    sink.deallocate()
    types.deallocate()
  }

  /// Appends the existing rows with some keys to a batch.
  func read(
    _ wanted: [Int64],
    of table: EntityStatements,
    into rows: inout RowBatch,
    _ connection: borrowing Connection
  ) throws {
    try withUnsafeMutablePointer(to: &rows) { rows in
      try read(wanted, of: table, into: .batch(rows), connection)
    }
  }

  /// Appends the differences of the existing rows among known ones.
  func read(
    _ known: KnownRows,
    of table: EntityStatements,
    into rows: inout RowDifferences,
    _ connection: borrowing Connection
  ) throws {
    try withUnsafeMutablePointer(to: &rows) { rows in
      try known.lend { lent in
        try read(known.keys, of: table, into: .differences(rows, lent), connection)
      }
    }
  }

  private func read(
    _ wanted: [Int64],
    of table: EntityStatements,
    into place: Sink,
    _ connection: borrowing Connection
  ) throws {
    let select = try table.selectShown(connection)
    sink.pointee = place
    defer { sink.pointee = .none }
    try table.types.withUnsafeBufferPointer { lent in
      types.pointee = lent
      try keys.show(wanted) { try select.statement.run() }
    }
  }
}
