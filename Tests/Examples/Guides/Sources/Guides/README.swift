import PersistentHistory

struct Item: ObjectRecord {
  var title: String
  var count = 1
}

/// The README's example.
func readme() async throws {
  let model = try Model([Entity("Item", [Attribute("title", .string), Attribute("count", .int)])])
  let store = try Store(path: "shared.store", model: model)
  let view = ObjectContext(store: store, author: "app", name: "view")
  let tracker = HistoryTracker("app", store: store, contexts: [view])
  try await tracker.registerObserver(entity: "Item", operation: .insert) { items in
    print(items.count, "new items")
  }
  try await tracker.start()  // register, load the view, catch up
  try view.insert(Item(title: "milk", count: 2))
  try view.save()  // rows and history, or neither
  let report = try await tracker.pass()  // fetch, merge, record, purge
  print(report.transactionCount, "merged through", report.cursor?.description ?? "nothing")
  await tracker.stop()
}
