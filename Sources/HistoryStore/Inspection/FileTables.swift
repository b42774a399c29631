import SQLiteStorage

/// The tables of a file, according to its schema.
struct FileTables {
  /// The names, in the order in which the tables were created.
  let names: [String]
  /// The indexes of each table, including those that SQLite creates itself.
  let indexes: [String: [String]]

  init(_ connection: borrowing Connection) throws {
    let query = try Statement(
      connection,
      "SELECT type, name, tbl_name FROM sqlite_master WHERE type IN ('table', 'index')"
    )
    var names: [String] = []
    var indexes: [String: [String]] = [:]
    while try query.step() {
      guard let name = query.text(1), let table = query.text(2) else { continue }
      if query.text(0) == "table" {
        names.append(name)
      } else {
        indexes[table, default: []].append(name)
      }
    }
    self.names = names
    self.indexes = indexes
  }

  /// Returns the given tables that the file lacks.
  func missing(of wanted: [String]) -> [String] { wanted.filter { !names.contains($0) } }

  /// Returns the tables that are neither among the given ones nor SQLite's own.
  func unknown(beside known: [String]) -> [String] {
    names.filter { !known.contains($0) && !$0.hasPrefix("sqlite_") }
  }

  /// Returns the names of a table's columns.
  static func columns(
    of table: String,
    _ connection: borrowing Connection
  ) throws -> Set<String> {
    let query = try Statement(connection, "SELECT name FROM pragma_table_info(?1)")
    query.bind(table, at: 1)
    var columns: Set<String> = []
    while try query.step() {
      if let name = query.text(0) { columns.insert(name) }
    }
    return columns
  }
}
