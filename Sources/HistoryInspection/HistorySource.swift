import HistoryStore
import HistoryTypes
import SQLiteStorage

/// The history tables of a file that has all the tables and columns needed to read its history.
protocol HistorySource {
  /// The tables whose size counts as the size of the history.
  var tables: [String] { get }
  /// The layout, which determines the names of tables and columns.
  var layout: HistoryLayout { get }
  /// Whether the file has a table of strings, which the oldest files lack.
  var hasStrings: Bool { get }

  /// Counts the contents of the tables in one pass, and the effect of a purge if one is requested.
  func read(_ connection: borrowing Connection, _ purge: PurgeCounter?) throws -> CensusBuilder
  /// Reads the transactions, and counts the objects and attributes that their changes affect.
  func outline(_ connection: borrowing Connection, into builder: inout OutlineBuilder) throws
  /// Returns the finished census, with the names that the file has for author and entity numbers.
  func finish(_ builder: CensusBuilder, _ connection: borrowing Connection) throws -> HistoryCensus
  /// Returns the unexpected tables of the file, and the expected tables that are missing.
  func compare(
    _ file: FileTables,
    _ connection: borrowing Connection
  ) throws -> (unknown: [String], missing: [String])
}

extension HistorySource {
  /// Returns the number and timestamp of the newest transaction, or 0 and `nil` if there is none.
  func newest(_ connection: borrowing Connection) throws -> (number: Int64, timestamp: Double?) {
    let head = try Statement(
      connection,
      """
      SELECT \(layout.number), \(layout.timestamp) FROM \(layout.transactions)
      ORDER BY \(layout.number) DESC LIMIT 1
      """
    )
    guard try head.step() else { return (0, nil) }
    return (head.int(0), head.time(1))
  }

  /// Returns the keys of those rows in the table of strings whose text a closure accepts (`true`).
  func strings(
    _ connection: borrowing Connection,
    where isWanted: (String) -> Bool
  ) throws -> Set<Int64> {
    let strings = try Statement(
      connection,
      "SELECT \(layout.stringNumber), \(layout.stringText) FROM \(layout.strings)"
    )
    var numbers: Set<Int64> = []
    while try strings.step() {
      if let text = strings.text(1), isWanted(text) { numbers.insert(strings.int(0)) }
    }
    return numbers
  }

  /// Returns the model that a store of this library contains, or `nil` for other files.
  ///
  /// The model includes the entities and attributes that a migration removed, under their old numbers.
  func model(_ connection: borrowing Connection) throws -> Model? {
    try storedModel(connection)?.everything
  }

  private func storedModel(_ connection: borrowing Connection) throws -> StoredModel? {
    try connection.text("SELECT value FROM history_metadata WHERE name = 'model'")
      .flatMap { StoredModel(text: $0) }
  }

  /// Returns the tables of a store of this library; the tables of its objects come last.
  func ownTables(_ connection: borrowing Connection) throws -> [String] {
    let common = ["history_metadata", "history_author", "history_thinned", "history_member"]
    return try common + layout.tables
      + (storedModel(connection)?.entities.filter { !$0.isRemoved }.map(\.table) ?? [])
  }
}

extension FileTables {
  /// Returns the history that the file contains.
  ///
  /// - Throws: ``InspectionError``, with the missing tables or columns or the file's newer format.
  func source(
    _ connection: borrowing Connection,
    path: String
  ) throws -> any HistorySource {
    guard try connection.integer("PRAGMA application_id") == Schema.applicationID else {
      return try CoreDataHistory(self, connection, path: path)
    }
    let version = try connection.integer("PRAGMA user_version") ?? 0
    guard version <= Schema.formatVersion else {
      throw InspectionError.newerFormat(path: path, found: version, known: Schema.formatVersion)
    }
    return names.contains("ATRANSACTION")
      ? try CoreDataHistory(self, connection, path: path)
      : try PackedHistory(self, connection, path: path)
  }
}

/// The history of a store of this library with the layout `packed`.
struct PackedHistory: HistorySource {
  let tables = ["history_transaction", "history_chunk", "history_string", "history_author"]
  let layout = HistoryLayout.packed
  let hasStrings = true
  /// The approximate size of a row without its blob, in bytes.
  static let rowBytes = (transaction: 40.0, chunk: 12.0)

  init(_ file: FileTables, _ connection: borrowing Connection, path: String) throws {
    let missing = file.missing(of: tables + ["history_metadata"])
    guard missing.isEmpty else {
      throw InspectionError.missingTables(path: path, tables: missing)
    }
  }

  /// Reads transactions in order and unpacks their changes, one blob at a time.
  func read(_ connection: borrowing Connection, _ purge: PurgeCounter?) throws -> CensusBuilder {
    var builder = CensusBuilder(layout: .packed, purge: purge)
    let purged = try Self.purgedByAuthor(connection)
    let rows = try Statement(
      connection,
      "SELECT number, timestamp, author, count, changes FROM history_transaction ORDER BY number"
    )
    let chunks = try Statement(connection, StoreStatement.chunks.sql(.packed))
    var unpacker = ChangeUnpacker()
    while try rows.step() {
      guard rows.int(0) > purged[rows.int(2)] ?? 0 else {
        builder.addPurgedTransaction()
        continue
      }
      let author: CensusBuilder.AuthorKey = rows.int(2) == 0 ? .absent : .string(rows.int(2))
      let timestamp = rows.storage(1) == .real ? rows.real(1) : nil
      builder.begin(rows.int(0), timestamp: timestamp, author: author)
      var counted = 0
      var isWhole = true
      var weight = RowWeight(transaction: Self.rowBytes.transaction)
      if rows.isNull(4) {
        try eachChunk(of: rows.int(0), chunks) { blob in
          isWhole = count(blob, &unpacker, &builder, &counted) && isWhole
          weight.changes += Self.rowBytes.chunk + Double(blob.count)
        }
      } else {
        let blob = rows.bytes(4)
        isWhole = count(blob, &unpacker, &builder, &counted)
        weight.transaction += Double(blob.count)
      }
      if !isWhole || Int64(counted) != rows.int(3) { builder.addUnreadableTransaction() }
      builder.addTransaction(
        timestamp: timestamp,
        author: author,
        changeCount: counted,
        weight
      )
    }
    return builder
  }

  /// Counts the readable changes of one blob, and returns whether the whole blob could be read.
  private func count(
    _ blob: UnsafeRawBufferPointer,
    _ unpacker: inout ChangeUnpacker,
    _ builder: inout CensusBuilder,
    _ counted: inout Int
  ) -> Bool {
    unpacker.changes.truncate(to: 0)
    unpacker.tombstones.truncate(to: 0)
    let isWhole = unpacker.append(blob)
    for change in unpacker.changes {
      builder.addChange(
        entity: Int64(change.entity),
        type: Int64(change.type.rawValue),
        hasTombstone: change.type == .delete && change.tombstoneLength > 0
      )
    }
    counted += unpacker.changes.count
    return isWhole
  }

  func eachChunk(
    of number: Int64,
    _ chunks: borrowing Statement,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws {
    chunks.bind(number << ChunkKey.bits, at: 1)
    chunks.bind((number &+ 1) << ChunkKey.bits, at: 2)
    defer { chunks.reset() }
    while try chunks.step() { body(chunks.bytes(0)) }
  }

  /// Returns, for each author, the transaction number up to which the author's history is purged.
  ///
  /// The keys are the authors' numbers in the table of strings.
  static func purgedByAuthor(_ connection: borrowing Connection) throws -> [Int64: Int64] {
    let query = try Statement(connection, "SELECT string, purged FROM history_author")
    var purged: [Int64: Int64] = [:]
    while try query.step() { purged[query.int(0)] = query.int(1) }
    return purged
  }

  func compare(
    _ file: FileTables,
    _ connection: borrowing Connection
  ) throws -> (unknown: [String], missing: [String]) {
    let own = try ownTables(connection)
    return (file.unknown(comparedWith: own), file.missing(of: own))
  }

  func finish(
    _ builder: CensusBuilder,
    _ connection: borrowing Connection
  ) throws -> HistoryCensus {
    let strings = try connection.integer("SELECT count(*) FROM history_string") ?? 0
    let model = try model(connection)
    let names = try Statement(connection, "SELECT text FROM history_string WHERE number = ?1")
    return try builder.finish(
      strings: Int(strings),
      author: { try names.text(for: $0) },
      entity: { model?.entity(Int32(truncatingIfNeeded: $0))?.name }
    )
  }
}

extension Statement {
  /// Binds a number, and returns the text in the first row and column, or `nil` for no row.
  borrowing func text(for number: Int64) throws -> String? {
    bind(number, at: 1)
    defer { reset() }
    return try step() ? text(0) : nil
  }
}
