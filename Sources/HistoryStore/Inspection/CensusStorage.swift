import SQLiteStorage

/// The sizes of a file and of the history in it.
package struct CensusStorage: Sendable, Hashable {
  /// The size of one table of the history.
  package struct Table: Sendable, Hashable {
    package let name: String
    /// The size of the pages of the table itself.
    package let tableBytes: Int64
    /// The size of the pages of its indexes.
    package let indexBytes: Int64

    package init(name: String, tableBytes: Int64, indexBytes: Int64) {
      self.name = name
      self.tableBytes = tableBytes
      self.indexBytes = indexBytes
    }
  }

  /// The size of the file.
  package var fileBytes: Int64 = 0
  /// The size of the logs next to it.
  package var logBytes: Int64 = 0
  /// The size of a page in bytes.
  package var pageBytes: Int64 = 0
  /// The number of pages of the database, including those in the log.
  package var pageCount: Int64 = 0
  /// The number of unused pages.
  package var freePageCount: Int64 = 0
  /// The tables of the history, or `nil` when this build of SQLite cannot measure them.
  package var tables: [Table]?

  package init() {}

  /// The size of the whole history, or `nil` when this build of SQLite cannot measure it.
  package var historyBytes: Int64? {
    tables?.reduce(0) { $0 + $1.tableBytes + $1.indexBytes }
  }
}

extension CensusStorage {
  /// Measures some tables with `dbstat` (https://sqlite.org/dbstat.html).
  ///
  /// - Complexity: reads every page of those tables once.
  init(
    _ connection: borrowing Connection,
    _ file: FileTables,
    of wanted: [String],
    _ state: FileState
  ) throws {
    fileBytes = state.fileBytes
    logBytes = state.logBytes
    pageBytes = try connection.integer("PRAGMA page_size") ?? 0
    pageCount = try connection.integer("PRAGMA page_count") ?? 0
    freePageCount = try connection.integer("PRAGMA freelist_count") ?? 0
    guard try Self.canMeasure(connection) else { return }
    let size = try Statement(
      connection,
      "SELECT sum(pgsize) FROM dbstat WHERE name = ?1 AND aggregate = TRUE"
    )
    func bytes(of name: String) throws -> Int64 {
      size.bind(name, at: 1)
      defer { size.reset() }
      return try size.step() ? size.int(0) : 0
    }
    tables = try wanted.filter(file.names.contains).map { name in
      Table(
        name: name,
        tableBytes: try bytes(of: name),
        indexBytes: try file.indexes[name, default: []].reduce(0) { try $0 + bytes(of: $1) }
      )
    }
  }

  /// Whether this SQLite was built with `dbstat`.
  private static func canMeasure(_ connection: borrowing Connection) throws -> Bool {
    try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'") == 1
  }
}
