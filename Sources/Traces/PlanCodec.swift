internal import HistoryTypes

/// Encodes plans as JSON Lines: the header, then one command per line.
///
/// Decoding and encoding a plan written by this codec reproduces its bytes.
package enum PlanCodec {
  /// Returns the plan's lines, each with its newline.
  ///
  /// - Complexity: linear in the plan.
  package static func encode(_ plan: Plan) -> String {
    lines([json(of: plan.header)] + plan.commands.map(json))
  }

  /// Returns the plan's lines for a counterexample, whose header announces a trace and a verdict.
  static func encodeBeginning(_ plan: Plan) -> String {
    var members = json(of: plan.header).members ?? [:]
    members[CounterexampleCodec.key] = .integer(Int64(CounterexampleCodec.version))
    return lines([.object(members)] + plan.commands.map(json))
  }

  private static func lines(_ values: [JSONValue]) -> String {
    values.map { $0.line + "\n" }.joined()
  }

  /// Reads the lines of a plan file.
  ///
  /// - Throws: ``FormatError`` with the line, the problem and a suggestion.
  package static func decode(_ text: String) throws(FormatError) -> Plan {
    var lines = LineReader(text)
    let (plan, after) = try read(&lines)
    guard let after else { return plan }
    throw after.place.error(
      "\(after.what) is not part of a plan file",
      "A plan ends with its last command; a file with a trace is read as a counterexample."
    )
  }

  /// Reads a plan's lines up to the end of the file or to the first other line, which is also returned.
  ///
  /// - Throws: ``FormatError``, also if the header announces a counterexample and the file ends
  ///   after the plan.
  static func read(_ lines: inout LineReader) throws(FormatError) -> (Plan, after: Fields?) {
    guard let (place, first) = try lines.next() else {
      throw lines.end.error("the file is empty", "A plan begins with {\"plan\":1,...}.")
    }
    let fields = try Fields(first, as: "the header", at: place)
    let announcesMore = try CounterexampleCodec.isAnnounced(by: fields)
    let header = try header(fields, and: [CounterexampleCodec.key])
    let names = Vocabulary(header)
    var plan = Plan(header: header, commands: [])
    while let (place, value) = try lines.next() {
      let fields = try Fields(value, as: "a command", at: place)
      if let kind = TraceCodec.kind(of: fields) { return (plan, fields.named(kind)) }
      plan.commands.append(try command(fields, names))
    }
    if announcesMore { throw CounterexampleCodec.cut(lines, after: "the plan", isPlan: true) }
    return (plan, nil)
  }
}

extension PlanCodec {
  /// Returns the keys and values of a reading command; keys with default values are omitted.
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

  /// Reads a consumer's reading command.
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
