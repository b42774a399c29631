import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

/// Three versions of one model, each with lightweight differences from the one before.
enum ModelVersions {
  static let first = Model(unchecked: [
    Entity(
      "Item",
      [
        Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("count", .int),
      ]
    ), Entity("Tag", [Attribute("name", .string)]),
  ])

  static let all = [first, second, third]

  /// Adds an attribute between others, an entity between others, and renames both kinds.
  static let second = Model(
    unchecked: [
      Entity(
        "Item",
        [
          Attribute(
            "rating",
            .int,
            preservesValueInHistoryOnDeletion: true,
            defaultValue: 5
          ),
          Attribute(
            "headline",
            .string,
            preservesValueInHistoryOnDeletion: true,
            renamingIdentifier: "title"
          ), Attribute("count", .int),
        ]
      ),
      Entity("Note", [Attribute("text", .string)]),
      Entity("Label", [Attribute("name", .string)], renamingIdentifier: "Tag"),
    ],
    version: 2
  )

  /// Widens an attribute, and uses a former name for a new attribute.
  static let third = Model(
    unchecked: [
      Entity(
        "Item",
        [
          Attribute("title", .bool, defaultValue: true, renamingIdentifier: "title3"),
          Attribute("rating", .int, preservesValueInHistoryOnDeletion: true, defaultValue: 5),
          Attribute(
            "headline",
            .string,
            preservesValueInHistoryOnDeletion: true,
            renamingIdentifier: "title"
          ), Attribute("count", .double),
        ]
      ),
      Entity("Note", [Attribute("text", .string)]),
      Entity("Label", [Attribute("name", .string)], renamingIdentifier: "Tag"),
    ],
    version: 3
  )
}

extension StoreFixture {
  /// Opens the store as a program with a version of a model.
  func open(_ model: Model) throws -> Store {
    try Store(path: path, model: model, configuration: configuration)
  }
}

extension Store {
  /// Inserts one object with values by name, and returns its ID.
  @discardableResult
  func insert(_ entity: String, _ values: [String: Value] = [:]) throws -> ObjectID {
    let made = try batchInsert(
      into: entity,
      [values],
      by: BatchAuthor("app"),
      result: .objectIDs
    )
    return try #require(made.objectIDs.first)
  }

  /// Returns the values of an object by name.
  func values(of id: ObjectID) throws -> [String: Value] {
    let entity = try #require(model.entity(id.entity))
    let rows = try rows(id.entity, sortedKeys: [id.key])
    return Dictionary(uniqueKeysWithValues: zip(entity.attributes.map(\.name), rows.values))
  }

  /// Returns the changes after a token, as `#2 update Item/1 ["title"]`.
  func history(after token: HistoryToken? = nil) throws -> [String] {
    try fetch(HistoryRequest(after: token)).transactions.flatMap { transaction in
      guard !transaction.isModelMigration else {
        return ["#\(transaction.number) model \(transaction.modelVersion ?? 0)"]
      }
      return transaction.changes.map { change in
        let name = change.entityName ?? "?"
        let properties = change.type == .update ? " \(change.updatedProperties)" : ""
        let values = change.tombstone.map { values in
          " \(values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })"
        }
        return "#\(transaction.number) \(change.type) \(name)/\(change.objectID.key)\(properties)"
          + (values ?? "")
      }
    }
  }
}
