import Foundation
import HistoryStore
import HistoryTypes
import TestSupport
import Testing

@testable import HistoryBenchmarks

@Suite(.serialized) struct `Stores of other shapes` {
  @Test func `As many authors take turns as the shape requires`() throws {
    for (count, last) in [(1, "app"), (4, "watch"), (16, "extension 15")] {
      try withStore(StoreShape(authorCount: count)) { store in
        let authors = try store.fetch(HistoryRequest(after: nil)).transactions.map(\.author)
        #expect(Set(authors).count == count)
        #expect(authors[count - 1] == last)
      }
    }
  }

  @Test func `History of the same length in Core Data's tables holds the same changes`() throws {
    try withStore(.base) { packed in
      try withStore(StoreShape(layout: .coreData)) { other in
        let pages = try [packed, other].map { try $0.fetch(HistoryRequest(after: nil)) }
        #expect(WorkTally(pages[0]) == WorkTally(pages[1]))
        #expect(pages[0].transactions.count == 32)
      }
    }
  }

  @Test(arguments: [HistoryLayout.packed, .coreData])
  func `Purged transactions are written again after the newest`(_ layout: HistoryLayout) throws {
    try withPath(StoreShape(layout: layout)) { path in
      let side = try SideConnection(path: path, layout: layout)
      let before = try tallies(path)
      let head = try side.head()
      try side.repeatNewest(10)
      #expect(try side.head() == head + 10)
      let after = try tallies(path)
      #expect(after.prefix(before.count) == before[...])
      #expect(after.suffix(10) == before.suffix(10))
      guard layout == .coreData else { return }
      let times = try Store(path: path).fetch(HistoryRequest(after: nil)).transactions
        .map(\.timestamp)
      #expect(times == times.sorted() && Set(times).count == times.count)
    }
  }

  /// Returns the number of changes of each transaction.
  private func tallies(_ path: String) throws -> [Int] {
    try Store(path: path).fetch(HistoryRequest(after: nil)).transactions.map { transaction in
      transaction.changes.reduce(transaction.changes.count) {
        $0 &* 31 &+ Int($1.objectID.key) &* 4 &+ Int($1.type.rawValue)
      }
    }
  }

  @Test func `The innermost mount decides whether a folder is in memory`() throws {
    let folder = try TemporaryFolder()
    let mounts = folder.url.appendingPathComponent("mounts").path
    let text = """
      /dev/sda1 / ext4 rw 0 0
      tmpfs /memory tmpfs rw 0 0
      /dev/sdb1 /memory/disk ext4 rw 0 0
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: mounts))
    #expect(ScratchFolder.isInMemory("/memory", mounts: mounts))
    #expect(ScratchFolder.isInMemory("/memory/stores", mounts: mounts))
    #expect(!ScratchFolder.isInMemory("/memory/disk/stores", mounts: mounts))
    #expect(!ScratchFolder.isInMemory("/memoryless", mounts: mounts))
    #expect(!ScratchFolder.isInMemory("/memory", mounts: mounts + "-none"))
  }

  private func withStore(_ shape: StoreShape, _ body: (Store) throws -> Void) throws {
    try withPath(shape) { try body(try Store(path: $0)) }
  }

  private func withPath(_ shape: StoreShape, _ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    let builder = TemplateBuilder(folder: folder.url.path, seed: 3, shape: shape)
    let templates = try builder.build(sizes: [32]) { _ in }
    try body(try #require(templates.first).path)
  }
}
