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
    if header.foreignWrites != .unwatched {
      members["foreignWrites"] = .string(header.foreignWrites.rawValue)
    }
    let consumers = header.consumers.map(\.name)
    if !consumers.isEmpty { members["consumers"] = JSONValue(strings: consumers) }
    if !header.batchAuthors.isEmpty {
      members["batchAuthors"] = JSONValue(strings: header.batchAuthors)
    }
    if !header.protectedAuthors.isEmpty {
      members["protectedAuthors"] = JSONValue(strings: header.protectedAuthors)
    }
    members["retention"] = header.retention.map(json)
    if !header.objects.isEmpty { members["objects"] = TraceCodec.json(of: header.objects) }
    return .object(members)
  }

  private static func json(of entity: Entity) -> JSONValue {
    var members: [String: JSONValue] = [
      "entity": .string(entity.name), "attributes": .array(entity.attributes.map(json)),
    ]
    if !entity.uniquenessConstraints.isEmpty {
      members["unique"] = .array(entity.uniquenessConstraints.map { JSONValue(strings: $0) })
    }
    return .object(members)
  }

  private static func json(of attribute: Attribute) -> JSONValue {
    var members: [String: JSONValue] = [
      "name": .string(attribute.name), "type": .string(attribute.type.rawValue),
    ]
    if !attribute.isOptional { members["optional"] = .bool(false) }
    if let reference = attribute.reference {
      members["to"] = .string(reference.entity)
      if reference.deleteRule != .nullify {
        members["rule"] = .string(reference.deleteRule.rawValue)
      }
    }
    if attribute.preservesValueInHistoryOnDeletion { members["preserved"] = .bool(true) }
    if attribute.defaultValue != .null { members["default"] = attribute.defaultValue.json }
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
    if actor.isPartial { members["partial"] = .bool(true) }
    members["strategy"] = actor.strategy.map(JSONValue.string)
    members["maximumDuration"] = actor.maximumDuration.map { JSONValue($0) }
    members["cursors"] = actor.cursors.map(JSONValue.string)
    members["hooks"] = actor.hooks.map { JSONValue(strings: $0) }
    members["model"] = actor.modelVersion.map { .integer(Int64($0)) }
    return .object(members)
  }

  private static func json(of retention: PlannedRetention) -> JSONValue {
    var members: [String: JSONValue] = [:]
    members["age"] = retention.age.map { JSONValue($0) }
    members["transactions"] = retention.transactions.map { .integer(Int64($0)) }
    members["bytes"] = retention.bytes.map { .integer(Int64($0)) }
    return .object(members)
  }

  private static let headerKeys = [
    "plan", "seed", "step", "timestamps", "drive", "model", "actors", "consumers", "batchAuthors",
    "protectedAuthors", "retention", "synchronous", "checkpointPages", "locks", "tokens", "driver",
    "foreignWrites", "objects",
  ]
  private static let actorKeys = [
    "id", "author", "launched", "allAuthors", "batchAuthors", "ignores", "contexts", "page",
    "strategy", "maximumDuration", "cursors", "hooks", "model", "partial",
  ]

  /// Reads a plan's header; the version is checked first, because a newer version may have other keys.
  static func header(
    _ fields: Fields,
    and more: [String] = []
  ) throws(FormatError) -> PlanHeader {
    try checkVersion("plan", is: PlanHeader.version, in: fields)
    try fields.allow(headerKeys + more)
    var header = PlanHeader(model: try model(fields), actors: try actors(fields))
    header.seed = try seed(fields)
    header.step = try fields.finite(ifAny: "step") ?? 1
    header.timestamps = try fields.choice("timestamps", default: .monotone)
    header.drive = try fields.choice("drive", default: .commands)
    header.driver = try fields.choice("driver", default: .core)
    header.synchronous = try fields.choice("synchronous", default: .normal)
    header.checkpointPages = try fields.find("checkpointPages", "a whole number, 1 or more") {
      $0.whole.flatMap { $0 >= 1 && $0 <= Int64(Int32.max) ? Int($0) : nil }
    }
    header.locks = try fields.choice("locks", default: .held)
    header.tokens = try fields.choice("tokens", default: .store)
    header.foreignWrites = try fields.choice("foreignWrites", default: .unwatched)
    header.consumers = try consumers(fields)
    header.batchAuthors = try fields.strings(ifAny: "batchAuthors") ?? []
    header.protectedAuthors = try fields.strings(ifAny: "protectedAuthors") ?? []
    header.retention = try retention(fields)
    if fields.has("objects") { header.objects = try Vocabulary(header).objects(in: fields) }
    try checkNames(header.actors.map(\.id) + header.consumers, fields.place)
    return header
  }

  /// Throws an error if the file is of another kind or format version than expected.
  static func checkVersion(
    _ kind: String,
    is known: Int,
    in fields: Fields
  ) throws(FormatError) {
    guard let version = fields.members[kind] else {
      throw fields.place.error(
        "this is not the header of a \(kind)",
        "Begin the file with {\"\(kind)\":\(known),...}."
      )
    }
    guard version != .integer(Int64(known)) else { return }
    let isNewer = (version.whole ?? 0) > known
    throw fields.place.error(
      "the \(kind) is of version \(version.excerpt), and this lab reads version \(known)",
      isNewer ? "Use a newer history-lab." : "Write {\"\(kind)\":\(known),...}."
    )
  }

  private static func seed(_ fields: Fields) throws(FormatError) -> UInt64 {
    try fields.find("seed", "a string such as \"0x2a\"") { value in
      guard let text = value.text, text.hasPrefix("0x") else { return nil }
      return UInt64(text.dropFirst(2), radix: 16)
    } ?? 0
  }

  /// Reads the entities.
  static func model(_ fields: Fields) throws(FormatError) -> Model {
    let entities = try fields.objects("model", as: "entity")
      .map { (entity) throws(FormatError) in
        try entity.allow(["entity", "attributes", "unique"])
        let attributes = try entity.objects("attributes", as: "attribute").map(attribute)
        return Entity(
          try entity.string("entity"),
          attributes,
          uniquenessConstraints: try unique(entity)
        )
      }
    do {
      // Attributes that an older version of the model lacks have default values.
      let isNewer = entities.contains { !$0.attributes.allSatisfy(\.isOlder) }
      return try Model(entities, version: isNewer ? 2 : 1)
    } catch {
      throw fields.place.error("the model is invalid", error.description)
    }
  }

  /// Reads uniqueness constraints: lists of attributes whose combined values must be unique.
  private static func unique(_ fields: Fields) throws(FormatError) -> [[String]] {
    let kind = "a list of lists of attributes, such as [[\"name\"]]"
    return try fields.find("unique", kind) { value in
      value.elements.flatMap { lists -> [[String]]? in
        let names = lists.map { $0.elements.map { $0.compactMap(\.text) } }
        let isWhole = zip(names, lists).allSatisfy { $0?.count == $1.elements?.count }
        return isWhole ? names.compactMap(\.self) : nil
      }
    } ?? []
  }

  private static func attribute(_ fields: Fields) throws(FormatError) -> Attribute {
    try fields.allow(["name", "type", "preserved", "default", "optional", "to", "rule"])
    let type = try fields.choice("type", as: AttributeType.self)
    let isOptional = try fields.bool("optional", default: true)
    let rule: DeleteRule = try fields.choice("rule", default: .nullify)
    if let entity = try fields.string(ifAny: "to") {
      guard type == .int else {
        throw fields.place.error(
          "\(fields.what) refers to \"\(entity)\" and is of the type \"\(type.rawValue)\"",
          "Write the type \"int\": a reference is stored as the key of an object."
        )
      }
      return Attribute(
        try fields.string("name"),
        to: entity,
        deleteRule: rule,
        isOptional: isOptional,
        preservesValueInHistoryOnDeletion: try fields.bool("preserved", default: false)
      )
    }
    return Attribute(
      try fields.string("name"),
      type,
      isOptional: isOptional,
      preservesValueInHistoryOnDeletion: try fields.bool("preserved", default: false),
      defaultValue: try fields.find("default", "a value of the type \(type.rawValue)") {
        Value($0, as: type)
      } ?? .null
    )
  }

  static func actors(_ fields: Fields) throws(FormatError) -> [PlannedActor] {
    _ = try fields.need("actors", "a list of objects", \.elements)
    return try fields.objects("actors", as: "actor").map(actor)
  }

  /// Reads an actor of a plan, or of a configuration in format version 1.
  static func actor(_ fields: Fields) throws(FormatError) -> PlannedActor {
    try fields.allow(actorKeys)
    var actor = PlannedActor(
      try id(try fields.string("id"), fields),
      author: try fields.string(ifAny: "author"),
      launched: try fields.bool("launched", default: true)
    )
    actor.allAuthors = try fields.strings(ifAny: "allAuthors")
    actor.batchAuthors = try fields.strings(ifAny: "batchAuthors")
    actor.ignores = try fields.strings(ifAny: "ignores")
    actor.contexts = try fields.count(ifAny: "contexts")
    actor.page = try fields.find("page", "a whole number, 1 or more") { value in
      value.whole.flatMap { $0 > 0 ? Int($0) : nil }
    }
    actor.isPartial = try fields.bool("partial", default: false)
    actor.strategy = try fields.string(ifAny: "strategy")
    actor.maximumDuration = try fields.find("maximumDuration", "a number of seconds, 0 or more") {
      value in
      value.double.flatMap { $0 >= 0 ? $0 : nil }
    }
    actor.cursors = try fields.find("cursors", "\"shared\" or \"own\"") { value in
      value.text.flatMap { ["shared", "own"].contains($0) ? $0 : nil }
    }
    actor.hooks = try fields.strings(ifAny: "hooks")
    actor.modelVersion = try fields.find("model", "1 or 2") { value in
      value.whole.flatMap { 1...2 ~= $0 ? Int($0) : nil }
    }
    return actor
  }

  static func consumers(_ fields: Fields) throws(FormatError) -> [ActorID] {
    try (fields.strings(ifAny: "consumers") ?? []).map { (name) throws(FormatError) in
      try id(name, fields)
    }
  }

  private static func id(_ name: String, _ fields: Fields) throws(FormatError) -> ActorID {
    guard !name.isEmpty else {
      throw fields.place.error(
        "\(fields.what) has an empty name",
        "Give it a name, such as \"app\"."
      )
    }
    return ActorID(name)
  }

  /// Reads the retention limits, or returns `nil` if the key is absent.
  static func retention(_ fields: Fields) throws(FormatError) -> PlannedRetention? {
    guard let members = try fields.find("retention", "an object", \.members) else { return nil }
    let limits = Fields(members, as: "the retention", at: fields.place)
    try limits.allow(["age", "transactions", "bytes"])
    return PlannedRetention(
      age: try limits.finite(ifAny: "age"),
      transactions: try limits.count(ifAny: "transactions"),
      bytes: try limits.count(ifAny: "bytes")
    )
  }

  /// Throws if two actors or consumers have the same name.
  static func checkNames(_ ids: [ActorID], _ place: Place) throws(FormatError) {
    var names: Set<ActorID> = []
    for id in ids where !names.insert(id).inserted {
      throw place.error(
        "two actors or consumers are named \"\(id)\"",
        "Give each a name of its own."
      )
    }
  }
}
