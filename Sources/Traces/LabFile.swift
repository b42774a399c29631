/// What a file of the lab holds, told by its lines: whatever can be run again.
package enum LabFile: Hashable, Sendable {
  case plan(Plan)
  case trace(Trace)
  case counterexample(Counterexample)

  /// Reads a plan, a trace or a counterexample.
  ///
  /// - Throws: ``FormatError`` that names the line, what is wrong, and what to try.
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

  /// The plan that the file holds.
  package var plan: Plan {
    switch self {
    case .plan(let plan): plan
    case .trace(let trace): trace.header.plan
    case .counterexample(let counterexample): counterexample.trace.header.plan
    }
  }
}
