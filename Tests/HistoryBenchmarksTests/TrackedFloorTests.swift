import BenchmarkFloor
import HistoryStore
import HistoryTypes
import TestSupport
import Testing

@testable import HistoryBenchmarks

@Suite(.serialized, .blocksItsThread) struct `The tracked floor` {
  private static let historySize = 20
  private static let count = 40

  @Test func `The tracked floor writes the same rows and the same history as the store`() throws {
    try withTemplate { template, scratch in
      let (ours, floor) = (try scratch.copy(of: template), try scratch.copy(of: template))
      try writeWithStore(ours)
      try writeWithFloor(floor)
      let (expected, written) = (try Store(path: ours), try Store(path: floor))
      let slip = try #require(expected.model.number(of: SampleData.slip))
      #expect(try written.rows(slip).keys == expected.rows(slip).keys)
      #expect(try written.rows(slip).map(\.version) == expected.rows(slip).map(\.version))
      #expect(try written.rows(slip).map(\.values) == expected.rows(slip).map(\.values))
      try compare(expected, written)
    }
  }

  @Test func `Another connection's writes advance the floor's numbers`() throws {
    try withTemplate { template, scratch in
      let path = try scratch.copy(of: template)
      let floor = try TrackedFloor(path: path, historySize: Self.historySize)
      let before = try floor.side.head()
      try floor.fillSlips(1, firstKey: 1001)
      let other = try BenchmarkStore(path: path, historySize: Self.historySize)
      try other.fillSlips(1)
      try floor.fillSlips(1, firstKey: 1002)
      #expect(try floor.side.head() == before + 3)
      try floor.clear()
      #expect(try floor.side.tally(of: SampleData.slip).count == 0)
    }
  }

  @Test(arguments: [WritePlan.values, .table], [1, 10, Self.count])
  func `One statement for many rows leaves the same rows as one for each`(
    _ plan: WritePlan,
    _ count: Int
  ) throws {
    try withTemplate { template, scratch in
      let rows = try [WritePlan.rowByRow, plan].map { plan in
        let path = try scratch.copy(of: template)
        let file = try BenchmarkFloorFile(path: path)
        let items = SampleData.items(3 * count).map(\.floorItem)
        try items.withUnsafeBufferPointer { items throws(FloorError) in
          try file.floor.insert(items, firstKey: 5, version: 3, by: plan)
        }
        // As many rows again use the same statement, another number needs another one.
        for (first, count) in [(5, count), (7, count), (5, count + 1)] {
          try file.floor.updateSlips(
            firstKey: Int64(first),
            count: count,
            version: Int64(4 + first),
            quantity: 77,
            price: 8.5,
            by: plan
          )
        }
        let deleted = try file.floor.deleteSlips(firstKey: 6, count: count, by: plan)
        #expect(deleted == count)
        let store = try Store(path: path)
        let slip = try #require(store.model.number(of: SampleData.slip))
        let rows = try store.rows(slip)
        #expect(rows.keys.count == 2 * count)
        return rows
      }
      #expect(rows[0].keys == rows[1].keys)
      #expect(rows[0].map(\.version) == rows[1].map(\.version))
      #expect(rows[0].map(\.values) == rows[1].map(\.values))
    }
  }

  private func writeWithStore(_ path: String) throws {
    let file = try BenchmarkStore(path: path, historySize: Self.historySize)
    let ids = try file.fillSlips(Self.count)
    var next = 0
    try file.store.batchUpdate(
      SampleData.slip,
      setting: ["quantity", "price"],
      by: BatchAuthor("app")
    ) { row in
      guard next < ids.count else { return nil }
      row.set(7, at: 2)
      row.set(1.5, at: 3)
      next += 1
      return ids[next - 1]
    }
    var rest = ids[10..<30]
    try file.store.batchDelete(SampleData.slip, by: BatchAuthor("app")) { rest.popFirst() }
  }

  private func writeWithFloor(_ path: String) throws {
    let file = try TrackedFloor(path: path, historySize: Self.historySize)
    try file.fillSlips(Self.count, firstKey: 1)
    try file.update(firstKey: 1, count: Self.count, quantity: 7, price: 1.5)
    #expect(try file.delete(firstKey: 11, count: 20) == 20)
  }

  /// Compares everything except the timestamps and the marks, which are random.
  private func compare(_ expected: Store, _ written: Store) throws {
    let pages = try [expected, written].map { try $0.fetch(HistoryRequest(after: nil)) }
    #expect(pages[0].transactions.count == Self.historySize + 3)
    #expect(pages[1].transactions.map(\.number) == pages[0].transactions.map(\.number))
    #expect(pages[1].changes.map(\.record) == pages[0].changes.map(\.record))
    #expect(pages[1].changes.map(\.tombstone) == pages[0].changes.map(\.tombstone))
    for (one, other) in zip(pages[0].transactions, pages[1].transactions) {
      #expect(other.author == one.author && other.contextName == one.contextName)
      #expect(other.bundleID == one.bundleID && other.processID == one.processID)
      #expect(other.changes.count == one.changes.count)
    }
    let times = pages[1].transactions.map(\.timestamp)
    #expect(times == times.sorted() && Set(times).count == times.count)
  }

  private func withTemplate(
    _ body: (StoreTemplate, ScratchFolder) throws -> Void
  ) throws {
    let scratch = try ScratchFolder()
    let result = Result {
      let builder = TemplateBuilder(folder: scratch.path, seed: 5)
      let templates = try builder.build(sizes: [Self.historySize]) { _ in }
      try body(try #require(templates.first), scratch)
    }
    try scratch.remove()
    try result.get()
  }
}
