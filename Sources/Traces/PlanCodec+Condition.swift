internal import HistoryTypes

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

/// A reader for the conditions on one entity.
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
        "conditions lie more than \(PlannedCondition.depthMax) deep in each other",
        "Write them flatter."
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
        "\"\(entity).\(name)\" is of type \(type.rawValue), which is like nothing",
        "Only a string is like a pattern."
      )
    }
    guard let text = pattern.text else { throw noCondition(item) }
    return .like(name, text)
  }

  private func value(_ json: JSONValue, of name: String) throws(FormatError) -> Value {
    try names.value(json, of: name, in: entity, of: fields)
  }

  private func values(_ list: [JSONValue], of name: String) throws(FormatError) -> [Value] {
    // An empty list must name an existing attribute too.
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
