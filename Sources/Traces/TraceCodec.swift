/// Encodes traces as JSON Lines: a header that contains the whole plan, then one event per line.
///
/// Decoding and encoding a trace written by this codec reproduces its bytes.
package enum TraceCodec {
  /// Returns the trace's lines, each with its newline.
  ///
  /// - Complexity: linear in the trace.
  package static func encode(_ trace: Trace) -> String {
    encode(trace.header) + "\n" + trace.events.map { encode($0) + "\n" }.joined()
  }

  /// Returns the header's line without its newline, for a trace that is written during the run.
  package static func encode(_ header: TraceHeader) -> String {
    var members = json(ofRun: header).members ?? [:]
    members["plan"] = json(inline: header.plan)
    return JSONValue.object(members).line
  }

  /// Returns one event's line without its newline.
  package static func encode(_ event: Event) -> String { json(of: event).line }

  /// Reads the lines of a trace file.
  ///
  /// - Throws: ``FormatError`` with the line, the problem and a suggestion.
  package static func decode(_ text: String) throws(FormatError) -> Trace {
    var lines = LineReader(text)
    guard let (place, first) = try lines.next() else {
      throw lines.end.error("the file is empty", "Begin it with {\"trace\":1,...}.")
    }
    let fields = try Fields(first, as: "the header", at: place)
    let (trace, after) = try read(&lines, after: try header(fields))
    guard let after else { return trace }
    throw after.place.error(
      "\(after.what) is not part of a trace file",
      "Remove this line and all lines after it: only a counterexample file may contain them."
    )
  }
}

extension TraceCodec {
  /// Returns a description of a line that cannot be part of a plan; `nil` for a plan's line.
  ///
  /// The header of a trace, an event and a verdict have such descriptions.
  static func kind(of fields: Fields) -> String? {
    if fields.has("do") && !fields.has("event") { return nil }
    if fields.has("trace") { return "the header of a trace" }
    if fields.has("event") { return "an event" }
    return fields.has("verdict") ? "a verdict" : nil
  }

  /// Returns the trace header's JSON without the plan, as counterexamples contain it.
  static func json(ofRun header: TraceHeader) -> JSONValue {
    var members: [String: JSONValue] = [
      "trace": .integer(Int64(TraceHeader.version)), "system": .string(header.system),
    ]
    if !header.versions.isEmpty {
      members["versions"] = .object(header.versions.mapValues(JSONValue.string))
    }
    return .object(members)
  }

  private static func json(inline plan: Plan) -> JSONValue {
    var members = PlanCodec.json(of: plan.header).members ?? [:]
    members["commands"] = .array(plan.commands.map(PlanCodec.json))
    return .object(members)
  }

  private static func header(_ fields: Fields) throws(FormatError) -> TraceHeader {
    try PlanCodec.checkVersion("trace", is: TraceHeader.version, in: fields)
    try fields.allow(["trace", "plan", "system", "versions"])
    let members = try fields.need("plan", "the whole plan as an object", \.members)
    let inline = Fields(members, as: "the plan", at: fields.place)
    let header = try PlanCodec.header(inline, and: ["commands"])
    let names = Vocabulary(header)
    _ = try inline.need("commands", "a list of commands", \.elements)
    let commands = try inline.objects("commands", as: "command")
      .map { (command) throws(FormatError) in try PlanCodec.command(command, names) }
    return try run(fields, of: Plan(header: header, commands: commands))
  }

  /// Reads the fields of a trace's header; the plan was read before.
  static func run(_ fields: Fields, of plan: Plan) throws(FormatError) -> TraceHeader {
    let versions = try fields.find("versions", "an object of strings") { value in
      value.members.flatMap { members in
        let texts = members.compactMapValues(\.text)
        return texts.count == members.count ? texts : nil
      }
    }
    return TraceHeader(plan: plan, system: try fields.string("system"), versions: versions ?? [:])
  }

  /// Reads events; also returns the verdict's line if one follows the events, otherwise `nil`.
  static func read(
    _ lines: inout LineReader,
    after header: TraceHeader
  ) throws(FormatError) -> (Trace, after: Fields?) {
    let names = Vocabulary(header.plan.header)
    var trace = Trace(header: header)
    while let (place, value) = try lines.next() {
      let fields = try Fields(value, as: "an event", at: place)
      if fields.has("verdict") { return (trace, fields.named("a verdict")) }
      let event = try event(fields, names, commands: header.plan.commands.count)
      guard event.at == trace.events.count else {
        throw place.error(
          "this is event \(event.at), but event \(trace.events.count) is expected here",
          "Lines were lost or moved: copy the file again."
        )
      }
      trace.events.append(event)
    }
    return (trace, nil)
  }
}
