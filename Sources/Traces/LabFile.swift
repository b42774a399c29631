internal import HistoryTypes

/// The contents of a file that the lab can run again: a plan, a trace or a counterexample.
package enum LabFile: Hashable, Sendable {
  case plan(Plan)
  case trace(Trace)
  case counterexample(Counterexample)

  /// Reads a plan, a trace or a counterexample.
  ///
  /// - Throws: ``FormatError`` with the line, the problem and a suggestion.
  package init(_ text: String) throws(FormatError) {
    var probe = LineReader(text)
    if let (_, first) = try probe.next(), first.members?["trace"] != nil {
      self = .trace(try TraceCodec.decode(text))
      return
    }
    var lines = LineReader(text)
    let (plan, after) = try PlanCodec.read(&lines)
    guard let after else {
      self = .plan(plan)
      return
    }
    self = .counterexample(try CounterexampleCodec.read(&lines, plan, after))
  }

  package var plan: Plan {
    switch self {
    case .plan(let plan): plan
    case .trace(let trace): trace.header.plan
    case .counterexample(let counterexample): counterexample.trace.header.plan
    }
  }
}

/// Encodes counterexamples as JSON Lines: the plan's lines, the trace's lines, then the verdict.
///
/// The first line announces a trace and a verdict, and the verdict at the end proves that the file
/// is complete: a truncated file is rejected and never replayed, not even as a plan.
package enum CounterexampleCodec {
  /// The key in a plan's header that shows that a trace and a verdict follow the plan.
  ///
  /// Files of older versions lack this key.
  static let key = "counterexample"
  /// The version of the format.
  static let version = 1

  /// Returns the counterexample's lines, each with its newline.
  ///
  /// - Complexity: linear in plan and trace.
  package static func encode(_ counterexample: Counterexample) -> String {
    let trace = counterexample.trace
    return PlanCodec.encodeBeginning(trace.header.plan)
      + json(of: trace.header).line + "\n"
      + trace.events.map { TraceCodec.encode($0) + "\n" }.joined()
      + json(of: counterexample.violation).line + "\n"
  }

  /// Reads the lines of a counterexample file.
  ///
  /// - Throws: ``FormatError`` with the line, the problem and a suggestion.
  package static func decode(_ text: String) throws(FormatError) -> Counterexample {
    var lines = LineReader(text)
    let (plan, afterPlan) = try PlanCodec.read(&lines)
    guard let afterPlan else { throw cut(lines, after: "the plan") }
    return try read(&lines, plan, afterPlan)
  }

  /// Reads the lines that follow the plan's lines.
  static func read(
    _ lines: inout LineReader,
    _ plan: Plan,
    _ header: Fields
  ) throws(FormatError) -> Counterexample {
    try PlanCodec.checkVersion("trace", is: TraceHeader.version, in: header)
    try header.allow(["trace", "commands", "system", "versions"])
    guard try header.count("commands") == plan.commands.count else {
      throw header.place.error(
        "the trace is of a plan with \(try header.count("commands").counted("command")), "
          + "but the plan in this file has \(plan.commands.count.inGroups)",
        "Lines were lost: copy the file again. To edit the plan, copy its lines to a new file."
      )
    }
    let run = try TraceCodec.run(header, of: plan)
    let (trace, afterTrace) = try TraceCodec.read(&lines, after: run)
    guard let afterTrace else {
      let last = trace.events.last.map { "event \($0.at)" }
      throw cut(lines, after: last ?? "the header of its trace")
    }
    let violation = try violation(afterTrace, events: trace.events.count)
    guard let (place, _) = try lines.next() else {
      return Counterexample(trace: trace, violation: violation)
    }
    throw place.error(
      "a line follows the verdict",
      "Keep one counterexample per file; its verdict is the last line."
    )
  }

  /// Returns the trace's header as JSON, with the number of the plan's commands instead of the
  /// plan.
  private static func json(of header: TraceHeader) -> JSONValue {
    var members = TraceCodec.json(ofRun: header).members ?? [:]
    members["commands"] = .integer(Int64(header.plan.commands.count))
    return .object(members)
  }

  /// Returns whether a plan's header shows that a trace and a verdict follow.
  static func isAnnounced(by header: Fields) throws(FormatError) -> Bool {
    guard header.has(key) else { return false }
    try PlanCodec.checkVersion(key, is: version, in: header)
    return true
  }

  /// Returns the error for a truncated file.
  static func cut(
    _ lines: LineReader,
    after last: String,
    isPlan: Bool = false
  ) -> FormatError {
    lines.end.error(
      "the file ends after \(last), without a verdict",
      "The file is incomplete: copy it again, or repeat the command that found the counterexample."
        + (isPlan ? " To run the plan alone, remove \"\(key)\" from the first line." : "")
    )
  }

  private static func json(of violation: Violation) -> JSONValue {
    var members: [String: JSONValue] = [
      "verdict": .string("invalid"), "checker": .string(violation.checker),
      "at": .integer(Int64(violation.at)), "because": .string(violation.because),
    ]
    members["transaction"] = violation.transaction.map(JSONValue.string)
    return .object(members)
  }

  private static func violation(_ fields: Fields, events: Int) throws(FormatError) -> Violation {
    try fields.allow(["verdict", "checker", "at", "because", "transaction"])
    let verdict = try fields.string("verdict")
    guard verdict == "invalid" else {
      throw fields.place.error(
        "the verdict is \"\(verdict)\"",
        "Write \"invalid\", the only verdict of a counterexample."
      )
    }
    let at = try fields.count("at")
    guard at < events else {
      throw fields.place.error(
        "the verdict points to event \(at), counted from 0, but the trace has "
          + events.counted("event"),
        "Lines were lost: copy the file again."
      )
    }
    return Violation(
      checker: try fields.string("checker"),
      at: at,
      because: try fields.string("because"),
      transaction: try fields.string(ifAny: "transaction")
    )
  }
}
