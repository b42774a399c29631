package import HistoryStore
import HistoryTypes
import SQLiteStorage

extension StoreInspector {
  /// Reads the transactions of a file's history, and counts the changed entities and attributes.
  ///
  /// - Throws: ``InspectionError``, with a sentence for every kind of file without a readable
  ///   history.
  /// - Complexity: one pass over the transactions and one over the changes, both in the order of
  ///   the file; 28 bytes of memory for each transaction.
  package func outline(of path: String) throws(InspectionError) -> HistoryOutline {
    try QuietFile(path, copyingTo: temporaryFolder, stopCheck: stopCheck).read {
      connection,
      state in
      let tables = try FileTables(connection)
      let source = try tables.source(connection, path: path)
      let isOurs = tables.names.contains("history_metadata")
      let registry =
        isOurs && tables.names.contains(CensusRegistry.table)
        ? try CensusRegistry(connection, source.layout, path: path) : nil
      var builder = OutlineBuilder(layout: source.layout == .packed ? .packed : .coreData)
      builder.patterns.formUnion(registry?.protectedAuthors ?? [])
      try source.outline(connection, into: &builder)
      builder.outline.isOurs = isOurs
      builder.outline.members = registry?.members
      builder.outline.watermark = registry?.watermark
      builder.outline.hasMirrorTables = tables.names.contains { $0.hasPrefix("ANSCK") }
      builder.outline.storage = try CensusStorage(connection, tables, of: source.tables, state)
      builder.outline.vacuum =
        try connection.integer("PRAGMA auto_vacuum").flatMap(VacuumMode.init) ?? .manual
      builder.outline.store = try tables.storeName(connection, isOurs: isOurs)
      return builder.finish(source.layout)
    }
  }
}

extension FileTables {
  /// Returns the UUID that a store of this library or Core Data's metadata contains, or `nil`.
  fileprivate func storeName(
    _ connection: borrowing Connection,
    isOurs: Bool
  ) throws -> String? {
    if isOurs {
      return try connection.text("SELECT value FROM history_metadata WHERE name = 'store'")?
        .uppercased()
    }
    guard try Self.columns(of: "Z_METADATA", connection).contains("Z_UUID") else { return nil }
    return try connection.text("SELECT Z_UUID FROM Z_METADATA")?.uppercased()
  }
}

/// Accumulates an outline from the rows of a history.
struct OutlineBuilder {
  var outline: HistoryOutline
  /// The patterns of the authors whose transactions a purge keeps.
  var patterns = Set(StoreConfiguration().protectedAuthors)
  private var authorIndexes: [CensusBuilder.AuthorKey: Int32] = [:]
  private var namedIndexes: [CensusName: Int32] = [:]
  private var all = RowWeight()
  /// For each transaction, its weight in the table of changes or chunks.
  private var changeWeights: [Float] = []

  init(layout: HistoryCensus.Layout) { outline = HistoryOutline(layout: layout) }

  /// Appends a transaction with its weights in the tables of transactions and of changes.
  mutating func append(
    _ number: Int64,
    timestamp: Double?,
    author: CensusBuilder.AuthorKey,
    changes: Int,
    _ weight: RowWeight,
    name: (Int64) throws -> String?
  ) rethrows {
    let finite = timestamp.flatMap { $0.isFinite ? $0 : nil }
    outline.append(
      number,
      timestamp: finite,
      author: try index(of: author, name),
      changes: changes,
      bytes: weight.transaction
    )
    changeWeights.append(Float(weight.changes))
    all += weight
  }

  /// Adds changes to a transaction that is already appended.
  mutating func addChange(at index: Int) {
    outline.changeCounts[index] += 1
    changeWeights[index] += 1
    all.changes += 1
  }

  private mutating func index(
    of key: CensusBuilder.AuthorKey,
    _ name: (Int64) throws -> String?
  ) rethrows -> Int32 {
    if let known = authorIndexes[key] { return known }
    let found: CensusName =
      switch key {
      case .absent: .absent
      case .text(let text): .known(text)
      case .string(let number): try name(number).map(CensusName.known) ?? .number(number)
      }
    // The oldest rows contain an author's name as text, so one name may have two keys.
    let place = namedIndexes[found] ?? Int32(outline.authors.count)
    if place == outline.authors.count {
      var author = OutlineAuthor(name: found)
      if case .known(let text) = found {
        author.isProtected = AuthorPatterns.match(text, patterns)
      }
      outline.authors.append(author)
    }
    namedIndexes[found] = place
    authorIndexes[key] = place
    return place
  }

  /// Returns the outline, with the measured bytes of the tables distributed over the transactions.
  consuming func finish(_ layout: HistoryLayout) -> HistoryOutline {
    func size(_ name: String) -> Double {
      guard let table = outline.storage.tables?.first(where: { $0.name == name }) else { return 0 }
      return Double(table.tableBytes + table.indexBytes)
    }
    let perWeight = (
      transaction: all.transaction > 0 ? size(layout.transactions) / all.transaction : 0,
      change: all.changes > 0 ? size(layout.changeRows) / all.changes : 0
    )
    for index in changeWeights.indices {
      let (transaction, changes) = (Double(outline.bytes[index]), Double(changeWeights[index]))
      outline.bytes[index] = Float(
        transaction * perWeight.transaction + changes * perWeight.change
      )
    }
    return outline
  }
}
