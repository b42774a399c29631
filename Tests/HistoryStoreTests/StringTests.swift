import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@testable import HistoryStore

@Suite(.inEveryLayout) struct `Strings of several connections` {
  @Test func `A connection that wrote a string of its own reads the earlier ones`() throws {
    let folder = try TemporaryFolder()
    let model = try Model([Entity("Item", [Attribute("title", .string)])])
    let stores = try (0..<3).map { _ in
      try Store(path: folder.path("test.store"), model: model)
    }
    for (store, author) in zip(stores, ["first", "second", "third"]) {
      try store.insertItem(by: author)
    }
    for store in stores {
      let all = try store.fetch(HistoryRequest(after: nil)).transactions
      #expect(all.map(\.author) == ["first", "second", "third"])
      #expect(all.map(\.contextName) == ["first", "second", "third"])
      for (offset, author) in ["first", "second", "third"].enumerated() {
        let found = try store.fetch(HistoryRequest(after: nil, filter: .author(author)))
        #expect(found.transactions.map(\.number.rawValue) == [Int64(offset + 1)])
      }
    }
  }
}

extension Store {
  fileprivate func insertItem(by author: String) throws {
    var isDone = false
    _ = try batchInsert(into: "Item", by: BatchAuthor(author, contextName: author)) { row in
      defer { isDone = true }
      if !isDone { row.set("x", at: 0) }
      return !isDone
    }
  }
}
