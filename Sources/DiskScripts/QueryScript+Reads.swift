import HistoryStore
import HistoryTypes
import ObjectContexts
import Synchronization
import Traces

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension QueryScript {
  /// The number of integers in an object of the entity `Long`.
  static var numberCount: Int { 12 }

  // MARK: Long rows

  /// Returns rows of different lengths, about as long as the store's buffer for a row, or longer.
  ///
  /// The store packs the values of a row one after the other into a buffer of 1000 bytes. Each row
  /// has a text of 880 to 1009 bytes, then numbers of up to ten bytes each when packed, and then a
  /// blob. The end of the buffer therefore falls on different values, or after the last one.
  private func longRows() -> [Values] {
    var rows: [Values] = []
    let start = 880 + seed.draw(7)
    for length in stride(from: start, to: 1010, by: 7) {
      var row: Values = ["text": .string(String(repeating: "x", count: length))]
      for number in 0..<Self.numberCount where seed.draw(8) > 0 {
        row["n\(number)"] = .int(seed.pick([.min, .max, 1 << 40, 0]))
      }
      row["data"] = .data(Data(repeating: UInt8(length & 0xff), count: seed.pick([0, 3, 1200])))
      rows.append(row)
    }
    return rows
  }

  /// Reads rows that are about as long as the buffer in which the store packs a row, or longer.
  ///
  /// In some runs the rows have so many bytes that the store lowers the limit of its page cache.
  func readLong(_ saved: Store) throws(HistoryError) {
    let rows = longRows()
    let inserted = try saved.batchInsert(
      into: "Long",
      rows,
      by: BatchAuthor("import"),
      result: .objectIDs
    )
    let keys = inserted.objectIDs.map(\.key)
    compare(try saved.rows(2, sortedKeys: keys), keys, rows, "rows by key")
    let some = keys.indices.filter { _ in seed.draw(2) == 0 }
    compare(
      try saved.rows(
        2,
        sortedKeys: [0] + some.map { keys[$0] } + [keys.count + 1000].map(Int64.init)
      ),
      some.map { keys[$0] },
      some.map { rows[$0] },
      "some rows by key"
    )
    let both = try saved.rows(sortedKeys: [[], keys])
    expect(both.count == 1, "the rows of \(both.count) entities are read, not of 1")
    if let batch = both.first { compare(batch, keys, rows, "rows of several entities by key") }
    try readAll(saved, keys, rows)
  }

  private func readAll(_ saved: Store, _ keys: [Int64], _ rows: [Values]) throws(HistoryError) {
    let matching = rows.indices.filter { rows[$0]["n0"] == .int(0) }
    compare(
      try saved.rows(2, where: .compare("n0", .equal, 0)),
      matching.map { keys[$0] },
      matching.map { rows[$0] },
      "rows with a predicate"
    )
    let snapshot = try saved.snapshot()
    compare(snapshot.rows[1], keys, rows, "a snapshot")
    expect(try snapshot.at == saved.currentToken(), "a snapshot has the position \(snapshot.at)")
    // A read of more than 2 MiB limits the cache, but takes time.
    guard seed.draw(3) == 0 else { return }
    let many: [Values] = (1...3).map { ["data": .data(Data(repeating: $0, count: 720_000))] }
    let more = try saved.batchInsert(
      into: "Long",
      many,
      by: BatchAuthor("import"),
      result: .objectIDs
    )
    compare(try saved.rows(2), keys + more.objectIDs.map(\.key), rows + many, "all rows")
  }

  private func compare(_ batch: RowBatch, _ keys: [Int64], _ rows: [Values], _ what: String) {
    expect(batch.keys == keys, "\(what): the keys are \(batch.keys), not \(keys)")
    let names = ["text"] + (0..<Self.numberCount).map { "n\($0)" } + ["data"]
    for (found, wanted) in zip(batch, rows) {
      let differing = zip(names, found.values).filter { $1 != wanted[$0] ?? .null }.map(\.0)
      expect(differing.isEmpty, "\(what): the row \(found.key) has other values for \(differing)")
    }
  }

  // MARK: History

  /// Deletes objects, and reads their history by pages, readers and SQL.
  func readHistory(_ saved: Store) throws(HistoryError) {
    let context = ObjectContext.retaining(saved, author: "app", name: "view")
    var deleted: [ObjectID: Values] = [:]
    for number in 0..<6 {
      var values: Values = [:]
      for (name, _) in Self.types { values[name] = value(name) }
      if number == 0 { values["real"] = .double(-.infinity) }
      if number == 1 { values["text"] = .string("\u{1}\u{1f}\"\\/é") }
      deleted[try context.insert("Row", values).id] = values
      try context.save()
    }
    let before = try saved.currentToken()
    for id in deleted.keys.sorted() {
      context.delete(id)
      try context.save()
    }
    try readTombstones(saved, deleted, after: before)
    for token in [nil, before] { try readPages(saved, after: token) }
    let filters: [HistoryFilter] = [.entity("None"), .all([.any([.not(.entity("None"))])])]
    for filter in filters {
      expect(.unknownEntity, of: "the filter \(filter)") { () throws(HistoryError) in
        _ = try saved.fetch(HistoryRequest(after: nil, filter: filter))
      }
    }
  }

  /// Compares the values in the tombstones, read as JSON by SQLite, with those of the deleted objects.
  private func readTombstones(
    _ saved: Store,
    _ deleted: [ObjectID: Values],
    after before: HistoryToken
  ) throws(HistoryError) {
    let columns = Self.types.map { "json_extract(tombstone, '$.\($0.name)')" }
    let result = try saved.query(
      "SELECT key, json_valid(tombstone), \(columns.joined(separator: ", ")) FROM history_changes "
        + "WHERE number > ? AND type = 'delete'",
      [.int(before.number)]
    )
    expect(
      result.rows.count == deleted.count,
      "\(result.rows.count) deletes are in history, not \(deleted.count)"
    )
    for row in result.rows {
      guard case .int(let key) = row[0], let values = deleted[ObjectID(entity: 1, key: key)] else {
        faults.append("an unknown object \(row[0]) is deleted")
        continue
      }
      expect(row[1] == 1, "the tombstone of \(key) is not valid JSON")
      let wanted = Self.types.map { json(values[$0.name] ?? .null) }
      expect(Array(row[2...]) == wanted, "the tombstone of \(key) has \(row[2...]), not \(wanted)")
    }
  }

  /// Returns what SQLite's `json_extract` must read from a tombstone for a value, as documented.
  private func json(_ value: Value) -> Value {
    switch value {
    case .bool(let flag): .int(flag ? 1 : 0)
    case .double(let number) where number.isInfinite: .string(number < 0 ? "-Infinity" : "Infinity")
    case .date(let date): .double(date.timeIntervalSinceReferenceDate)
    case .data(let data): .string(data.base64EncodedString())
    case .uuid(let uuid): .string(uuid.uuidString)
    default: value
    }
  }

  /// Reads history as asynchronous pages, with a reader and in one fetch, and compares the changes.
  private func readPages(_ saved: Store, after token: HistoryToken?) throws(HistoryError) {
    var request = HistoryRequest(after: token, transactionCountMax: 1 + seed.draw(4))
    request.changeCountMax = 1 + seed.draw(20)
    let pages = saved.pages(request)
    let found = try InlineExecutor().wait {
      await result { () async throws(HistoryError) in
        var changes: [String] = []
        var iterator = pages.makeAsyncIterator()
        while let page = try await iterator.next() { changes += page.changes.map(Self.line) }
        return changes
      }
    }
    var (read, reader) = ([String](), try saved.reader(request))
    while let page = try reader.next() { read += page.changes.map(Self.line) }
    let all = try saved.fetch(HistoryRequest(after: token)).changes.map(Self.line)
    expect(read == all, "a reader reads \(read.count) changes, not the \(all.count) of one page")
    expect(found == all, "pages have \(found.count) changes, not the \(all.count) of one page")
    let end = try saved.currentToken()
    expect(reader.scannedThrough == end, "a reader ends at \(reader.scannedThrough as Any)")
  }

  private static func line(_ change: HistoryChange) -> String {
    let tombstone = change.tombstone.map { values in
      values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }
    return "\(change.type) \(change.objectID) \(change.updatedProperties) \(tombstone ?? [])"
  }
}
