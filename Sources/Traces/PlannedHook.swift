/// A hook of a planned actor, named by the word that plans use for this project's tracker.
package enum PlannedHook: String, CaseIterable, Sendable {
  /// An observer that notes every group of changes.
  case observer
  /// A merge hook that throws at every third call; the pass fails and is repeated.
  case retry = "throws-retry"
  /// A merge hook that throws at every third call; that call is skipped.
  case skip = "throws-skip"
  /// An observer that throws at every third call; the pass fails and is repeated.
  case observerRetry = "observer-throws-retry"
  /// As ``retry``, but the first and then every other call throws.
  case retryAlternating = "throws-retry-alternating"
  /// As ``skip``, but the first and then every other call throws.
  case skipAlternating = "throws-skip-alternating"
  /// As ``observerRetry``, but the first and then every other call throws.
  case observerRetryAlternating = "observer-throws-retry-alternating"

  /// A merge hook that finishes the merge itself at every third call.
  ///
  /// The fetched transactions then count as merged, and an event reports it.
  case finish = "finishes"

  /// The hooks of random plans, which throw or finish the merge at every third call.
  package static let failing: [PlannedHook] = [.retry, .skip, .observerRetry, .finish]
  /// The hooks of short plans, which throw at every other call so that few calls suffice.
  package static let alternating: [PlannedHook] = [
    .retryAlternating, .skipAlternating, .observerRetryAlternating,
  ]

  /// Whether the hook notes the changes that observers receive.
  package var observes: Bool {
    self == .observer || self == .observerRetry || self == .observerRetryAlternating
  }

  /// Whether the hook is called before each merge.
  package var merges: Bool { !observes }

  /// Returns whether the call with a number, counted from 1, throws or finishes the merge.
  package func isTrouble(at call: Int) -> Bool {
    switch self {
    case .observer: false
    case .retry, .skip, .observerRetry, .finish: call.isMultiple(of: 3)
    case .retryAlternating, .skipAlternating, .observerRetryAlternating: !call.isMultiple(of: 2)
    }
  }

  /// The number of calls after which the behaviour of every hook repeats.
  package static let period = 6
}

extension PlannedActor {
  /// Returns the name of one of an actor's contexts, counted from 0.
  package static func contextName(_ index: Int) -> String {
    index == 0 ? "view" : "view-\(index + 1)"
  }

  /// The names of the contexts that the actor merges into.
  package var contextNames: [String] { (0..<max(contexts ?? 1, 1)).map(Self.contextName) }
}
