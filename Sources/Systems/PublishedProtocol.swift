import HistoryTracking
import HistoryTypes
import Traces

/// The rules in which a published system differs from the others.
///
/// One implementation serves all systems. All have in common: one date for each author in a
/// defaults store, a fetch strictly after the own date, and a pass that stores the date of the last
/// transaction that it fetched. An empty fetch changes no date. A purge deletes strictly before a
/// date, whether or not every author has merged the transactions.
package struct PublishedProtocol: Sendable {
  /// The system's name in the lab.
  package private(set) var name: String
  /// A one-sentence description.
  package private(set) var sentence: String

  /// The authors whose transactions a fetch requests.
  var reading = Reading.others
  /// The time when its hooks are called, if it has any.
  var hooks = HookTime.never
  /// Whether it stores the date before it merges, because the merge waits for the view's queue.
  var recordsBeforeMerge = false
  /// Whether it can be configured to merge the imports of a CloudKit mirror.
  var mayReadMirror = false
  /// Whether it merges into several contexts.
  var hasContexts = false

  /// The rule for the date of a purge after a pass, if a strategy allows one.
  var bound: PurgeBound
  /// The rule for the date of a purge by command; `nil` if it has no manual cleaner.
  var manualBound: PurgeBound?
  /// The transactions that a purge deletes before that date.
  var deleting = Deleting.listed
  /// Whether a purge removes the dates of all authors.
  var forgetsDates = false
  /// The purge strategy after a pass, unless the plan names one.
  var strategy = CleanStrategy.none
  /// Whether the first pass of each round purges; otherwise the last one does.
  var firstPassCleans = true

  /// Whether each process keeps its dates in its own defaults store.
  var keepsDatesApart = false
  /// An author that every process lists, without a manager of its own.
  var idleAuthor: String?

  /// The authors whose transactions a fetch requests.
  enum Reading {
    /// The other listed authors.
    case others
    /// The other listed authors, or all authors if no other is listed.
    case othersOrEverything
    /// The other listed authors, and the own author's context "batchContext".
    case othersAndOwnBatch
    /// All authors except the own one, listed or not.
    case allButOwn
  }

  /// The time when hooks are called.
  enum HookTime {
    case never
    /// Observers, then merge hooks, before the merge; one that throws ends the pass.
    case beforeMerge
    /// A deduplicator, after the date is stored.
    case afterRecord
  }

  /// The transactions that a cleaner deletes.
  enum Deleting {
    /// The transactions of the listed authors, its own included.
    case listed
    /// The same, and after a pass also a mirror's imports if the process merges them.
    case listedAndMirror
    /// All transactions.
    case everything
  }

  /// Returns the same system under another name, with some rules changed.
  func named(
    _ name: String,
    _ sentence: String,
    _ change: (inout PublishedProtocol) -> Void
  ) -> PublishedProtocol {
    var other = self
    (other.name, other.sentence) = (name, sentence)
    change(&other)
    return other
  }

  /// The commands and features that the system supports.
  package var capabilities: Set<Capability> {
    var all: Set<Capability> = [
      .steps, .begin, .clock, .crash, .history, .batch, .nullAuthor, .config, .signals, .consume,
      .policies,
    ]
    if manualBound != nil { all.insert(.purge) }
    if hooks == .beforeMerge { all.insert(.hooks) }
    if hasContexts { all.insert(.contexts) }
    return all
  }
}

/// The rule by which a published cleaner chooses the date before which it deletes.
enum PurgeBound {
  /// The least date, if every author has one.
  case everyone
  /// The least date if every author has one; else, if the least is older, seven days ago.
  case everyoneOrAge
  /// The least of the stored dates.
  case known
  /// The least of the stored dates, or seven days ago if there are none.
  case knownOrAge
  /// Seven days ago.
  case age

  /// Seven days, in seconds.
  static let maximumAge = 604_800.0

  /// Returns the date to delete before, or `nil` if no transaction may be deleted.
  func date(_ dates: [String: Date], of authors: Set<String>, now: Date) -> Date? {
    let kept = authors.compactMap { dates[$0] }
    let limit = now.addingTimeInterval(-Self.maximumAge)
    let isWhole = kept.count == authors.count
    return switch self {
    case .everyone: isWhole ? kept.min() : nil
    case .everyoneOrAge: kept.min().flatMap { isWhole ? $0 : $0 < limit ? limit : nil }
    case .known: kept.min()
    case .knownOrAge: kept.min() ?? limit
    case .age: limit
    }
  }
}

/// When a published system purges after a pass that found transactions.
enum CleanStrategy: Hashable {
  case none
  /// Once in `times` passes.
  case byNotification(times: Int)
  /// If more than `seconds` have passed since this process was last allowed to purge.
  case byDuration(seconds: Double)

  /// Parses a plan's strategy; `nil` if no published system has such a strategy.
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
