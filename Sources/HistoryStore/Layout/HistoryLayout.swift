/// How a store file keeps its history; decided when the file is created.
///
/// A closed set: what differs is asked once a statement, page or transaction, never once a change.
public enum HistoryLayout: String, Sendable, Hashable, CaseIterable {
  /// One row a transaction, its changes packed into one blob, big ones in chunks.
  case packed
}

/// The names of a layout's tables and columns, as SQL: whoever asks about transactions writes these,
/// never a name of one layout.
///
/// Every expression is a number that is never null: absent strings are 0.
extension HistoryLayout {
  /// The table of transactions.
  var transactions: String { "history_transaction" }
  /// A transaction's number, the key of its table.
  var number: String { "number" }
  /// Seconds since 2001-01-01 UTC.
  var timestamp: String { "timestamp" }
  /// The random mark.
  var mark: String { "mark" }
  /// The number of the author's string.
  var author: String { "author" }
  /// The number of the context name's string.
  var contextName: String { "context" }
  /// The number of the bundle's string.
  var bundle: String { "bundle" }
  /// The number of the process's string.
  var process: String { "process" }
  /// The number of the writer.
  var writer: String { "writer" }
  /// How many changes there are, or nothing where the layout does not say.
  var count: String { "count" }
  /// The packed changes, or null where they lie in rows of their own.
  var changes: String { "changes" }
  /// The bitmap of entities that changed, by number modulo 64, or -1 where the layout has none.
  var entities: String { "entities" }
}
