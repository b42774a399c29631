internal import HistoryTypes

extension PlanCodec {
  /// Returns the header as one object; keys with default values are omitted.
  static func json(of header: PlanHeader) -> JSONValue {
    var members: [String: JSONValue] = [
      "plan": .integer(Int64(PlanHeader.version)),
      "model": .array(header.model.entities.map(json)),
      "actors": .array(header.actors.map(json)),
    ]
    if header.seed != 0 { members["seed"] = .string("0x" + String(header.seed, radix: 16)) }
    if header.step != 1 { members["step"] = JSONValue(header.step) }
    if header.timestamps != .monotone {
      members["timestamps"] = .string(header.timestamps.rawValue)
    }
    if header.driver != .core { members["driver"] = .string(header.driver.rawValue) }
    if header.drive != .commands { members["drive"] = .string(header.drive.rawValue) }
    if header.synchronous != .normal {
      members["synchronous"] = .string(header.synchronous.rawValue)
    }
    members["checkpointPages"] = header.checkpointPages.map { .integer(Int64($0)) }
    if header.locks != .held { members["locks"] = .string(header.locks.rawValue) }
    if header.tokens != .store { members["tokens"] = .string(header.tokens.rawValue) }
    let consumers = header.consumers.map(\.name)
    if !consumers.isEmpty { members["consumers"] = JSONValue(strings: consumers) }
    if !header.batchAuthors.isEmpty {
      members["batchAuthors"] = JSONValue(strings: header.batchAuthors)
    }
    if !header.protectedAuthors.isEmpty {
      members["protectedAuthors"] = JSONValue(strings: header.protectedAuthors)
    }
    members["retention"] = header.retention.map(json)
    return .object(members)
  }

  private static func json(of entity: Entity) -> JSONValue {
    ["entity": .string(entity.name), "attributes": .array(entity.attributes.map(json))]
  }

  private static func json(of attribute: Attribute) -> JSONValue {
    var members: [String: JSONValue] = [
      "name": .string(attribute.name), "type": .string(attribute.type.rawValue),
    ]
    if attribute.preservesValueInHistoryOnDeletion { members["preserved"] = .bool(true) }
    return .object(members)
  }

  private static func json(of actor: PlannedActor) -> JSONValue {
    var members: [String: JSONValue] = ["id": .string(actor.id.name)]
    members["author"] = actor.author.map(JSONValue.string)
    if !actor.launched { members["launched"] = .bool(false) }
    members["allAuthors"] = actor.allAuthors.map { JSONValue(strings: $0) }
    members["batchAuthors"] = actor.batchAuthors.map { JSONValue(strings: $0) }
    members["ignores"] = actor.ignores.map { JSONValue(strings: $0) }
    members["contexts"] = actor.contexts.map { .integer(Int64($0)) }
    members["page"] = actor.page.map { .integer(Int64($0)) }
    members["strategy"] = actor.strategy.map(JSONValue.string)
    members["cursors"] = actor.cursors.map(JSONValue.string)
    members["hooks"] = actor.hooks.map { JSONValue(strings: $0) }
    return .object(members)
  }

  private static func json(of retention: PlannedRetention) -> JSONValue {
    var members: [String: JSONValue] = [:]
    members["age"] = retention.age.map { JSONValue($0) }
    members["transactions"] = retention.transactions.map { .integer(Int64($0)) }
    members["bytes"] = retention.bytes.map { .integer(Int64($0)) }
    return .object(members)
  }
}
