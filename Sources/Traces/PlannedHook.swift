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

  /// A merge hook whose every third call finishes the pass by itself: what was fetched counts as merged.
  case finish = "finishes"

  /// Those that throw.
  package static let failing: [PlannedHook] = [.retry, .skip, .observerRetry]

  /// Whether it keeps a note of what observers are told.
  package var observes: Bool { self == .observer || self == .observerRetry }

  /// Whether it is asked before each merge.
  package var merges: Bool { !observes }
}

extension PlannedActor {
  /// The name of one of an actor's contexts, the first being 0.
  package static func contextName(_ index: Int) -> String {
    index == 0 ? "view" : "view-\(index + 1)"
  }

  /// The names of the contexts that it merges into.
  package var contextNames: [String] { (0..<max(contexts ?? 1, 1)).map(Self.contextName) }
}
