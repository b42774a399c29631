import HistoryStore
import HistoryTypes
import SQLiteStorage

extension CoreDataHistory {
  /// Reads the transactions by number, and the changes in the order in which they were written.
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

/// The index of the last found transaction; the transaction of the next change is expected near it.
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
