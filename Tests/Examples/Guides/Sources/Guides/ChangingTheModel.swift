import PersistentHistory

/// The code of the page "Changing the model while programs run".
enum ChangingTheModel {
  static func open() throws {
    let model = try Model(
      [
        Entity(
          "Item",
          [
            Attribute("headline", .string, renamingIdentifier: "title"),
            Attribute("count", .int),
            Attribute("rating", .int, defaultValue: 3),
          ]
        ),
        Entity("Note", [Attribute("text", .string)]),
      ],
      version: 2
    )
    let store = try Store(path: "shared.store", model: model)
    precondition(store.model.version == 2)
  }

  static func migrate() throws {
    let smaller = try Model(
      [Entity("Item", [Attribute("headline", .string), Attribute("rating", .string)])],
      version: 3
    )
    let result = try Store.migrate(
      path: "shared.store",
      to: smaller,
      members: ["app"],
      computing: [
        "Item": { item in
          guard case .int(let rating)? = item["rating"] else { return }
          try item.set(.string(String(repeating: "*", count: Int(rating))), for: "rating")
        }
      ]
    )
    print(result?.differences.map(\.description) ?? [])
  }
}
