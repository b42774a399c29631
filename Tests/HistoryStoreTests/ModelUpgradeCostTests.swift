import Faults
import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct `The cost of an upgrade` {
  /// Returns the number of writes to the log in an upgrade of a store with some objects.
  private func writeCount(_ count: Int) throws -> Int {
    let files = HeapFileSystem(seed: 1)
    var configuration = StoreConfiguration()
    configuration.vfs = files.name
    configuration.layout = LayoutTrait.layout
    configuration.memberLocks = .none
    let old = try Store(path: "store", model: ModelVersions.first, configuration: configuration)
    var left = count
    try old.batchInsert(into: "Item", by: BatchAuthor("app")) { row in
      guard left > 0 else { return false }
      left -= 1
      row.set("a title of some length, number \(left)", at: 0)
      return true
    }
    let before = files.counters[.wal, .write]
    let new = try Store(path: "store", model: ModelVersions.second, configuration: configuration)
    let after = files.counters[.wal, .write]
    #expect(try new.rows(1).keys.count == count && old.modelSkew()?.fileVersion == 2)
    return after - before
  }

  @Test func `An upgrade writes as much for many objects as for few`() throws {
    let (few, many) = (try writeCount(100), try writeCount(20_000))
    #expect(many == few)
    // A page of the log takes two writes.
    #expect((2...60).contains(many), "\(many) writes")
  }
}
