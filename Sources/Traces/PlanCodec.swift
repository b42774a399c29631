internal import PersistentHistory

/// Plans as JSON Lines: the header, then one command a line.
///
/// A plan that is decoded and encoded again has the same bytes, if it was written by this codec.
package enum PlanCodec {
  /// The plan's lines, each with its newline.
  ///
  /// - Complexity: linear in the plan.
  package static func encode(_ plan: Plan) -> String {
    ([json(of: plan.header)] + plan.commands.map(json)).map { $0.line + "\n" }.joined()
  }

  /// Reads the lines of a plan file.
  ///
  /// - Throws: ``FormatError`` that names the line, what is wrong, and what to try.
  package static func decode(_ text: String) throws(FormatError) -> Plan {
    var lines = LineReader(text)
    let (plan, after) = try read(&lines)
    guard let after else { return plan }
    throw after.place.error(
      "\(after.what) is not part of a plan file",
      "A plan ends with its last command; a file with a trace is read as a counterexample."
    )
  }

  /// Reads a plan's lines up to the end, or to the first line of a trace, which is answered too.
  static func read(_ lines: inout LineReader) throws(FormatError) -> (Plan, after: Fields?) {
    guard let (place, first) = try lines.next() else {
      throw lines.end.error("the file is empty", "A plan begins with {\"plan\":1,...}.")
    }
    let header = try header(Fields(first, as: "the header", at: place))
    let names = Vocabulary(header)
    var plan = Plan(header: header, commands: [])
    while let (place, value) = try lines.next() {
      let fields = try Fields(value, as: "a command", at: place)
      if let kind = TraceCodec.kind(of: fields) { return (plan, fields.named(kind)) }
      plan.commands.append(try command(fields, names))
    }
    return (plan, nil)
  }
}

extension PlanCodec {
  /// One command as a message of the wire, without a newline.
  package static func encode(_ command: Command, id: Int) -> String {
    message(json(of: command), id: id)
  }

  /// The header as a message of the wire, without a newline: `hello` or `reset`.
  ///
  /// The key `version` says which version of the formats is spoken.
  package static func encode(_ header: PlanHeader, word: String, id: Int) -> String {
    var members = json(of: header).members ?? [:]
    members["plan"] = nil
    members["do"] = .string(word)
    members["version"] = .integer(Int64(PlanHeader.version))
    return message(.object(members), id: id)
  }

  /// Reads a command from a message of the wire, where unknown keys are passed over.
  ///
  /// - Throws: ``FormatError`` without a line.
  package static func decodeMessage(
    _ message: String,
    for header: PlanHeader
  ) throws(FormatError) -> Command {
    let place = Place(line: nil, lenient: true)
    let fields = try Fields(JSONValue(message: message), as: "a command", at: place)
    return try command(fields, Vocabulary(header))
  }

  private static func message(_ value: JSONValue, id: Int) -> String {
    var members = value.members ?? [:]
    members["id"] = .integer(Int64(id))
    return JSONValue.object(members).line
  }
}
