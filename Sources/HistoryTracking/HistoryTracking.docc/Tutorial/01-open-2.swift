import PersistentHistory

let title = Attribute("title", .string)
let count = Attribute("count", .int)
let model = try Model([Entity("Item", [title, count])])

// Two stores on one file stand for two processes.
let appStore = try Store(path: "shared.store", model: model)
let widgetStore = try Store(path: "shared.store", model: model)
