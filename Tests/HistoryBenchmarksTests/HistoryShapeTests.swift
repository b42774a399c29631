import BenchmarkFloor
import HistoryStore
import HistoryTypes
import Testing

@testable import HistoryBenchmarks

@Suite(.serialized) struct `Shapes of measured stores` {
  @Test func `History has its specified size and shape`() throws {
    try withTemplates([30, 50]) { templates, _ in
      #expect(templates.map(\.historySize) == [30, 50])
      for template in templates {
        let store = try Store(path: template.path)
        let page = try store.fetch(HistoryRequest(after: nil))
        #expect(page.transactions.count == template.historySize)
        for transaction in page.transactions {
          let types = transaction.changes.map(\.type)
          #expect(types.count == HistoryWriter.changesPerTransaction)
          #expect(types.filter { $0 == .insert }.count == 2)
          #expect(types.filter { $0 == .delete }.count == 2)
        }
        let rows = try store.rows(1)
        #expect(rows.keys.count == SampleData.itemCount)
      }
    }
  }

  @Test func `A history built in several parts has its specified size`() throws {
    try withTemplates([2100]) { templates, _ in
      let page = try Store(path: templates[0].path).fetch(
        HistoryRequest(after: nil, transactionCountMax: 5000)
      )
      #expect(page.transactions.count == 2100)
      #expect(page.changes.count == 21_000)
    }
  }

  @Test func `A longer history starts like a shorter one`() throws {
    try withTemplates([30, 50]) { templates, _ in
      let pages = try templates.map {
        try Store(path: $0.path).fetch(HistoryRequest(after: nil, transactionCountMax: 30))
      }
      #expect(pages[0].changes.map(\.record) == pages[1].changes.map(\.record))
    }
  }

  @Test func `The floor reads the same page, field by field`() throws {
    try withTemplates([40]) { templates, _ in
      let page = try Store(path: templates[0].path).fetch(HistoryRequest(after: nil))
      let floor = try FloorDatabase(path: templates[0].path)
      try floor.fetch(after: 0, limit: 1000) { other in
        let count = Int(other.transaction_count)
        let records = UnsafeBufferPointer(start: other.transactions, count: count)
        #expect(records.map(TransactionRecord.init) == page.records)
        let changes = UnsafeBufferPointer(start: other.changes, count: Int(other.change_count))
        #expect(changes.map(ChangeRecord.init) == page.changes.map(\.record))
        let tombstones = UnsafeBufferPointer(
          start: other.tombstones,
          count: Int(other.tombstone_count)
        )
        #expect(
          page.tombstones.withBytes(at: 0, count: tombstones.count) { $0.elementsEqual(tombstones) }
        )
      }
    }
  }

  @Test func `The floor reads the same rows, field by field`() throws {
    try withTemplates([40]) { templates, _ in
      let store = try Store(path: templates[0].path)
      let keys: [Int64] = [1, 80, 81, 82, 100, 9_999, 10_080, 50_000]
      let rows = try store.rows(1, sortedKeys: keys)
      let floor = try FloorDatabase(path: templates[0].path)
      var others = [FloorRow](repeating: FloorRow(), count: keys.count)
      let found = try others.withUnsafeMutableBufferPointer { try floor.rows(keys, into: $0) }
      #expect(rows.keys == [81, 82, 100, 9_999, 10_080])
      #expect(others.prefix(found).map(\.key) == rows.keys)
      #expect(others.prefix(found).map(\.version) == rows.map(\.version))
      #expect(others.prefix(found).flatMap { $0.item.values } == rows.flatMap(\.values))
    }
  }

  @Test func `The floor refuses a file that is not a store and suggests a fix`() throws {
    let error = try #require(throws: FloorError.self) { try FloorDatabase(path: "/nowhere/x") }
    let start = "The C code of the benchmarks failed with SQLite's code 14 (unable to open"
    #expect(error.description.hasPrefix(start))
  }
}

extension TransactionRecord {
  fileprivate init(_ other: FloorTransaction) {
    self.init(
      number: other.number,
      timestamp: other.timestamp,
      mark: other.mark,
      author: other.author,
      contextName: other.context,
      bundle: other.bundle,
      process: other.process,
      writer: other.writer,
      firstChange: Int(other.first_change),
      count: Int(other.count)
    )
  }
}

extension ChangeRecord {
  fileprivate init(_ other: FloorChange) {
    self.init(
      key: other.key,
      columns: other.columns,
      entity: other.entity,
      tombstoneStart: other.tombstone_start,
      tombstoneLength: other.tombstone_length,
      type: ChangeType(rawValue: other.type) ?? .insert
    )
  }
}

extension FloorItem {
  fileprivate var values: [Value] {
    let name = withUnsafeBytes(of: name) { String(decoding: $0, as: UTF8.self) }
    return [
      .string(name), .int(kind), .int(quantity), .double(price),
      .date(Date(timeIntervalSinceReferenceDate: changed)),
    ]
  }
}
