import PersistentHistory

let title = Attribute("title", .string)
let count = Attribute("count", .int)
let model = try Model([Entity("Item", [title, count])])
