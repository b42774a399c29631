import PersistentHistory

let title = Attribute("title", .string)
let count = Attribute("count", .int)
let model = try Model([Entity("Item", [title, count])])

// Two stores on one file stand for two processes.
let appStore = try Store(path: "shared.store", model: model)
let widgetStore = try Store(path: "shared.store", model: model)

let app = ObjectContext(
  store: appStore,
  author: "app",
  name: "view"
)
let widget = ObjectContext(
  store: widgetStore,
  author: "widget",
  name: "view"
)

// The app writes an item, and the widget shows it.
let item = try app.insert("Item", ["title": "milk", "count": 1])
try app.save()
let tracker = HistoryTracker(
  "widget",
  store: widgetStore,
  contexts: [widget]
)
try await tracker.start()

// Each commit of another process leads to a pass.
Task {
  for await report in await tracker.passes {
    print(report)
  }
}
