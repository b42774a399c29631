import PersistentHistory

/// The code of the page "Writing with plain SQL".
enum WritingWithPlainSQL {
  static func open() throws {
    let model = try Model([Entity("Item", [Attribute("title", .string)])])
    var configuration = StoreConfiguration()
    configuration.foreignWrites = .captured
    let store = try Store(path: "shared.store", model: model, configuration: configuration)
    try store.batchInsert(into: "Item", [["title": "milk"]], by: BatchAuthor("app"))
    let count = try store.count(HistoryRequest(after: nil))
    precondition(count == 1)
  }
}
