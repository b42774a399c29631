package import Traces

/// All checkers over one trace, with what they share folded once.
///
/// - Complexity: an event costs well under a microsecond in a release build.
package struct CheckerSuite: Sendable {
  /// Which checkers are on.
  package enum Scope: Hashable, Sendable, CaseIterable {
    /// Those that every plan with writes, passes and purges exercises.
    case core
    /// Those too that need observers, retention, protected authors or answers about history.
    case all
  }
  /// The names of the core checkers, in the order of their verdicts.
  package static let names = names(in: .core)

  private var timeline: Timeline
  private var core: CoreCheckers
  private var further: FurtherCheckers?
  private var hasViolation = false

  /// Starts before the first event of a trace with this header.
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

  /// The names of the checkers of a scope, in the order of their verdicts.
  package static func names(in scope: Scope) -> [String] {
    sentences(in: scope).map(\.checker)
  }

  /// The checkers of a scope with what must hold, in the order of their verdicts.
  package static func sentences(in scope: Scope) -> [(checker: String, sentence: String)] {
    scope == .core ? CoreCheckers.all : CoreCheckers.all + FurtherCheckers.all
  }

  /// Takes the next event in.
  package mutating func observe(_ event: Event) {
    timeline.resolve(event)
    let isCoreBroken = core.observe(event, on: timeline)
    let isFurtherBroken = further?.observe(event, on: timeline) ?? false
    hasViolation = hasViolation || isCoreBroken || isFurtherBroken
    timeline.apply(event)
  }

  /// Whether an invariant is broken already, whatever comes: a run that only asks that can stop.
  package var isInvalid: Bool {
    hasViolation && timeline.undecided == nil
  }

  /// The answer of each checker, in the order of ``names(in:)``; asked after the last event.
  package var verdicts: [(checker: String, verdict: Verdict)] {
    let answers = core.verdicts(on: timeline) + (further?.verdicts(on: timeline) ?? [])
    return answers.map { ($0.checker, timeline.undecided ?? $0.verdict) }
  }

  /// Goes on with a longer plan: its next command is known only now.
  ///
  /// Conflicts must end as in the commands before.
  package mutating func append(_ command: Command) { timeline.append(command) }

  /// The invariants that are broken by now, one bit each in the order of ``names(in:)``.
  package var broken: UInt64 {
    guard timeline.undecided == nil else { return 0 }
    return core.broken | (further?.broken ?? 0) << UInt64(CoreCheckers.all.count)
  }

  /// Adds everything that later answers depend on, between two commands; the tick is the present one.
  ///
  /// Whether an invariant was exercised is not part of it: see ``verdicts``.
  package func describe(_ state: inout StateSketch, tick: Int) {
    timeline.describe(&state)
    further?.describe(&state, on: timeline, tick: tick)
  }

  /// The first violation in the trace; asked after the last event, or once it is invalid.
  package var violation: Violation? {
    let found = verdicts.compactMap { answer -> Violation? in
      if case .invalid(let violation) = answer.verdict { violation } else { nil }
    }
    return found.min { $0.at < $1.at }
  }

  /// How often a cursor was reset to nothing.
  package var cursorResetCount: Int { core.cursorProgress.resetCount }
}
