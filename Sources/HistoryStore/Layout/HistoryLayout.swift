/// How a store file keeps its history; decided when the file is created.
///
/// A closed set: what differs is asked once a statement, page or transaction, never once a change.
public enum HistoryLayout: String, Sendable, Hashable, CaseIterable {
  /// One row a transaction, its changes packed into one blob, big ones in chunks.
  case packed
  /// The tables of Core Data: `ATRANSACTION`, `ATRANSACTIONSTRING`, and `ACHANGE` with one row a
  /// change.
  ///
  /// A transaction's mark is its `Z_OPT`, which Core Data leaves null and compares only when it
  /// updates that very row, what it never does to history; its writer is in the process string.
  case coreData
}

/// The names of a layout's tables and columns, as SQL: whoever asks about transactions writes these,
/// never a name of one layout.
///
/// Every expression is a number that is never null: absent strings are 0.
extension HistoryLayout {
  /// The table of transactions.
  package var transactions: String { either("history_transaction", "ATRANSACTION") }
  /// A transaction's number, the key of its table.
  package var number: String { either("number", "Z_PK") }
  /// Seconds since 2001-01-01 UTC.
  package var timestamp: String { either("timestamp", "ZTIMESTAMP") }
  /// Whether there is an index of the timestamps.
  var indexesTimestamps: Bool { self == .coreData }
  /// The random mark.
  package var mark: String { either("mark", "ifnull(Z_OPT,0)") }
  /// The number of the author's string.
  package var author: String { either("author", "ifnull(ZAUTHORTS,0)") }
  /// The number of the context name's string.
  package var contextName: String { either("context", "ifnull(ZCONTEXTNAMETS,0)") }
  /// The number of the bundle's string.
  package var bundle: String { either("bundle", "ifnull(ZBUNDLEIDTS,0)") }
  /// The number of the process's string; in `coreData` of the string that names the writer as well.
  package var process: String { either("process", "ifnull(ZPROCESSIDTS,0)") }
  /// The number of the writer; 0 where the process string names it.
  package var writer: String { either("writer", "0") }
  /// How many changes the transaction has.
  package var count: String {
    either("count", "(SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = ATRANSACTION.Z_PK)")
  }
  /// The bitmap of entities that changed, by number modulo 64; every bit where there is none.
  package var entities: String { either("entities", "-1") }
  /// The table of the rows that belong to transactions: chunks of changes, or changes.
  package var changeRows: String { either("history_chunk", "ACHANGE") }
  /// The table of strings.
  package var strings: String { either("history_string", "ATRANSACTIONSTRING") }
  /// A string's number, the key of its table.
  package var stringNumber: String { either("number", "Z_PK") }
  /// A string's text.
  package var stringText: String { either("text", "ZNAME") }

  /// The tables that a layout has and others have not.
  var tables: [String] {
    switch self {
    case .packed: ["history_transaction", "history_chunk", "history_string", "history_key"]
    case .coreData: ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING", "Z_PRIMARYKEY"]
    }
  }

  /// What a scan reads of each transaction, in the order in which it reads it.
  var transactionColumns: String {
    let names = [number, timestamp, mark, author, contextName, bundle, process, writer]
    return (names + [count, either("changes", "NULL")]).joined(separator: ", ")
  }

  private func either(_ packed: String, _ coreData: String) -> String {
    switch self {
    case .packed: packed
    case .coreData: coreData
    }
  }
}

extension HistoryLayout {
  /// The statements that delete the transactions that match a condition, what belongs to them first,
  /// themselves last; the bounds say between which numbers all of them lie.
  func deletions(
    where condition: String,
    from first: String = "0",
    through last: String = "\(Int64.max >> ChunkKey.bits - 1)"
  ) -> [String] {
    let matching = "SELECT \(number) FROM \(transactions) WHERE \(condition)"
    let transactions = "DELETE FROM \(transactions) WHERE \(condition)"
    return switch self {
    case .packed: [Self.deletionOfChunks(of: matching, from: first, through: last), transactions]
    case .coreData: [Self.deletionOfRows(of: matching, from: first, through: last), transactions]
    }
  }

  /// Leaves out the keys of an entity through one.
  var skippedKeys: String {
    switch self {
    case .packed: "UPDATE history_key SET next = max(next, ?2 + 1) WHERE entity = ?1"
    case .coreData: "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?2) WHERE Z_ENT = ?1"
    }
  }

  /// The number of the transaction, between two numbers, whose rows of changes are beyond so many.
  var transactionBeyond: String {
    switch self {
    case .packed: Self.transactionBeyondChunks
    case .coreData: Self.transactionBeyondRows
    }
  }

  /// How many rows of changes one chunk of a purge deletes unless one transaction has more: of 32 KB
  /// each, or of one change each with its entry in the index.
  var purgeChunkRows: Int {
    switch self {
    case .packed: 256
    case .coreData: 8192
    }
  }
}
