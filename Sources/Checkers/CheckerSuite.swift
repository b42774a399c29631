package import Traces

/// All checkers over one trace, with a shared timeline.
///
/// - Complexity: an event costs well under a microsecond in a release build.
package struct CheckerSuite: Sendable {
  /// The set of enabled checkers.
  package enum Scope: Hashable, Sendable, CaseIterable {
    /// The checkers that every plan with writes, passes and purges exercises.
    case core
    /// Adds the checkers that need observers, retention, protected authors or reports of history.
    case all
  }
  /// The names of the core checkers, in the order of their verdicts.
  package static let names = names(in: .core)
  private static let allNames = names(in: .all)

  private var timeline: Timeline
  private var core: CoreCheckers
  private var further: FurtherCheckers?
  private var hasViolation = false

  /// Creates a suite for a trace with this header, before the first event.
  package init(_ header: TraceHeader, scope: Scope = .core) {
    timeline = Timeline(header)
    core = CoreCheckers(header)
    further = scope == .all ? FurtherCheckers(header) : nil
  }

  /// Checks a whole trace.
  package init(checking trace: Trace, scope: Scope = .core) {
    self.init(trace.header, scope: scope)
    for event in trace.events { observe(event) }
  }

  /// Returns the names of the checkers of a scope, in the order of their verdicts.
  package static func names(in scope: Scope) -> [String] {
    sentences(in: scope).map(\.checker)
  }

  /// Returns the checkers of a scope with their rules, in the order of their verdicts.
  package static func sentences(in scope: Scope) -> [(checker: String, sentence: String)] {
    scope == .core ? CoreCheckers.all : CoreCheckers.all + FurtherCheckers.all
  }

  /// Returns the rule of a checker; `nil` if no checker has the name.
  package static func sentence(of checker: String) -> String? {
    sentences(in: .all).first { $0.checker == checker }?.sentence
  }

  /// Checks the next event.
  package mutating func observe(_ event: Event) {
    timeline.advance(event) { timeline in
      let isCoreBroken = core.observe(event, on: timeline)
      let isFurtherBroken = further?.observe(event, on: timeline) ?? false
      hasViolation = hasViolation || isCoreBroken || isFurtherBroken
    }
  }

  /// Whether an invariant is already broken; later events cannot change that.
  package var isInvalid: Bool {
    hasViolation && timeline.undecided == nil
  }

  /// The verdict of each checker, in the order of ``names(in:)``; read it after the last event.
  package var verdicts: [(checker: String, verdict: Verdict)] {
    var verdicts: [Verdict] = []
    forEachVerdict { verdicts.append($0) }
    let names = further == nil ? Self.names : Self.allNames
    return zip(names, verdicts).map { ($0, timeline.undecided ?? $1) }
  }

  /// The broken invariants, and those exercised and valid, as bits; read it after the last event.
  ///
  /// The bits are in the order of ``names(in:)``.
  package var conclusion: (broken: UInt64, held: UInt64) {
    guard timeline.undecided == nil else { return (0, 0) }
    var (broken, held, bit): (UInt64, UInt64, UInt64) = (0, 0, 1)
    forEachVerdict { verdict in
      switch verdict {
      case .valid: held |= bit
      case .invalid: broken |= bit
      case .unknown: break
      }
      bit <<= 1
    }
    return (broken, held)
  }

  private func forEachVerdict(_ body: (Verdict) -> Void) {
    core.forEachVerdict(on: timeline, body)
    further?.forEachVerdict(on: timeline, body)
  }

  /// Appends the next command of a plan that is made step by step.
  ///
  /// If no earlier command has a merge policy other than the default, the command must not have one
  /// either: views are tracked only for plans that need it.
  package mutating func append(_ command: Command) { timeline.append(command) }

  /// The invariants that are broken so far, one bit each in the order of ``names(in:)``.
  package var broken: UInt64 {
    guard timeline.undecided == nil else { return 0 }
    return core.broken | (further?.broken ?? 0) << UInt64(CoreCheckers.all.count)
  }

  /// Adds all state that later verdicts depend on, between two commands; `tick` is the current one.
  ///
  /// Whether an invariant was exercised is not included: see ``verdicts``.
  package func describe(_ state: inout StateSketch, tick: Int) {
    timeline.describe(&state)
    further?.describe(&state, on: timeline, tick: tick)
  }

  /// The first violation in the trace; read it after the last event, or once the trace is invalid.
  package var violation: Violation? {
    let found = verdicts.compactMap { answer -> Violation? in
      if case .invalid(let violation) = answer.verdict { violation } else { nil }
    }
    return found.min { $0.at < $1.at }
  }

  /// The number of times a cursor was reset to none.
  package var cursorResetCount: Int { core.cursorProgress.resetCount }
}
