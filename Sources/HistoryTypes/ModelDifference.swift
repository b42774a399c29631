/// A difference between an older and a newer model, or between a file's model and a program's.
///
/// Core Data: an entry of an `NSMappingModel`.
///
/// Lightweight differences need no migration: a newer program applies them when it opens the file,
/// and programs with the older model continue to read and write the attributes that they know.
public enum ModelDifference: Hashable, Sendable {
  /// The newer model adds an entity.
  case addedEntity(String)
  /// The newer model adds an attribute; existing objects get its default value.
  case addedAttribute(entity: String, attribute: String, defaultValue: Value)
  /// The newer model renames an entity.
  case renamedEntity(from: String, to: String)
  /// The newer model renames an attribute.
  case renamedAttribute(entity: String, from: String, to: String)
  /// The new type of an attribute accepts every value of the older type.
  case widenedAttribute(entity: String, attribute: String, from: AttributeType, to: AttributeType)
  /// The newer model changes the default value of an attribute, for objects inserted afterwards.
  case changedDefault(entity: String, attribute: String, from: Value, to: Value)
  /// The newer model changes whether a delete preserves the value of an attribute in history.
  case changedPreservation(entity: String, attribute: String, isPreserved: Bool)
  /// The newer model changes the delete rule of a reference.
  case changedDeleteRule(entity: String, attribute: String, from: DeleteRule, to: DeleteRule)
  /// A required attribute became optional.
  case madeOptional(entity: String, attribute: String)
  /// The newer model adds an index.
  case addedIndex(entity: String, [ObjectOrder])
  /// The newer model lacks an index.
  case removedIndex(entity: String, [ObjectOrder])
  /// The newer model adds a uniqueness constraint.
  ///
  /// Opening the file with the newer model fails while the file contains duplicates.
  case addedUniqueness(entity: String, [String])
  /// The newer model lacks a uniqueness constraint.
  case removedUniqueness(entity: String, [String])
  /// An optional attribute became required, or a new required attribute has no default value.
  case madeRequired(entity: String, attribute: String)
  /// The newer model lacks an entity.
  case removedEntity(String)
  /// The newer model lacks an attribute.
  case removedAttribute(entity: String, attribute: String)
  /// The new type of an attribute does not accept every value of the older type.
  case retypedAttribute(entity: String, attribute: String, from: AttributeType, to: AttributeType)
  /// An attribute became a reference or no longer is one, or refers to another entity.
  case changedReference(entity: String, attribute: String, from: String?, to: String?)

  /// A Boolean value that indicates whether a newer program applies this difference on opening a file.
  ///
  /// All other differences need an explicit migration.
  public var isLightweight: Bool {
    switch self {
    case .removedEntity, .removedAttribute, .retypedAttribute, .madeRequired, .changedReference:
      false
    default: true
    }
  }
}

extension ModelDifference: CustomStringConvertible {
  /// The difference as a clause, such as `Item.rating was added with the default 0`.
  public var description: String {
    switch self {
    case .addedEntity(let entity): "the entity \(entity) was added"
    case .addedAttribute(let entity, let attribute, let value):
      "\(entity).\(attribute) was added with the default \(value)"
    case .renamedEntity(let old, let new): "the entity \(old) was renamed to \(new)"
    case .renamedAttribute(let entity, let old, let new):
      "\(entity).\(old) was renamed to \(new)"
    case .widenedAttribute(let entity, let attribute, let old, let new):
      "\(entity).\(attribute) was widened from \(old.rawValue) to \(new.rawValue)"
    case .changedDefault(let entity, let attribute, let old, let new):
      "the default of \(entity).\(attribute) was changed from \(old) to \(new)"
    case .changedPreservation(let entity, let attribute, let isPreserved):
      "deletes \(isPreserved ? "now" : "no longer") preserve \(entity).\(attribute)"
    case .changedDeleteRule(let entity, let attribute, let old, let new):
      "the delete rule of \(entity).\(attribute) was changed from \(old.rawValue) to \(new.rawValue)"
    case .madeOptional(let entity, let attribute): "\(entity).\(attribute) became optional"
    case .addedIndex(let entity, let index):
      "an index of \(entity) over \(index.map(\.description).joined(separator: ", ")) was added"
    case .removedIndex(let entity, let index):
      "the index of \(entity) over \(index.map(\.description).joined(separator: ", ")) was removed"
    case .addedUniqueness(let entity, let attributes):
      "\(attributes.joined(separator: ", ")) of \(entity) became unique"
    case .removedUniqueness(let entity, let attributes):
      "\(attributes.joined(separator: ", ")) of \(entity) is no longer unique"
    case .madeRequired(let entity, let attribute):
      "\(entity).\(attribute) is required, and existing objects may have no value"
    case .removedEntity(let entity): "the entity \(entity) was removed"
    case .removedAttribute(let entity, let attribute): "\(entity).\(attribute) was removed"
    case .retypedAttribute(let entity, let attribute, let old, let new):
      "\(entity).\(attribute) was changed from \(old.rawValue) to \(new.rawValue)"
    case .changedReference(let entity, let attribute, let old, let new):
      "\(entity).\(attribute) was changed from \(old.map { "a reference to \($0)" } ?? "no reference") "
        + "to \(new.map { "a reference to \($0)" } ?? "none")"
    }
  }
}

extension Model {
  /// Returns the differences of this model from an older one.
  ///
  /// The order of entities and attributes is ignored. Entities and attributes count as the same if
  /// their renaming identifiers or names are the same.
  ///
  /// - Complexity: quadratic in the number of entities, and of the attributes of each; no query.
  public func differences(from older: Model) -> [ModelDifference] {
    let (new, old) = (entities.filter(\.isDeclared), older.entities.filter(\.isDeclared))
    let matches = IdentityMatching.matches(new.map(\.key), old.map(\.key))
    var differences: [ModelDifference] = []
    for (entity, match) in zip(new, matches) {
      if let match {
        differences += entity.differences(from: old[match])
        differences += referenceDifferences(of: entity, from: old[match], in: older)
      } else {
        differences.append(.addedEntity(entity.name))
      }
    }
    let kept = Set(matches.compactMap(\.self))
    return differences
      + old.indices.filter { !kept.contains($0) }.map { .removedEntity(old[$0].name) }
  }

  private func referenceDifferences(
    of entity: Entity,
    from old: Entity,
    in older: Model
  ) -> [ModelDifference] {
    let matches = IdentityMatching.matches(entity.attributes.map(\.key), old.attributes.map(\.key))
    return zip(entity.attributes, matches).compactMap { attribute, match in
      guard let match else { return nil }
      let (new, old) = (attribute.reference, old.attributes[match].reference)
      guard new.map(identity) == old.map(older.identity) else {
        return .changedReference(
          entity: entity.name,
          attribute: attribute.name,
          from: old?.entity,
          to: new?.entity
        )
      }
      guard let new, let old, new.deleteRule != old.deleteRule else { return nil }
      return .changedDeleteRule(
        entity: entity.name,
        attribute: attribute.name,
        from: old.deleteRule,
        to: new.deleteRule
      )
    }
  }

  /// The renaming identifier (or the name) of the entity to which a reference refers.
  package func identity(of reference: Reference) -> String {
    entities.first { $0.name == reference.entity }?.identity ?? reference.entity
  }
}

extension Entity {
  fileprivate var key: IdentityMatching.Key { .init(identity: identity, name: name) }

  fileprivate func differences(from older: Entity) -> [ModelDifference] {
    var differences: [ModelDifference] = []
    if name != older.name { differences.append(.renamedEntity(from: older.name, to: name)) }
    let matches = IdentityMatching.matches(attributes.map(\.key), older.attributes.map(\.key))
    for (attribute, match) in zip(attributes, matches) {
      differences += difference(attribute, from: match.map { older.attributes[$0] })
    }
    let kept = Set(matches.compactMap(\.self))
    for index in older.attributes.indices where !kept.contains(index) {
      differences.append(.removedAttribute(entity: name, attribute: older.attributes[index].name))
    }
    return differences + indexDifferences(from: older, matches)
  }

  private func indexDifferences(from older: Entity, _ matches: [Int?]) -> [ModelDifference] {
    /// Returns the newer entity's name for an attribute, given the older entity's name for it.
    func renamed(_ attribute: String) -> String {
      let match = older.index(of: attribute).flatMap { matches.firstIndex(of: $0) }
      return match.map { attributes[$0].name } ?? attribute
    }
    let olderIndexes = older.indexes.map { index in
      index.map { order in
        var order = order
        order.attribute = renamed(order.attribute)
        return order
      }
    }
    let olderUnique = older.uniquenessConstraints.map { $0.map(renamed) }
    let (indexes, unique) = (self.indexes, uniquenessConstraints)
    return indexes.filter { !olderIndexes.contains($0) }.map { .addedIndex(entity: name, $0) }
      + olderIndexes.filter { !indexes.contains($0) }.map { .removedIndex(entity: name, $0) }
      + unique.filter { !olderUnique.contains($0) }.map { .addedUniqueness(entity: name, $0) }
      + olderUnique.filter { !unique.contains($0) }.map { .removedUniqueness(entity: name, $0) }
  }

  private func difference(_ new: Attribute, from old: Attribute?) -> [ModelDifference] {
    let required = ModelDifference.madeRequired(entity: name, attribute: new.name)
    guard let old else {
      let isFilled = new.isOptional || new.defaultValue != .null
      return [
        .addedAttribute(entity: name, attribute: new.name, defaultValue: new.defaultValue)
      ] + (isFilled ? [] : [required])
    }
    var differences: [ModelDifference] = []
    if old.isOptional && !new.isOptional { differences.append(required) }
    if !old.isOptional && new.isOptional {
      differences.append(.madeOptional(entity: name, attribute: new.name))
    }
    if new.name != old.name {
      differences.append(.renamedAttribute(entity: name, from: old.name, to: new.name))
    }
    if new.type != old.type {
      differences.append(
        new.type.isWidening(of: old.type)
          ? .widenedAttribute(entity: name, attribute: new.name, from: old.type, to: new.type)
          : .retypedAttribute(entity: name, attribute: new.name, from: old.type, to: new.type)
      )
    } else if new.defaultValue != old.defaultValue {
      differences.append(
        .changedDefault(
          entity: name,
          attribute: new.name,
          from: old.defaultValue,
          to: new.defaultValue
        )
      )
    }
    if new.preservesValueInHistoryOnDeletion != old.preservesValueInHistoryOnDeletion {
      differences.append(
        .changedPreservation(
          entity: name,
          attribute: new.name,
          isPreserved: new.preservesValueInHistoryOnDeletion
        )
      )
    }
    return differences
  }
}

extension Attribute {
  fileprivate var key: IdentityMatching.Key { .init(identity: identity, name: name) }
}

/// Finds the entities or attributes that two models have in common, including renamed ones.
package enum IdentityMatching {
  /// The identity of an entity or attribute in all models, and its name in one of them.
  package struct Key {
    package let identity: String
    package let name: String

    package init(identity: String, name: String) {
      self.identity = identity.lowercased()
      self.name = name.lowercased()
    }
  }

  /// Returns for each new key the index of the old key with which it matches, or `nil`.
  ///
  /// First, keys with equal identities match. Of the remaining keys, two match if the identity of
  /// one equals the name of the other. Finally, keys with equal names match. The second rule finds
  /// an entity or attribute that was renamed several times, each time with the previous name as its
  /// identity.
  package static func matches(_ new: [Key], _ old: [Key]) -> [Int?] {
    var matches: [Int?] = Array(repeating: nil, count: new.count)
    var isFree = Array(repeating: true, count: old.count)
    let conditions: [(Key, Key) -> Bool] = [
      { $0.identity == $1.identity }, { $0.identity == $1.name }, { $0.name == $1.identity },
      { $0.name == $1.name },
    ]
    for isSame in conditions {
      for index in new.indices where matches[index] == nil {
        guard let match = old.indices.first(where: { isFree[$0] && isSame(new[index], old[$0]) })
        else { continue }
        matches[index] = match
        isFree[match] = false
      }
    }
    return matches
  }
}

/// The author names of the transactions that change a store's model.
package enum MigrationAuthor {
  private static let prefix = "schemamigrator: migration from model version "
  private static let separator = " to "
  /// The prefix of the author names under which Core Data migrates a store.
  private static let coreDataPrefix = "com.apple.coredata.schemamigrator"

  /// Returns the author of the transaction that changes one version of the model to another.
  package static func name(from old: Int, to new: Int) -> String {
    "\(prefix)\(old)\(separator)\(new)"
  }

  /// Returns whether an author denotes a migration, by this library or by Core Data.
  package static func isAuthor(_ author: String?) -> Bool {
    guard let author else { return false }
    return author.hasPrefix(prefix) || author.hasPrefix(coreDataPrefix)
  }

  /// Returns the newer model version in the author name of a migration, or `nil` for other authors.
  package static func version(_ author: String?) -> Int? {
    guard let author, author.hasPrefix(prefix) else { return nil }
    return author.split(separator: " ").last.flatMap { Int($0) }
  }
}

extension HistoryTransaction {
  /// A Boolean value that indicates whether the transaction changed the model of the store.
  ///
  /// Such a transaction contains no changes of objects, and its author names the migration, as in
  /// Core Data.
  public var isModelMigration: Bool { MigrationAuthor.isAuthor(author) }

  /// The version of the store's model after the transaction, or `nil` if it did not change the model.
  ///
  /// Core Data's migrations have no version.
  public var modelVersion: Int? { MigrationAuthor.version(author) }
}
