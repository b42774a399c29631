import BenchmarkFloor
import HistoryStore
import HistoryTypes
import TestSupport
import Testing

@testable import HistoryBenchmarks

@Suite(.serialized, .blocksItsThread) struct `Measured peers` {
  @Test(arguments: PeerKind.all.map(\.name))
  func `A peer records every change that our history records`(_ name: String) throws {
    let (kind, _) = try #require(PeerKind.all.first { $0.name == name })
    try withSetting(20) { setting in
      let peer = try setting.floor()
      try peer.floor.attach(kind, to: SampleData.item)
      let page = try newHistory(setting, transactions: 12)
      try peer.replay(page)
      let recorded = try peer.floor.fetchRecorded(after: 0) { RecordedPage($0) }
      #expect(recorded.changes == RecordedPage(page).changes)
      #expect(Set(recorded.changes).count == 120)
      #expect(recorded.names == RecordedPage(page).names)
      #expect(recorded.names.count == 24)
      #expect(peer.floor.lastRecorded == 12)
    }
  }

  @Test func `The session extension's page has the transactions after a number`() throws {
    try withSetting(20) { setting in
      let peer = try setting.floor()
      try peer.floor.attach(PeerKind.session.kind, to: SampleData.item)
      try peer.replay(try newHistory(setting, transactions: 5))
      try peer.floor.fetchRecorded(after: 3) { page in
        let transactions = UnsafeBufferPointer(
          start: page.transactions,
          count: Int(page.transaction_count)
        )
        #expect(transactions.map(\.number) == [4, 5])
        #expect(transactions.map(\.count) == [10, 10])
        #expect(transactions.map(\.first_change) == [0, 10])
      }
    }
  }

  @Test func `Triggers record each change with its transaction, and count them`() throws {
    try withSetting(20) { setting in
      let peer = try setting.floor()
      try peer.floor.attach(PEER_TRIGGERS, to: SampleData.item)
      try peer.replay(try newHistory(setting, transactions: 3))
      let side = peer.side
      #expect(try side.integer("SELECT count(*) FROM peer_transaction WHERE count = 10") == 3)
      #expect(try side.integer("SELECT count(*) FROM peer_change WHERE number = 2") == 10)
      #expect(try peer.floor.fetchRecorded(after: 2) { $0.change_count } == 10)
    }
  }

  @Test func `Each writer writes the same updates and records a change for each`() throws {
    try withSetting(20) { setting in
      let items = SampleData.items(30)
      let floorItems = items.map(\.floorItem)
      var writers: [any SlipWriter] = [try StoreSlips(setting, items)]
      writers += try PeerKind.all.map { try FloorSlips(setting, floorItems, $0) }
      writers.append(try FloorSlips(setting, floorItems))
      let states = try writers.map { writer in try life(of: writer) }
      let expected = try #require(states.last)
      for (writer, state) in zip(writers, states) {
        #expect(state == expected, "\(writer.contender)")
        #expect(try writer.side.tally(of: SampleData.slip).count == 0)
        let recorded = try writer.takeRecordedCount()
        #expect(recorded == (writer.contender == MeasuredWork.floor ? nil : 0))
      }
    }
  }

  @Test func `A floor without a peer records no changes`() throws {
    try withSetting(20) { setting in
      let floor = try setting.floor()
      try floor.fillSlips(5)
      #expect(
        try floor.side.integer("SELECT count(*) FROM sqlite_master WHERE name LIKE 'peer%'") == 0
      )
    }
  }

  /// Inserts thirty slips, updates twenty and deletes ten, and returns the work in between.
  private func life(of writer: any SlipWriter) throws -> [WorkTally] {
    let hasHistory = writer.contender != MeasuredWork.floor
    var states: [WorkTally] = []
    func look(_ written: Int64) throws {
      states.append(try writer.side.tally(of: SampleData.slip))
      #expect(try writer.takeRecordedCount() == (hasHistory ? written : nil), "\(writer.contender)")
    }
    try writer.insert(0..<10)
    try writer.insert(10..<30)
    try look(30)
    try writer.findSlips()
    try writer.update(0..<20)
    try look(20)
    try writer.delete(5..<15)
    try look(10)
    try writer.clear()
    return states
  }

  /// Returns the history added by some transactions.
  private func newHistory(_ setting: BenchmarkSetting, transactions: Int) throws -> HistoryPage {
    let file = try setting.store()
    let start = try file.store.currentToken()
    var writer = try HistoryWriter(file.store, seed: 5)
    try writer.append(transactions)
    return try file.store.fetch(HistoryRequest(after: start))
  }
}

/// The changes of a page as texts in a fixed order, and the names of deleted rows.
private struct RecordedPage: Equatable {
  var changes: [String]
  var names: [String]

  init(_ page: borrowing FloorPage) {
    let changes = UnsafeBufferPointer(start: page.changes, count: Int(page.change_count))
    let bytes = UnsafeBufferPointer(start: page.tombstones, count: Int(page.tombstone_count))
    self.changes = changes.map { "\($0.key) \($0.type) \($0.columns)" }.sorted()
    names = changes.filter { $0.type == 2 }.map { change in
      let start = Int(change.tombstone_start)
      let end = start + Int(change.tombstone_length)
      return String(decoding: bytes[start..<end], as: UTF8.self)
    }.sorted()
  }

  init(_ page: HistoryPage) {
    changes = page.changeRecords.map { "\($0.key) \($0.type.rawValue) \($0.columns)" }.sorted()
    names = page.changes.filter { $0.type == .delete }.compactMap { change in
      if case .string(let name)? = change.tombstone?["name"] { name } else { nil }
    }.sorted()
  }
}
