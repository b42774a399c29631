internal import HistoryTypes

extension PlanCodec {
  /// Returns the command as one object; keys with default values are omitted.
  static func json(of command: Command) -> JSONValue {
    var members = json(of: command.action)
    members["do"] = .string(command.action.word)
    if !command.faults.isEmpty { members["faults"] = .array(command.faults.map(json)) }
    return .object(members)
  }

  private static func json(of action: Action) -> [String: JSONValue] {
    switch action {
    case .write(let write), .begin(let write): return json(of: write)
    case .batch(let batch): return json(of: batch)
    case .query(let query): return json(of: query)
    case .read(let reading): return json(of: reading)
    case .belated(let actor, let step):
      return ["actor": .string(actor.name), "step": .string(step.rawValue)]
    case .consume(let consumer): return ["consumer": .string(consumer.name)]
    case .deliver(let actor, let fate), .poll(let actor, let fate):
      let members = ["actor": JSONValue.string(actor.name), "fate": .string(fate.rawValue)]
      return fate == .delivered ? members.filter { $0.key != "fate" } : members
    case .view(let actor, let context):
      return ["actor": JSONValue.string(actor.name)].merging(json(ofContext: context)) { $1 }
    case .clock(let advance): return ["advance": JSONValue(advance)]
    case .data, .history: return [:]
    case .commit(let actor), .launch(let actor), .stop(let actor), .crash(let actor),
      .retire(let actor), .fetch(let actor), .merge(let actor), .record(let actor),
      .pass(let actor), .purge(let actor), .resync(let actor):
      return ["actor": .string(actor.name)]
    }
  }

  private static func json(ofContext name: String) -> [String: JSONValue] {
    name == "view" ? [:] : ["context": .string(name)]
  }

  private static func json(ofAuthor author: WriteAuthor) -> [String: JSONValue] {
    switch author {
    case .own: [:]
    case .absent: ["author": .null]
    case .other(let name): ["author": .string(name)]
    }
  }

  private static func json(of write: PlannedWrite) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "actor": .string(write.actor.name), "changes": .array(write.changes.map(json)),
    ]
    members.merge(json(ofContext: write.context)) { $1 }
    members.merge(json(ofAuthor: write.author)) { $1 }
    if write.policy != .objectWins { members["policy"] = .string(write.policy.rawValue) }
    if !write.ticks { members["tick"] = .integer(0) }
    return members
  }

  static func json(of change: PlannedChange) -> JSONValue {
    var members: [String: JSONValue] = [
      "op": .string(change.type.word), "object": .string(change.object.description),
    ]
    if !change.values.isEmpty { members["values"] = .object(change.values.mapValues(\.json)) }
    return .object(members)
  }

  private static func json(of batch: PlannedBatch) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "actor": .string(batch.actor.name), "op": .string(batch.type.word),
      "entity": .string(batch.entity),
    ]
    members.merge(json(ofAuthor: batch.author)) { $1 }
    if !batch.conditions.isEmpty {
      members["where"] = .array(
        batch.conditions.map(json)
      )
    }
    if !batch.values.isEmpty { members["values"] = .object(batch.values.mapValues(\.json)) }
    return members
  }

  /// Returns the fault as one object.
  static func json(of fault: PlannedFault) -> JSONValue {
    var members: [String: JSONValue] = [
      "kind": .string(fault.kind.rawValue), "file": .string(fault.file.rawValue),
      "call": .string(fault.call.rawValue), "k": .integer(Int64(fault.k)),
    ]
    if fault.from { members["from"] = .bool(true) }
    if fault.seed != 0 { members["seed"] = .integer(Int64(fault.seed)) }
    return .object(members)
  }
}
