/// A validation error of a model.
public enum ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The model has no entity.
  case noEntity
  /// A name is not a letter followed by letters, digits and underscores, or is reserved.
  case badName(String)
  /// Two entities, or two attributes of one entity, have the same name, ignoring case.
  case twice(String)
  /// An entity has more attributes than a column bitmap has bits.
  case tooManyAttributes(String, Int)
  /// The version is less than 1.
  case badVersion(Int)
  /// Two entities, or two attributes of one entity, have the same renaming identifier.
  case sameIdentity(String, String)
  /// A default value is of another type than its attribute, not finite, or has a null character.
  case unfitDefault(String, AttributeType)

  /// A sentence that describes the error and how to fix it.
  public var description: String {
    switch self {
    case .noEntity: "A model needs at least one entity."
    case .badName(let name):
      "\"\(name)\" cannot name an entity or attribute: use a letter, then letters, digits or "
        + "underscores (100 at most), and no prefix history_ or sqlite_."
    case .twice(let name): "The model has \"\(name)\" twice (upper and lower case are equal)."
    case .tooManyAttributes(let name, let count):
      "The entity \"\(name)\" has \(count) attributes; \(Model.attributeCountMax) is the most."
    case .badVersion(let version): "A model has a version of at least 1, not \(version)."
    case .sameIdentity(let name, let identity):
      "\"\(name)\" has the identity \"\(identity)\", which another one has too: give it a renaming "
        + "identifier of its own."
    case .unfitDefault(let name, let type):
      "The default value of \"\(name)\" does not fit its type, \(type.rawValue)."
    }
  }
}
