internal import HistoryTypes

/// The names that a plan's header declares, used to read its commands and events.
struct Vocabulary {
  private let members: Set<String>
  private let entities: [String: [String: AttributeType]]

  init(_ header: PlanHeader) {
    members = Set(header.actors.map(\.id.name) + header.consumers.map(\.name))
    let pairs = header.model.entities.map { entity in
      (entity.name, entity.attributes.map { ($0.name, $0.type) })
    }
    entities = Dictionary(uniqueKeysWithValues: pairs).mapValues {
      Dictionary(uniqueKeysWithValues: $0)
    }
  }

  /// Reads the name of an actor or consumer from the value of a key.
  func member(_ key: String, of fields: Fields) throws(FormatError) -> ActorID {
    let name = try fields.string(key)
    guard members.contains(name) else {
      throw fields.place.error(
        "the header declares no actor or consumer \"\(name)\"",
        Fields.advice(name, Array(members))
      )
    }
    return ActorID(name)
  }

  /// Throws if the model lacks an entity.
  func check(entity: String, of fields: Fields) throws(FormatError) {
    guard entities[entity] != nil else {
      throw fields.place.error(
        "the model has no entity \"\(entity)\"",
        Fields.advice(entity, Array(entities.keys))
      )
    }
  }

  /// Returns the object that a text such as `Item/3` names.
  func object(_ text: String, of fields: Fields) throws(FormatError) -> ObjectName {
    guard let name = ObjectName(text), name.description == text else {
      throw fields.place.error(
        "\(fields.what) has \"\(text)\", which is not the name of an object",
        "Write an entity and a whole number, such as \"Item/3\"."
      )
    }
    try check(entity: name.entity, of: fields)
    return name
  }

  func type(
    of attribute: String,
    in entity: String,
    of fields: Fields
  ) throws(FormatError) -> AttributeType {
    try check(entity: entity, of: fields)
    let attributes = entities[entity] ?? [:]
    guard let type = attributes[attribute] else {
      throw fields.place.error(
        "the entity \"\(entity)\" has no attribute \"\(attribute)\"",
        Fields.advice(attribute, Array(attributes.keys))
      )
    }
    return type
  }

  func value(
    _ json: JSONValue,
    of attribute: String,
    in entity: String,
    of fields: Fields
  ) throws(FormatError) -> Value {
    let type = try type(of: attribute, in: entity, of: fields)
    guard let value = Value(json, as: type) else {
      throw fields.place.error(
        "\(json.excerpt) is not a value for \"\(entity).\(attribute)\", which is of type \(type.rawValue)",
        type.spelling
      )
    }
    return value
  }

  /// Reads the values under a key, or returns `nil` if the key is absent.
  func values(
    _ key: String,
    of entity: String,
    in fields: Fields
  ) throws(FormatError) -> Values? {
    guard let members = try fields.find(key, "an object", \.members) else { return nil }
    return try values(members, of: entity, in: fields)
  }

  /// Reads all objects under the key `objects`.
  func objects(in fields: Fields) throws(FormatError) -> Objects {
    var objects: Objects = [:]
    let members = try fields.need("objects", "an object", \.members)
    for (text, json) in members.sorted(by: { $0.key < $1.key }) {
      let name = try object(text, of: fields)
      let members = try Fields(json, as: "the object \"\(text)\"", at: fields.place).members
      objects[name] = try values(members, of: name.entity, in: fields)
    }
    return objects
  }

  private func values(
    _ members: [String: JSONValue],
    of entity: String,
    in fields: Fields
  ) throws(FormatError) -> Values {
    var values: Values = [:]
    for (attribute, json) in members.sorted(by: { $0.key < $1.key }) {
      values[attribute] = try value(json, of: attribute, in: entity, of: fields)
    }
    return values
  }
}
