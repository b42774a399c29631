import HistoryStore
import HistoryTypes
import SQLiteStorage

/// A store's file opened with plain SQLite, to change or damage the file like another program.
struct RawFile: ~Copyable {
  private let connection: Connection

  init(_ path: String) throws(HistoryError) {
    var options = ConnectionOptions()
    options.access = .readWrite
    do { connection = try Connection(path: path, options) } catch { throw HistoryError(error) }
  }

  /// Runs statements that return no rows.
  func run(_ sql: String) throws(HistoryError) {
    do { try connection.execute(sql) } catch { throw HistoryError(error) }
  }

  /// Returns the number in the first row of a query; `nil` if the query returns no row.
  func number(_ sql: String) throws(HistoryError) -> Int64? {
    do { return try connection.integer(sql) } catch { throw HistoryError(error) }
  }
}
