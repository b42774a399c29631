/// The hooks of a planned actor, by the words that plans use for our tracker.
package enum PlannedHook: String, CaseIterable, Sendable {
  /// It is told of every group of changes and keeps a note of it.
  case observer
  /// A merge hook whose every third call throws; the pass fails and is repeated.
  case retry = "throws-retry"
  /// A merge hook whose every third call throws; the call is given up.
  case skip = "throws-skip"
  /// An observer whose every third call throws; the pass fails and is repeated.
  case observerRetry = "observer-throws-retry"
  /// As ``retry``, but that every other call throws, beginning with the first.
  case retryAlternating = "throws-retry-alternating"
  /// As ``skip``, but that every other call throws, beginning with the first.
  case skipAlternating = "throws-skip-alternating"
  /// As ``observerRetry``, but that every other call throws, beginning with the first.
  case observerRetryAlternating = "observer-throws-retry-alternating"

  /// A merge hook whose every third call finishes the merge by itself: what was fetched counts as
  /// merged, and an event says so.
  case finish = "finishes"

  /// Those that throw, or finish the merge, at every third call: random plans have them.
  package static let failing: [PlannedHook] = [.retry, .skip, .observerRetry, .finish]
  /// Those that throw at every other call: short plans need no more for both.
  package static let alternating: [PlannedHook] = [
    .retryAlternating, .skipAlternating, .observerRetryAlternating,
  ]

  /// Whether it keeps a note of what observers are told.
  package var observes: Bool {
    self == .observer || self == .observerRetry || self == .observerRetryAlternating
  }

  /// Whether it is asked before each merge.
  package var merges: Bool { !observes }

  /// Whether its call with a number, the first being 1, throws, or finishes the pass.
  package func isTrouble(at call: Int) -> Bool {
    switch self {
    case .observer: false
    case .retry, .skip, .observerRetry, .finish: call.isMultiple(of: 3)
    case .retryAlternating, .skipAlternating, .observerRetryAlternating: !call.isMultiple(of: 2)
    }
  }

  /// After so many calls all hooks go on as from the beginning.
  package static let period = 6
}

extension PlannedActor {
  /// The name of one of an actor's contexts, the first being 0.
  package static func contextName(_ index: Int) -> String {
    index == 0 ? "view" : "view-\(index + 1)"
  }

  /// The names of the contexts that it merges into.
  package var contextNames: [String] { (0..<max(contexts ?? 1, 1)).map(Self.contextName) }
}
