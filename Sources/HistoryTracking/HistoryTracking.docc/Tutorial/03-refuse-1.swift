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
try widget.loadAll()

// The app renames it.
try item.set("oat milk", for: "title")
try app.save()

// The widget counts up what it shows.
let shown = try widget.object(item.id)
try shown?.set(2, for: "count")
try widget.save()

try app.refreshAll()
print("The store has", try item["title"] ?? .null)
print("Count:", try item["count"] ?? .null)
