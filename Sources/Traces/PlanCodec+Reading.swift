internal import HistoryTypes

extension PlanCodec {
  /// Returns the members of a reading's command; keys with default values are omitted.
  static func json(of reading: PlannedReading) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["consumer": .string(reading.consumer.name)]
    if reading.page != 1000 { members["page"] = .integer(Int64(reading.page)) }
    members["entity"] = reading.entity.map(JSONValue.string)
    members["author"] = reading.author.map(JSONValue.string)
    members["stops"] = reading.stopsAt.map { .integer(Int64($0)) }
    if !reading.steps.isEmpty {
      members["steps"] = JSONValue(strings: reading.steps.map(\.rawValue))
    }
    return members
  }

  /// Reads a reading of a consumer.
  static func reading(
    _ fields: Fields,
    _ names: Vocabulary
  ) throws(FormatError) -> PlannedReading {
    func atLeastOne(_ key: String) throws(FormatError) -> Int? {
      try fields.find(key, "a whole number, 1 or more") { value in
        value.whole.flatMap { $0 >= 1 ? Int($0) : nil }
      }
    }
    let entity = try fields.string(ifAny: "entity")
    if let entity { try names.check(entity: entity, of: fields) }
    let known = ReadingStep.allCases.map(\.rawValue)
    let steps = try fields.find("steps", "a list of \(known.joined(separator: ", "))") { value in
      value.elements.flatMap { elements -> [ReadingStep]? in
        let steps = elements.map { $0.text.flatMap(ReadingStep.init) }
        return steps.contains(nil) ? nil : steps.compactMap(\.self)
      }
    }
    return PlannedReading(
      try names.member("consumer", of: fields),
      page: try atLeastOne("page") ?? 1000,
      entity: entity,
      author: try fields.string(ifAny: "author"),
      stopsAt: try atLeastOne("stops"),
      steps: steps ?? []
    )
  }
}
