package import Traces

/// A fold over a trace that checks one invariant.
package protocol Checker: Sendable {
  /// The name of the invariant, as reports print it.
  static var name: String { get }
  /// Creates a checker for a trace with this header, before the first event.
  init(_ header: TraceHeader)
  /// Checks the next event.
  mutating func observe(_ event: Event)
  /// The verdict, after the last event.
  var verdict: Verdict { get }
}

/// A fold over a trace that reads the state shared by all invariants from a timeline.
///
/// An invariant observes each event before the timeline applies it; the event's names are looked up
/// already. All invariants share the timeline, so its cost is paid once.
package protocol Invariant: Sendable {
  /// The name, as reports print it.
  static var name: String { get }
  /// The rule, in one sentence.
  static var sentence: String { get }
  /// Creates the invariant for a trace with this header, before the first event.
  init(_ header: TraceHeader)
  /// The first violation in the part of the trace that was read; `nil` if there is none.
  var violation: Violation? { get }
  /// Checks the next event, with the timeline in the state before it.
  mutating func observe(_ event: Event, on timeline: Timeline)
  /// Returns the verdict, after the last event.
  func verdict(on timeline: Timeline) -> Verdict
}

/// A checker of a single invariant, with its own timeline.
package struct InvariantChecker<Checked: Invariant>: Checker {
  private var timeline: Timeline
  private var invariant: Checked

  package static var name: String { Checked.name }

  package init(_ header: TraceHeader) {
    timeline = Timeline(header)
    invariant = Checked(header)
  }

  package mutating func observe(_ event: Event) {
    timeline.advance(event) { invariant.observe(event, on: $0) }
  }

  package var verdict: Verdict { timeline.undecided ?? invariant.verdict(on: timeline) }
}
