import PersistentHistory

func openStore(in folder: String) throws -> Store {
  let item = Entity("Item", [Attribute("title", .string), Attribute("count", .int)])
  return try Store(path: folder + "/shared.store", model: Model([item]))
}

/// The guide "Share a store between an app and its widget".
enum SharingAStoreWithAWidget {
  static func app(in folder: String) async throws {
    let store = try openStore(in: folder)
    let view = ObjectContext(store: store, author: "app", name: "view")
    let tracker = HistoryTracker(
      "app",
      store: store,
      contexts: [view],
      configuration: TrackerConfiguration(currentAuthor: "app", allAuthors: ["app", "widget"])
    )
    try await tracker.start()
    try view.insert("Item", ["title": "milk", "count": 1])
    try view.save()
    await tracker.stop()
  }

  static func widget(in folder: String) async throws -> [StoredObject] {
    let store = try openStore(in: folder)
    let view = ObjectContext(store: store, author: "widget", name: "view")
    let tracker = HistoryTracker("widget", store: store, contexts: [view])
    try await tracker.pass()
    let items = try view.objects("Item", sortedBy: [.ascending("title")], limit: 5)
    try items.first?.set(2, for: "count")
    try await saveMerging(view, tracker)
    return items
  }

  static func saveMerging(_ view: ObjectContext, _ tracker: HistoryTracker) async throws {
    do {
      try view.save()
    } catch let error where error.code == .conflict {
      try await tracker.pass()
      try view.save()
    }
  }

  static func passOrResync(_ tracker: HistoryTracker) async throws {
    do {
      try await tracker.pass()
    } catch let error where [.lost, .expired, .rewound].contains(error.code) {
      try await tracker.resync()
    }
  }

  static func forgetTheAbsent(_ store: Store) throws {
    for member in try store.members() where member.lag.duration > .seconds(90 * 86_400) {
      print("\(member.id) has \(member.lag.transactionCount) transactions to merge")
      _ = try store.forget(member.id)
    }
  }
}
