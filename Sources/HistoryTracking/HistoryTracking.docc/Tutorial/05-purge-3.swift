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
try await tracker.pass()

// The app renames it.
try item.set("oat milk", for: "title")
try app.save()

// The widget merges what the app has written.
print(try await tracker.pass())

// The widget counts up what it shows.
let shown = try widget.object(item.id)
try shown?.set(2, for: "count")
try widget.save()

try app.refreshAll()
print("The store has", try item["title"] ?? .null)
print("Count:", try item["count"] ?? .null)

// The app follows the history, too, and purges after each pass.
let appTracker = HistoryTracker(
  "app",
  store: appStore,
  contexts: [app]
)
try await appTracker.pass()

try item.set(3, for: "count")
try app.save()
try item.set(4, for: "count")
try app.save()
print("The app:", try await appTracker.pass())
for member in try appStore.members() {
  print(member.id, "is", member.lag.transactionCount, "behind")
}

print("The widget:", try await tracker.pass())
