/// A reference from each object of an entity to at most one object of the same or another entity.
///
/// Core Data: a to-one `NSRelationshipDescription`. The inverse, to-many side needs no declaration:
/// it consists of the objects that refer to a given object. A many-to-many relationship needs a
/// link entity, see ``Entity/init(_:linking:with:renamingIdentifier:)``.
public struct Reference: Hashable, Sendable, Codable {
  /// The name of the entity that is referred to.
  public let entity: String
  /// The effect of deleting the object that is referred to.
  public let deleteRule: DeleteRule

  /// Creates a reference to the objects of an entity.
  public init(to entity: String, deleteRule: DeleteRule = .nullify) {
    self.entity = entity
    self.deleteRule = deleteRule
  }
}

/// The effect of deleting an object on the objects that refer to it (Core Data: `NSDeleteRule`).
///
/// In contrast to Core Data, the rule belongs to the referring side, like SQL's `ON DELETE`. All
/// effects happen in the transaction that deletes the object, and history records them there.
public enum DeleteRule: String, Hashable, Sendable, Codable, CaseIterable {
  /// The reference becomes null.
  case nullify
  /// The referring objects are deleted as well, and the delete rules of references to them apply.
  case cascade
  /// The object is not deleted while others refer to it; the write fails and changes nothing.
  case deny
}

extension Attribute {
  /// Creates a reference to an object: an integer, which is the key of the object, or null.
  ///
  /// A commit fails if the reference names an object that does not exist: SQLite checks the foreign
  /// key at the commit (https://sqlite.org/foreignkeys.html). The column has an index.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - entity: The name of the entity that is referred to.
  ///   - deleteRule: The effect of deleting the object that is referred to. The default is
  ///     ``DeleteRule/nullify``, which a required reference cannot have.
  ///   - isOptional: Whether the reference may be null. The default is `true`.
  ///   - preservesValueInHistoryOnDeletion: Whether a delete preserves the key in history.
  ///   - renamingIdentifier: The identity of the attribute in all versions of the model; `nil` uses
  ///     its name.
  public init(
    _ name: String,
    to entity: String,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    preservesValueInHistoryOnDeletion: Bool = false,
    renamingIdentifier: String? = nil
  ) {
    self.init(
      name,
      .int,
      isOptional: isOptional,
      preservesValueInHistoryOnDeletion: preservesValueInHistoryOnDeletion,
      defaultValue: .null,
      renamingIdentifier: renamingIdentifier,
      reference: Reference(to: entity, deleteRule: deleteRule)
    )
  }
}

extension Entity {
  /// Creates the entity of a many-to-many relationship, whose objects each link two objects.
  ///
  /// Both references are required, no two links have the same ends, and a link is deleted with either
  /// of its ends. Links are objects like others: history contains their inserts and deletes, whereas
  /// Core Data records an update of both ends. Core Data: two to-many relationships, each the inverse
  /// of the other, and their join table.
  ///
  /// ```swift
  /// Entity("Tagging", linking: ("task", to: "Task"), with: ("tag", to: "Tag"))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the link entity.
  ///   - first: The name of a reference of the link, and of the entity that it refers to.
  ///   - second: The name of the other reference, and of the entity that it refers to.
  ///   - renamingIdentifier: The identity of the entity across models; `nil` for its name.
  public init(
    _ name: String,
    linking first: (attribute: String, to: String),
    with second: (attribute: String, to: String),
    renamingIdentifier: String? = nil
  ) {
    self.init(
      name,
      [first, second].map { end in
        Attribute(end.attribute, to: end.to, deleteRule: .cascade, isOptional: false)
      },
      renamingIdentifier: renamingIdentifier,
      uniquenessConstraints: [[first.attribute, second.attribute]]
    )
  }
}

extension Value {
  /// Creates the value of a reference to an object, or null for none.
  public init(referringTo id: ObjectID?) {
    self = id.map { .int($0.key) } ?? .null
  }
}
