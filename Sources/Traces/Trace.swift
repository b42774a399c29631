/// Everything that happened when one plan ran on one system.
package struct Trace: Hashable, Sendable {
  /// The plan, and what it ran on.
  package var header: TraceHeader
  /// What happened, in order.
  package var events: [Event]

  package init(header: TraceHeader, events: [Event] = []) {
    self.header = header
    self.events = events
  }
}

/// The plan of a trace, and what it ran on.
package struct TraceHeader: Hashable, Sendable {
  /// The version of the trace format.
  package static let version = 1
  package var plan: Plan
  /// The name of the system under test.
  package var system: String
  /// The versions of the system, the toolchain, the machine and the lab, by name.
  package var versions: [String: String]

  package init(plan: Plan, system: String, versions: [String: String] = [:]) {
    self.plan = plan
    self.system = system
    self.versions = versions
  }
}

/// A checker's answer about one trace.
package enum Verdict: Hashable, Sendable {
  /// The invariant held, and the trace exercised it.
  case valid
  /// The invariant broke.
  case invalid(Violation)
  /// The trace does not decide; the sentence says why.
  case unknown(String)
}

/// The first event that breaks an invariant.
package struct Violation: Hashable, Sendable {
  /// The invariant's name.
  package var checker: String
  /// The position of the event in the trace.
  package var at: Int
  /// One sentence that says who did what, and what was lost.
  package var because: String
  /// The transaction that was lost, if one was.
  package var transaction: TransactionName?

  package init(
    checker: String,
    at: Int,
    because: String,
    transaction: TransactionName? = nil
  ) {
    self.checker = checker
    self.at = at
    self.because = because
    self.transaction = transaction
  }
}

/// A shrunk plan with its trace and the first event that breaks an invariant.
package struct Counterexample: Hashable, Sendable {
  /// The trace, which holds the plan.
  package var trace: Trace
  /// What broke.
  package var violation: Violation

  package init(trace: Trace, violation: Violation) {
    self.trace = trace
    self.violation = violation
  }
}
