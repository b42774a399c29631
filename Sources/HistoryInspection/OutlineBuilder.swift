package import HistoryStore
import HistoryTypes
import SQLiteStorage

extension StoreInspector {
  /// Reads the transactions of a file's history, and counts the changed entities and attributes.
  ///
  /// - Throws: ``InspectionError``, which says why the file has no readable history.
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
  /// Returns the UUID of the store in upper case, or `nil` if the file has none.
  ///
  /// A store of this library has the UUID in `history_metadata`, and a Core Data file in `Z_METADATA`.
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
  /// The approximate size of each transaction's changes, in the unit of a ``RowWeight``.
  private var changeWeights: [Float] = []

  init(layout: HistoryCensus.Layout) { outline = HistoryOutline(layout: layout) }

  /// Appends a transaction; `weight` is the approximate size of its rows.
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

  /// Adds one change to a transaction that is already appended.
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

extension PackedHistory {
  /// Reads the transactions in the order of their numbers, and unpacks one blob of changes at a time.
  func outline(
    _ connection: borrowing Connection,
    into builder: inout OutlineBuilder
  ) throws {
    let purged = try Self.purgedByAuthor(connection)
    let rows = try Statement(
      connection,
      "SELECT number, timestamp, author, changes FROM history_transaction ORDER BY number"
    )
    let chunks = try Statement(connection, StoreStatement.chunks.sql(.packed))
    let names = try Statement(connection, "SELECT text FROM history_string WHERE number = ?1")
    var (entities, attributes) = (EntityTally(), AttributeTally())
    let unpacker = ChangeUnpacker()
    func count(_ blob: UnsafeRawBufferPointer) -> Int {
      unpacker.changes.truncate(to: 0)
      unpacker.tombstones.truncate(to: 0)
      _ = unpacker.append(blob)
      for change in unpacker.changes {
        entities.add(entity: Int64(change.entity), type: Int64(change.type.rawValue))
        guard change.type == .update else { continue }
        let (start, length) = (Int(change.tombstoneStart), Int(change.tombstoneLength))
        unpacker.tombstones.withBytes(at: start, count: length) { rest in
          attributes.add(entity: Int64(change.entity), columns: change.columns, rest: rest)
        }
      }
      return unpacker.changes.count
    }
    while try rows.step() {
      guard rows.int(0) > purged[rows.int(2)] ?? 0 else { continue }
      var weight = RowWeight(transaction: Self.rowBytes.transaction)
      var changes = 0
      if rows.isNull(3) {
        try eachChunk(of: rows.int(0), chunks) { blob in
          changes += count(blob)
          weight.changes += Self.rowBytes.chunk + Double(blob.count)
        }
      } else {
        let blob = rows.bytes(3)
        changes = count(blob)
        weight.transaction += Double(blob.count)
      }
      try builder.append(
        rows.int(0),
        timestamp: rows.time(1),
        author: rows.int(2) == 0 ? .absent : .string(rows.int(2)),
        changes: changes,
        weight,
        name: { try names.text(for: $0) }
      )
    }
    let model = try model(connection)
    let name = { (number: Int64) in model?.entity(Int32(truncatingIfNeeded: number))?.name }
    builder.outline.entities = entities.finish(name)
    builder.outline.attributes = attributes.finish(
      entity: name,
      attribute: { model?.attributeName($0, $1) }
    )
  }
}

extension Model {
  /// Returns the name of an attribute by the numbers of its entity and of its column.
  func attributeName(_ entity: Int64, _ column: Int) -> String? {
    let attributes = self.entity(Int32(truncatingIfNeeded: entity))?.attributes ?? []
    return column < attributes.count ? attributes[column].name : nil
  }
}

extension CoreDataHistory {
  /// Reads the transactions in the order of their numbers, and the changes without sorting them.
  func outline(
    _ connection: borrowing Connection,
    into builder: inout OutlineBuilder
  ) throws {
    let rows = try Statement(
      connection,
      """
      SELECT Z_PK, ZTIMESTAMP, \(column("ZAUTHORTS")), \(column("ZAUTHOR"))
      FROM ATRANSACTION ORDER BY Z_PK
      """
    )
    let names = try Statement(
      connection,
      hasStrings ? "SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ?1" : noName
    )
    let purged = keepsPurges ? try PackedHistory.purgedByAuthor(connection) : [:]
    var hidden: Set<Int64> = []
    while try rows.step() {
      guard rows.int(0) > purged[rows.int(2)] ?? 0 else {
        hidden.insert(rows.int(0))
        continue
      }
      try builder.append(
        rows.int(0),
        timestamp: rows.time(1),
        author: author(rows),
        changes: 0,
        RowWeight(transaction: 1, changes: 0),
        name: { try names.text(for: $0) }
      )
    }
    try outlineChanges(connection, hidden, into: &builder)
  }

  private func outlineChanges(
    _ connection: borrowing Connection,
    _ hidden: Set<Int64>,
    into builder: inout OutlineBuilder
  ) throws {
    let hasColumns = try FileTables.columns(of: "ACHANGE", connection).contains("ZCOLUMNS")
    let rows = try Statement(
      connection,
      "SELECT ZTRANSACTIONID, ZENTITY, ZCHANGETYPE, \(hasColumns ? "ZCOLUMNS" : "NULL") FROM ACHANGE"
    )
    var (entities, attributes) = (EntityTally(), AttributeTally())
    var place = OutlinePlace()
    while try rows.step() {
      let number = rows.storage(0) == .integer ? rows.int(0) : Int64.min
      if !hidden.isEmpty, hidden.contains(number) { continue }
      let entity = rows.storage(1) == .integer ? rows.int(1) : nil
      let type = rows.storage(2) == .integer ? rows.int(2) : nil
      entities.add(entity: entity, type: type)
      if type == 1, rows.storage(3) == .blob {
        let (columns, rest) = CoreDataBitmap.split(rows.bytes(3))
        attributes.add(entity: entity ?? 0, columns: columns, rest: rest)
      }
      if let index = place.find(number, in: builder.outline) {
        builder.addChange(at: index)
      } else {
        builder.outline.orphanChanges += 1
      }
    }
    let entityNames = try Statement(
      connection,
      hasEntityNames ? "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = ?1" : noName
    )
    let model = keepsPurges ? try model(connection) : nil
    builder.outline.entities = try entities.finish { try entityNames.text(for: $0) }
    builder.outline.attributes = try attributes.finish(
      entity: { try entityNames.text(for: $0) },
      attribute: { model?.attributeName($0, $1) }
    )
  }
}

/// A search for transactions by number, which starts at the transaction found last.
private struct OutlinePlace {
  private var index = 0

  /// Returns the index of the transaction with a number, or `nil` if there is none.
  ///
  /// - Complexity: constant for changes in the order of their transactions, otherwise logarithmic.
  mutating func find(_ number: Int64, in outline: HistoryOutline) -> Int? {
    for near in [index, index + 1] where near < outline.count && outline.numbers[near] == number {
      index = near
      return near
    }
    let found = outline.firstIndex(after: number) - 1
    guard found >= 0, outline.numbers[found] == number else { return nil }
    index = found
    return found
  }
}
