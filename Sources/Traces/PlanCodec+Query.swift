internal import HistoryTypes

extension PlanCodec {
  /// Returns the keys and values of a query command; keys with default values are omitted.
  static func json(of query: PlannedQuery) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["actor": .string(query.actor.name)]
    if query.form != .transactions { members["form"] = .string(query.form.rawValue) }
    switch query.start {
    case .beginning: break
    case .behind(let count): members["behind"] = .integer(Int64(count))
    case .ago(let seconds): members["ago"] = JSONValue(seconds)
    }
    if !query.terms.isEmpty { members["filter"] = .array(query.terms.map(json)) }
    if query.matchesAny { members["any"] = .bool(true) }
    members["entity"] = query.entity.map(JSONValue.string)
    if !query.conditions.isEmpty { members["where"] = .array(query.conditions.map(json)) }
    members["sort"] = json(of: query.orders)
    if !query.pending.isEmpty { members["changes"] = .array(query.pending.map(json)) }
    if query.page != 1000 { members["page"] = .integer(Int64(query.page)) }
    if query.changeLimit != PlannedQuery.changeLimitDefault {
      members["changeLimit"] = .integer(Int64(query.changeLimit))
    }
    return members
  }

  /// Returns sort orders as a list of attributes, with a minus sign for descending; `nil` for none.
  static func json(of orders: [PlannedOrder]) -> JSONValue? {
    guard !orders.isEmpty else { return nil }
    return JSONValue(strings: orders.map { ($0.isAscending ? "" : "-") + $0.attribute })
  }

  private static func json(of term: QueryTerm) -> JSONValue {
    var members: [String: JSONValue]
    switch term.subject {
    case .author(let name): members = ["author": name.map(JSONValue.string) ?? .null]
    case .context(let name): members = ["context": name.map(JSONValue.string) ?? .null]
    case .entity(let name): members = ["entity": .string(name)]
    case .type(let type): members = ["op": .string(type.word)]
    case .object(let object): members = ["object": .string(object.description)]
    case .newest(let count): members = ["newest": .integer(Int64(count))]
    case .recent(let seconds): members = ["recent": JSONValue(seconds)]
    }
    if term.isNegated { members["not"] = .bool(true) }
    return .object(members)
  }

  static func query(_ fields: Fields, _ names: Vocabulary) throws(FormatError) -> PlannedQuery {
    let terms = try fields.objects("filter", as: "condition")
      .map { (term) throws(FormatError) in try self.term(term, names) }
    let page = try fields.find("page", "a whole number, 1 or more") { value in
      value.whole.flatMap { $0 >= 1 ? Int($0) : nil }
    }
    let changeLimit = try fields.find("changeLimit", "a whole number, 1 or more") { value in
      value.whole.flatMap { $0 >= 1 ? Int($0) : nil }
    }
    let entity = try fields.string(ifAny: "entity")
    if let entity { try names.check(entity: entity, of: fields) }
    let query = PlannedQuery(
      actor: try names.member("actor", of: fields),
      form: try fields.choice("form", default: .transactions),
      start: try start(fields),
      terms: terms,
      matchesAny: try fields.bool("any", default: false),
      page: page ?? 1000,
      changeLimit: changeLimit ?? PlannedQuery.changeLimitDefault,
      entity: entity,
      conditions: try entity.map { (name) throws(FormatError) in
        try conditions(fields, of: name, names)
      } ?? [],
      orders: try orders(fields, of: entity, names),
      pending: try fields.objects("changes", as: "change")
        .map { (change) throws(FormatError) in try self.change(change, names) }
    )
    guard query.form.isOfEntity == (entity != nil) else {
      throw fields.place.error(
        "\(fields.what) has \(entity == nil ? "no" : "an") entity",
        "Give the key \"entity\" to the forms \"find\", \"sorted\" and \"uris\", and to no other form."
      )
    }
    guard query.form != .purge || query.isPurgeFilter else {
      throw fields.place.error(
        "\(fields.what) filters a purge by something other than authors or contexts",
        "Use only \"author\" and \"context\" conditions, without \"not\" or \"any\"."
      )
    }
    return query
  }

  private static func start(_ fields: Fields) throws(FormatError) -> PlannedQuery.Start {
    if let behind = try fields.count(ifAny: "behind") {
      guard !fields.has("ago") else {
        throw fields.place.error("\(fields.what) has \"behind\" and \"ago\"", "Leave one out.")
      }
      return .behind(behind)
    }
    return try fields.finite(ifAny: "ago").map(PlannedQuery.Start.ago) ?? .beginning
  }

  /// Reads the attributes to sort by; a minus sign before an attribute means descending.
  static func orders(
    _ fields: Fields,
    of entity: String?,
    _ names: Vocabulary
  ) throws(FormatError) -> [PlannedOrder] {
    try (fields.strings(ifAny: "sort") ?? []).map { (text) throws(FormatError) in
      let isAscending = !text.hasPrefix("-")
      let attribute = isAscending ? text : String(text.dropFirst())
      _ = try names.type(of: attribute, in: entity ?? "", of: fields)
      return PlannedOrder(attribute, isAscending: isAscending)
    }
  }

  private static func term(_ fields: Fields, _ names: Vocabulary) throws(FormatError) -> QueryTerm {
    let known = ["author", "context", "entity", "op", "object", "newest", "recent"]
    try fields.allow(known + ["not"])
    let keys = known.filter { fields.members[$0] != nil }
    guard keys.count == 1, let key = keys.first else {
      throw fields.place.error(
        "\(fields.what) has \(keys.count.counted("condition"))",
        "Write exactly one of the keys \(known.map { "\"\($0)\"" }.joined(separator: ", "))."
      )
    }
    return QueryTerm(
      try subject(key, fields, names),
      isNegated: try fields.bool("not", default: false)
    )
  }

  private static func subject(
    _ key: String,
    _ fields: Fields,
    _ names: Vocabulary
  ) throws(FormatError) -> QueryTerm.Subject {
    switch key {
    case "author": return .author(try fields.string(ifAny: key))
    case "context": return .context(try fields.string(ifAny: key))
    case "entity":
      let entity = try fields.string(key)
      try names.check(entity: entity, of: fields)
      return .entity(entity)
    case "op": return .type(try fields.changeType())
    case "object": return .object(try names.object(try fields.string(key), of: fields))
    case "newest": return .newest(try fields.count(key))
    default: return .recent(try fields.finite(key))
    }
  }
}

extension PlannedQuery {
  /// Whether the filter has only conditions on authors and contexts, as a purge requires.
  package var isPurgeFilter: Bool {
    !matchesAny
      && terms.allSatisfy { term in
        switch term.subject {
        case .author, .context: !term.isNegated
        default: false
        }
      }
  }
}

extension PlanCodec {
  /// Returns a comparison as a list, and a compound condition as an object with one key.
  static func json(of condition: PlannedCondition) -> JSONValue {
    switch condition {
    case .compare(let name, let comparison, let value):
      [.string(name), .string(comparison.rawValue), value.json]
    case .among(let name, let values):
      [.string(name), .string(ConditionWord.among.rawValue), .array(values.map(\.json))]
    case .between(let name, let low, let high):
      [.string(name), .string(ConditionWord.between.rawValue), [low.json, high.json]]
    case .like(let name, let pattern):
      [.string(name), .string(ConditionWord.like.rawValue), .string(pattern)]
    case .all(let parts): ["all": .array(parts.map(json))]
    case .any(let parts): ["any": .array(parts.map(json))]
    case .not(let part): ["not": json(of: part)]
    }
  }

  /// Reads the conditions under the key `where`.
  static func conditions(
    _ fields: Fields,
    of entity: String,
    _ names: Vocabulary
  ) throws(FormatError) -> [PlannedCondition] {
    let list = try fields.find("where", "a list of conditions", \.elements) ?? []
    let reader = ConditionReader(fields: fields, entity: entity, names: names)
    return try reader.read(list, depth: 1)
  }
}

/// The words of conditions that are not plain comparisons.
private enum ConditionWord: String, CaseIterable {
  case among = "in"
  case between
  case like
}

/// A reader for the JSON list `where`: the conditions on the objects of one entity.
private struct ConditionReader {
  let fields: Fields
  let entity: String
  let names: Vocabulary

  func read(_ list: [JSONValue], depth: Int) throws(FormatError) -> [PlannedCondition] {
    try list.map { (item) throws(FormatError) in try read(item, depth: depth) }
  }

  private func read(_ item: JSONValue, depth: Int) throws(FormatError) -> PlannedCondition {
    guard depth <= PlannedCondition.depthMax else {
      throw fields.place.error(
        "conditions are nested more than \(PlannedCondition.depthMax) deep",
        "Reduce the nesting."
      )
    }
    if let members = item.members { return try connection(members, item, depth) }
    guard let parts = item.elements, parts.count == 3, let name = parts[0].text,
      let word = parts[1].text
    else { throw noCondition(item) }
    if let comparison = PlannedComparison(rawValue: word) {
      return .compare(name, comparison, try value(parts[2], of: name))
    }
    switch ConditionWord(rawValue: word) {
    case .among:
      guard let list = parts[2].elements else { throw noCondition(item) }
      return .among(name, try values(list, of: name))
    case .between:
      guard let list = parts[2].elements, list.count == 2 else { throw noCondition(item) }
      return .between(name, try value(list[0], of: name), try value(list[1], of: name))
    case .like: return try like(name, parts[2], item)
    case nil: throw noCondition(item)
    }
  }

  private func connection(
    _ members: [String: JSONValue],
    _ item: JSONValue,
    _ depth: Int
  ) throws(FormatError) -> PlannedCondition {
    guard members.count == 1, let (word, content) = members.first else { throw noCondition(item) }
    switch (word, content.elements) {
    case ("all", let list?): return .all(try read(list, depth: depth + 1))
    case ("any", let list?): return .any(try read(list, depth: depth + 1))
    case ("not", _): return .not(try read(content, depth: depth + 1))
    default: throw noCondition(item)
    }
  }

  private func like(
    _ name: String,
    _ pattern: JSONValue,
    _ item: JSONValue
  ) throws(FormatError) -> PlannedCondition {
    let type = try names.type(of: name, in: entity, of: fields)
    guard type == .string else {
      throw fields.place.error(
        "\"\(entity).\(name)\" is of type \(type.rawValue), and \"like\" compares only strings",
        "Use a string attribute, or another comparison."
      )
    }
    guard let text = pattern.text else { throw noCondition(item) }
    return .like(name, text)
  }

  private func value(_ json: JSONValue, of name: String) throws(FormatError) -> Value {
    try names.value(json, of: name, in: entity, of: fields)
  }

  private func values(_ list: [JSONValue], of name: String) throws(FormatError) -> [Value] {
    // The attribute must exist even if the list of values is empty.
    _ = try names.type(of: name, in: entity, of: fields)
    return try list.map { (json) throws(FormatError) in try value(json, of: name) }
  }

  private func noCondition(_ item: JSONValue) -> FormatError {
    fields.place.error(
      "\(item.excerpt) is not a condition",
      "Write [attribute, comparison, value], compared with =, !=, <, <=, > or >=; "
        + "[attribute, \"in\", [values]], [attribute, \"between\", [low, high]], "
        + "[attribute, \"like\", pattern]; or {\"all\"|\"any\": [conditions]}, "
        + "{\"not\": condition}."
    )
  }
}
