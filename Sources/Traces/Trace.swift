/// The events of one run of a plan on one system.
package struct Trace: Hashable, Sendable {
  /// The plan, and the system that ran it.
  package var header: TraceHeader
  /// The events, in order.
  package var events: [Event]

  package init(header: TraceHeader, events: [Event] = []) {
    self.header = header
    self.events = events
  }
}

/// The plan of a trace, and the system that ran it.
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

/// The result of a checker for one trace.
package enum Verdict: Hashable, Sendable {
  /// The invariant held, and the trace exercised it.
  case valid
  /// The invariant is violated.
  case invalid(Violation)
  /// The trace does not suffice for a verdict, for the given reason.
  case unknown(String)
}

/// A broken invariant, with the first event that breaks it.
package struct Violation: Hashable, Sendable {
  /// The invariant's name.
  package var checker: String
  /// The position in the trace of the event that breaks the invariant.
  package var at: Int
  /// One sentence that names the actor, its action and the harm that it causes.
  package var because: String
  /// The transaction that the violation concerns; `nil` if it concerns none.
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

/// A shrunk plan with its trace and the first violation.
package struct Counterexample: Hashable, Sendable {
  /// The trace, which contains the plan.
  package var trace: Trace
  package var violation: Violation

  package init(trace: Trace, violation: Violation) {
    self.trace = trace
    self.violation = violation
  }
}
