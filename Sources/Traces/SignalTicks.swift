/// Delays and limits, in ticks, of signals in plans that are driven by signals.
///
/// A tick is one command of any actor. A signal that the plan does not mention arrives by itself,
/// and actors poll at intervals, so that a plan keeps its meaning when a command is removed from
/// it.
package enum SignalTicks {
  /// The ticks until a signal arrives.
  package static let delivery = 4
  /// The additional ticks until a late signal arrives.
  package static let lateness = 12
  /// The ticks between two polls of an actor that can poll.
  package static let poll = 32
  /// The ticks within which an actor passes if no signal or poll was late or lost.
  package static let bound = 16
  /// The ticks within which an actor passes even if signals or polls were late or lost.
  package static let boundAtWorst = 80
}
