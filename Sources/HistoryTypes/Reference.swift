/// A reference from each object of an entity to at most one object of the same or another entity.
///
/// Core Data: a to-one `NSRelationshipDescription`. The inverse, to-many side needs no declaration:
/// it consists of the objects that refer to a given object. These objects are ordered if the
/// reference names an attribute for their positions: see ``orderedBy``. A many-to-many relationship
/// needs a link entity: see
/// ``Entity/init(_:linking:with:orderedBy:inverseOrderedBy:renamingIdentifier:)``.
public struct Reference: Hashable, Sendable, Codable {
  /// The name of the entity that is referred to.
  public let entity: String
  /// The effect of deleting the object that is referred to.
  public let deleteRule: DeleteRule
  /// The name of the attribute that orders the objects referring to one object; `nil` for no order.
  ///
  /// The attribute has the type `double` and belongs to the same entity as the reference. Its values
  /// are the positions. Positions are fractional, so that moving an object usually changes no other
  /// object. Only the program's model contains this name: a file does not record it. A model that
  /// differs from a file's model only in this property needs no migration.
  ///
  /// Core Data: `NSRelationshipDescription.isOrdered` of the inverse, to-many relationship.
  public let orderedBy: String?

  /// Creates a reference to the objects of an entity.
  ///
  /// By default, deleting the object that is referred to makes the reference null.
  public init(to entity: String, deleteRule: DeleteRule = .nullify, orderedBy: String? = nil) {
    self.entity = entity
    self.deleteRule = deleteRule
    self.orderedBy = orderedBy
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
  /// The object is not deleted while other objects refer to it: the write fails without any change.
  case deny
}

extension Attribute {
  /// Creates a reference to an object: an integer, which is the key of the object, or null.
  ///
  /// A commit fails if the reference names an object that does not exist: SQLite checks the foreign
  /// key at the commit (https://sqlite.org/foreignkeys.html). The column has an index.
  ///
  /// The objects that refer to one object are ordered if `orderedBy` names an attribute of type
  /// `double` of the same entity:
  ///
  /// ```swift
  /// Entity("Task", [Attribute("list", to: "List", orderedBy: "position"), Attribute("position", .double)])
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - entity: The name of the entity that is referred to.
  ///   - deleteRule: The effect of deleting the object that is referred to. The default is
  ///     ``DeleteRule/nullify``, which a required reference cannot have.
  ///   - position: The name of the attribute for the positions of the objects that refer to one object.
  ///     The default is `nil`: the objects have no order.
  ///   - isOptional: Whether the reference may be null. The default is `true`.
  ///   - preservesValueInHistoryOnDeletion: Whether a delete preserves the key in history. The
  ///     default is `false`.
  ///   - renamingIdentifier: The identity of the attribute in all versions of the model. The default
  ///     `nil` uses its name.
  public init(
    _ name: String,
    to entity: String,
    deleteRule: DeleteRule = .nullify,
    orderedBy position: String? = nil,
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
      reference: Reference(to: entity, deleteRule: deleteRule, orderedBy: position)
    )
  }

  /// The attribute as a file records it: without ``Reference/orderedBy``, which only programs know.
  package var recorded: Attribute {
    guard let reference, reference.orderedBy != nil else { return self }
    return Attribute(
      name,
      type,
      isOptional: isOptional,
      preservesValueInHistoryOnDeletion: preservesValueInHistoryOnDeletion,
      defaultValue: defaultValue,
      renamingIdentifier: renamingIdentifier,
      reference: Reference(to: reference.entity, deleteRule: reference.deleteRule)
    )
  }
}

extension Entity {
  /// Creates the entity of a many-to-many relationship, whose objects each link two objects.
  ///
  /// Both references are required, no two links are equal in both references, and deleting an
  /// object deletes the object's links. Links are ordinary objects: history contains their inserts
  /// and deletes, whereas Core Data records an update of both linked objects. Core Data: two
  /// to-many relationships, each the inverse of the other, and their join table.
  ///
  /// ```swift
  /// Entity("Tagging", linking: ("task", to: "Task"), with: ("tag", to: "Tag"))
  /// ```
  ///
  /// Each side may be ordered, by positions as in ``Reference/orderedBy``. For each order, the entity
  /// has an attribute of type `double` and an index. With `orderedBy: "position"`, the tags of each
  /// task are ordered. With `inverseOrderedBy: "taskPosition"`, the tasks of each tag are ordered.
  ///
  /// - Parameters:
  ///   - name: The name of the link entity.
  ///   - first: The link's first reference: its name, and the name of the entity that it refers to.
  ///   - second: The link's second reference, in the same form.
  ///   - position: The name of the attribute that orders the objects of the second entity which are
  ///     linked with one object of the first entity. The default `nil` is no order.
  ///   - inversePosition: The name of the attribute that orders the objects of the first entity which
  ///     are linked with one object of the second entity. The default `nil` is no order.
  ///   - renamingIdentifier: The identity of the entity in all versions of the model. The default
  ///     `nil` uses its name.
  public init(
    _ name: String,
    linking first: (attribute: String, to: String),
    with second: (attribute: String, to: String),
    orderedBy position: String? = nil,
    inverseOrderedBy inversePosition: String? = nil,
    renamingIdentifier: String? = nil
  ) {
    let ends = [(first, position), (second, inversePosition)]
    // The model refuses one attribute for both orders.
    let positions = [position, inversePosition == position ? nil : inversePosition]
    self.init(
      name,
      ends.map { end, position in
        Attribute(
          end.attribute,
          to: end.to,
          deleteRule: .cascade,
          orderedBy: position,
          isOptional: false
        )
      } + positions.compactMap { $0.map { Attribute($0, .double) } },
      renamingIdentifier: renamingIdentifier,
      indexes: ends.compactMap { end, position in
        position.map { [ObjectOrder(end.attribute), ObjectOrder($0)] }
      },
      uniquenessConstraints: [[first.attribute, second.attribute]]
    )
  }
}

extension Value {
  /// Creates the value of a reference to an object, or null if `id` is `nil`.
  public init(referringTo id: ObjectID?) {
    self = id.map { .int($0.key) } ?? .null
  }
}
