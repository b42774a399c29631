import HistoryTracking
import PersistentHistory
import Traces

/// When a published system deletes after a pass that found something.
enum CleanStrategy: Hashable {
  case none
  /// Once in so many passes.
  case byNotification(times: Int)
  /// When more than so many seconds have gone by since this process last did.
  case byDuration(seconds: Double)

  /// The strategy that a plan names; nothing when the published systems know none like it.
  init?(planned word: String) {
    switch PurgeStrategy(planned: word) {
    case .some(.none): self = .none
    case .byNotification(let times): self = .byNotification(times: times)
    case .byDuration(let seconds): self = .byDuration(seconds: seconds)
    case .whenMerged, .whenLargerThan, nil: return nil
    }
  }
}

extension PublishedProtocol {
  /// The strategies that plans can name, each as it is written, with numbers as an example.
  package static let strategyWords = ["none", "byNotification/2", "byDuration/60"]

  /// Whether the published systems know a strategy that a plan names.
  package static func knows(strategy word: String) -> Bool {
    CleanStrategy(planned: word) != nil
  }
}

/// What a process remembers of its strategy, as long as it runs.
struct CleanCounter {
  /// How many passes were counted since the last round of them began.
  private var passCount = 0
  private var last: Date?

  /// Counts a pass that found something, and answers whether it may delete.
  ///
  /// The opportunity is used up, whether anything can be deleted or not.
  mutating func allows(_ strategy: CleanStrategy, first: Bool, now: Date) -> Bool {
    switch strategy {
    case .none: return false
    case .byNotification(let times):
      defer { passCount = (passCount + 1) % max(1, times) }
      return passCount == (first ? 0 : max(1, times) - 1)
    case .byDuration(let seconds):
      if let last, now <= last.addingTimeInterval(seconds) { return false }
      last = now
      return true
    }
  }

  /// Adds what is remembered.
  func describe(_ state: inout StateSketch) {
    state.add(passCount)
    if let last { state.add(time: last.timeIntervalSinceReferenceDate) } else { state.add(-1) }
  }
}
