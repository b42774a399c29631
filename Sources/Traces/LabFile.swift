/// The contents of a file that the lab can run again; its lines determine the kind.
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

  /// The plan in the file.
  package var plan: Plan {
    switch self {
    case .plan(let plan): plan
    case .trace(let trace): trace.header.plan
    case .counterexample(let counterexample): counterexample.trace.header.plan
    }
  }
}
