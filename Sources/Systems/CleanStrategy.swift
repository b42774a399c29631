import HistoryTracking
import HistoryTypes
import Traces

/// When a published system purges after a pass that found transactions.
enum CleanStrategy: Hashable {
  case none
  /// Once in `times` passes.
  case byNotification(times: Int)
  /// If more than `seconds` have passed since this process was last allowed to purge.
  case byDuration(seconds: Double)

  /// Parses a plan's strategy; `nil` if the published systems have no such strategy.
  init?(planned word: String) {
    switch PurgeStrategy(planned: word) {
    case .some(.none): self = .none
    case .byNotification(let times): self = .byNotification(times: times)
    case .byDuration(let duration): self = .byDuration(seconds: duration.inSeconds)
    case .whenMerged, .whenLargerThan, nil: return nil
    }
  }
}

extension PublishedProtocol {
  /// The strategies that plans can name, in plan syntax, with example numbers.
  package static let strategyWords = ["none", "byNotification/2", "byDuration/60"]

  /// A Boolean value that indicates whether the published systems support a plan's strategy.
  package static func knows(strategy word: String) -> Bool {
    CleanStrategy(planned: word) != nil
  }
}

/// The state of a purge strategy in one process, kept in memory only.
struct CleanCounter {
  /// The number of passes counted in the current round of `times` passes.
  private var passCount = 0
  private var last: Date?

  /// Counts a pass that found transactions, and returns whether it may purge.
  ///
  /// The opportunity counts as used even if no transaction can be deleted.
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

  /// Adds the counter's state.
  func describe(_ state: inout StateSketch) {
    state.add(passCount)
    if let last { state.add(time: last.timeIntervalSinceReferenceDate) } else { state.add(-1) }
  }
}
