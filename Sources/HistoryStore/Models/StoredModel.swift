package import HistoryTypes

/// The model that a file records: every entity and attribute that it ever had, with stable numbers.
///
/// History refers to entities and attributes by number, so a number is never used again: a new
/// attribute comes last, and a removed one keeps its place. A renamed entity or attribute keeps its
/// table or column, so that the statements of programs with the older model stay valid.
package struct StoredModel: Hashable, Sendable {
  /// The version of the newest model that was applied to the file.
  package var version = 1
  /// The entities; entity number n has the index n - 1.
  package var entities: [StoredEntity] = []

  package init() {}

  /// Creates the model of a new file.
  package init(_ model: Model) {
    version = model.version
    entities = model.entities.map { StoredEntity($0, table: $0.name) }
  }

  /// Returns the index of the entity that a reference names; `nil` if the entity was removed.
  func index(of reference: Reference) -> Int? {
    entities.firstIndex { $0.name == reference.entity && !$0.isRemoved }
  }

  /// Returns the name of the table that a reference refers to; `nil` if the entity was removed.
  func table(_ reference: Reference) -> String? {
    index(of: reference).map { entities[$0].table }
  }

  /// Whether the model has version 1 and uses no feature that older versions of this library lack.
  package var isPlain: Bool {
    version == 1 && !hasConstraints
      && entities.allSatisfy { entity in
        entity.identity == entity.name && entity.table == entity.name && !entity.isRemoved
          && entity.attributes.allSatisfy(\.isPlain)
      }
  }

  /// Whether the model has an index, a required attribute or a reference.
  var hasConstraints: Bool {
    entities.contains { entity in
      !entity.indexes.isEmpty
        || entity.attributes.contains { !$0.attribute.isOptional || $0.attribute.reference != nil }
    }
  }
}

/// An entity that a file records, possibly one that a migration removed from the model.
package struct StoredEntity: Hashable, Sendable {
  /// The entity's name in the current model version; if it was removed, its last name.
  package var name: String
  /// The name that identifies the entity in all model versions, usually its first name.
  package let identity: String
  /// The name of the entity's table, which stays the same if the entity is renamed.
  package let table: String
  /// The attributes; attribute number n has the index n.
  package var attributes: [StoredAttribute]
  /// The indexes over the attributes, uniqueness constraints included.
  package var indexes: [StoredIndex] = []
  /// Whether a migration removed the entity.
  package var isRemoved = false

  init(_ entity: Entity, table: String) {
    name = entity.name
    identity = entity.identity
    self.table = table
    attributes = entity.attributes.map { StoredAttribute($0, column: $0.name) }
    indexes = indexes(of: entity)
  }

  init(name: String, identity: String, table: String, attributes: [StoredAttribute]) {
    self.name = name
    self.identity = identity
    self.table = table
    self.attributes = attributes
  }

  /// The attributes whose values a delete preserves, as bits by number.
  var preserved: UInt64 {
    bits { !$0.isRemoved && $0.attribute.preservesValueInHistoryOnDeletion }
  }

  /// The attributes that must not be null, as bits by number.
  var required: UInt64 { bits { !$0.isRemoved && !$0.attribute.isOptional } }

  /// The attributes that have a tombstone column in the layout `coreData`, as bits by number.
  var places: UInt64 { bits { $0.hasPlace } }

  private func bits(_ isIncluded: (StoredAttribute) -> Bool) -> UInt64 {
    attributes.prefix(64).enumerated().reduce(0) { bits, item in
      isIncluded(item.element) ? bits | 1 << UInt64(item.offset) : bits
    }
  }
}

/// An attribute that a file records, possibly one that a migration removed from the model.
package struct StoredAttribute: Hashable, Sendable {
  /// The attribute as last declared; its ``Attribute/identity`` is the same in all model versions.
  ///
  /// The ordering attribute of a reference (`orderedBy`) is left out: a file does not record it.
  package var attribute: Attribute
  /// The name of the column.
  package let column: String
  /// Whether a migration removed the attribute.
  package var isRemoved = false
  /// Whether deletes preserve the attribute's value in history, or once did.
  ///
  /// In the layout `coreData`, the attribute then has a tombstone column.
  var hasPlace: Bool

  init(_ attribute: Attribute, column: String) {
    self.attribute = attribute.recorded
    self.column = column
    hasPlace = attribute.preservesValueInHistoryOnDeletion
  }

  fileprivate var isPlain: Bool {
    attribute.renamingIdentifier == nil && attribute.defaultValue == .null
      && attribute.reference == nil
      && column == attribute.name && !isRemoved
      && hasPlace == attribute.preservesValueInHistoryOnDeletion
  }
}

extension StoredModel {
  /// For each entity, the attributes that have a tombstone column in the layout `coreData`.
  ///
  /// `nil` if the attributes of the entity are unknown, as in a file that Core Data wrote.
  var tombstonePlaces: [UInt64?] { entities.map { $0.attributes.isEmpty ? nil : $0.places } }
}

// MARK: Names

extension StoredModel {
  /// The entities and attributes that were not removed.
  package var live: Model {
    let kept = entities.filter { !$0.isRemoved }.map { entity in
      Entity(
        entity.name,
        entity.attributes.filter { !$0.isRemoved }.map(\.attribute),
        renamingIdentifier: entity.identity,
        indexes: entity.indexes.filter { !$0.isUnique }.map { $0.orders(in: entity) },
        uniquenessConstraints: entity.indexes.filter(\.isUnique)
          .map { $0.orders(in: entity).map(\.attribute) }
      )
    }
    return Model(unchecked: kept, version: version)
  }

  /// All entities and attributes, including removed ones, each at the index of its number.
  package var everything: Model {
    let all = entities.map {
      Entity($0.name, $0.attributes.map(\.attribute), renamingIdentifier: $0.identity)
    }
    return Model(unchecked: all, version: version)
  }

  /// Returns a program's model with the entity and attribute numbers of this file.
  ///
  /// Entities that the declared model lacks are included without attributes, as undeclared. Each
  /// entity and attribute of the declared model must be in the file.
  func view(of declared: Model) -> Model {
    let wanted = declared.entities.filter(\.isDeclared)
    let matches = IdentityMatching.matches(liveKeys, wanted.map(\.key))
    let seen = zip(entities, matches).map { stored, match in
      guard let match else {
        return Entity(
          stored.name,
          [],
          renamingIdentifier: stored.identity,
          isDeclared: false,
          numbers: [],
          others: stored.attributes(except: [])
        )
      }
      return stored.view(of: wanted[match])
    }
    return Model(unchecked: seen, version: declared.version)
  }

  /// The keys by which the entities are matched with those of another model version.
  ///
  /// A removed entity has a key that matches no entity of another model.
  fileprivate var liveKeys: [IdentityMatching.Key] {
    entities.map { $0.isRemoved ? .init(identity: "", name: " ") : $0.key }
  }
}

extension StoredEntity {
  fileprivate var key: IdentityMatching.Key { .init(identity: identity, name: name) }

  fileprivate var liveKeys: [IdentityMatching.Key] {
    attributes.map { $0.isRemoved ? .init(identity: "", name: " ") : $0.attribute.key }
  }

  /// Returns a program's entity with the attribute numbers of this file.
  fileprivate func view(of declared: Entity) -> Entity {
    let matches = IdentityMatching.matches(declared.attributes.map(\.key), liveKeys)
    return Entity(
      declared.name,
      declared.attributes,
      renamingIdentifier: declared.renamingIdentifier,
      indexes: declared.indexes,
      uniquenessConstraints: declared.uniquenessConstraints,
      isDeclared: true,
      numbers: matches.map { $0 ?? 0 },
      others: attributes(except: matches)
    )
  }

  /// Returns the attributes whose numbers are not in `known`, by number; includes removed ones.
  fileprivate func attributes(except known: [Int?]) -> [Int: Attribute] {
    let others = attributes.indices.filter { !known.contains($0) }
    return Dictionary(uniqueKeysWithValues: others.map { ($0, attributes[$0].attribute) })
  }
}

extension Entity {
  fileprivate var key: IdentityMatching.Key { .init(identity: identity, name: name) }
}

extension Attribute {
  fileprivate var key: IdentityMatching.Key { .init(identity: identity, name: name) }
}

// MARK: Changes

extension StoredModel {
  /// Returns this model with the additions and changes of a newer model, but without its removals.
  ///
  /// If the newer model lacks an entity or attribute, or has another difference that is not
  /// lightweight, use ``migrating(to:)``. It first marks what is missing or retyped as removed.
  ///
  /// - Throws: ``ModelError/tooManyAttributes(_:_:)`` if an entity would have more attributes than
  ///   a column bitmap has bits; removed attributes count.
  func applying(_ newer: Model) throws(ModelError) -> StoredModel {
    var made = self
    made.version = newer.version
    let matches = IdentityMatching.matches(newer.entities.map(\.key), liveKeys)
    for (entity, match) in zip(newer.entities, matches) where entity.isDeclared {
      if let match {
        try made.entities[match].apply(entity)
      } else {
        let table = Self.free(entity.name, made.entities.map(\.table))
        made.entities.append(StoredEntity(entity, table: table))
      }
    }
    return made
  }

  /// Returns the name, with a number appended if it is in `taken`; the comparison ignores case.
  fileprivate static func free(_ name: String, _ taken: [String]) -> String {
    let taken = Set(taken.map { $0.lowercased() })
    guard taken.contains(name.lowercased()) else { return name }
    var number = 2
    while taken.contains("\(name)_\(number)".lowercased()) { number += 1 }
    return "\(name)_\(number)"
  }
}

extension StoredModel {
  /// Returns this model updated to a newer model, whatever the differences are.
  ///
  /// Entities and attributes that the newer model lacks are marked as removed. A retyped attribute
  /// gets a new number, because history contains values of the old type.
  ///
  /// - Throws: ``ModelError/tooManyAttributes(_:_:)``, as ``applying(_:)`` does.
  func migrating(to newer: Model) throws(ModelError) -> StoredModel {
    var reduced = self
    let older = live
    let matches = IdentityMatching.matches(liveKeys, newer.entities.map(\.key))
    for (offset, match) in matches.enumerated() where !entities[offset].isRemoved {
      if let match {
        reduced.entities[offset].remove(lackingIn: newer.entities[match]) { old, new in
          old.map(older.identity) == new.map(newer.identity)
        }
      } else {
        reduced.entities[offset].isRemoved = true
      }
    }
    return try reduced.applying(newer)
  }
}

extension StoredEntity {
  /// Marks attributes as removed if a newer entity lacks them, or changes their type or reference.
  ///
  /// A change to a wider type does not count.
  fileprivate mutating func remove(
    lackingIn newer: Entity,
    isSame: (Reference?, Reference?) -> Bool
  ) {
    let matches = IdentityMatching.matches(liveKeys, newer.attributes.map(\.key))
    for (number, match) in matches.enumerated() where !attributes[number].isRemoved {
      let (old, new) = (attributes[number].attribute, match.map { newer.attributes[$0] })
      guard let new, new.type == old.type || new.type.isWidening(of: old.type),
        isSame(old.reference, new.reference)
      else {
        attributes[number].isRemoved = true
        continue
      }
    }
  }

  fileprivate mutating func apply(_ newer: Entity) throws(ModelError) {
    name = newer.name
    let matches = IdentityMatching.matches(newer.attributes.map(\.key), liveKeys)
    for (attribute, match) in zip(newer.attributes, matches) {
      if let match {
        attributes[match].apply(attribute)
      } else {
        let column = StoredModel.free(attribute.name, attributes.map(\.column))
        attributes.append(StoredAttribute(attribute, column: column))
      }
    }
    guard attributes.count <= Model.attributeCountMax else {
      throw .tooManyAttributes(name, attributes.count)
    }
    indexes = indexes(of: newer)
  }
}

extension StoredAttribute {
  fileprivate mutating func apply(_ newer: Attribute) {
    attribute = Attribute(
      newer.name,
      newer.type,
      isOptional: newer.isOptional,
      preservesValueInHistoryOnDeletion: newer.preservesValueInHistoryOnDeletion,
      defaultValue: newer.defaultValue,
      renamingIdentifier: attribute.identity,
      reference: newer.recorded.reference
    )
    hasPlace = hasPlace || newer.preservesValueInHistoryOnDeletion
  }
}
