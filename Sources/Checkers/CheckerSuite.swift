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
  private static let allNames = names(in: .all)

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

  /// What must hold for a checker to accept a trace; `nil` for a name that no checker has.
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

  /// Whether an invariant is broken already, whatever comes: a run that only asks that can stop.
  package var isInvalid: Bool {
    hasViolation && timeline.undecided == nil
  }

  /// The answer of each checker, in the order of ``names(in:)``; asked after the last event.
  package var verdicts: [(checker: String, verdict: Verdict)] {
    var verdicts: [Verdict] = []
    forEachVerdict { verdicts.append($0) }
    let names = further == nil ? Self.names : Self.allNames
    return zip(names, verdicts).map { ($0, timeline.undecided ?? $1) }
  }

  /// The answers as bits, in the order of ``names(in:)``: the invariants that broke, and those that held
  /// and were put to the test; asked after the last event.
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
