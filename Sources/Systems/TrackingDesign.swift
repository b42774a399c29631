import HistoryTracking
import HistoryTypes
import Traces

/// A tracking protocol as a value: one choice for each decision in which such protocols differ.
///
/// ``PublishedSystem`` runs every combination of choices. In every design, each author or process
/// has a stored position. A pass fetches, merges, and stores the position of the last transaction
/// that it fetched; a fetch without results changes no position. A purge deletes strictly before a
/// position or a date, whether or not every process has merged the deleted transactions.
package struct TrackingDesign: Hashable, Sendable {
  /// The design's name in the lab.
  package var name: String
  /// A sentence that describes the design in lists and reports.
  package var sentence: String

  // MARK: Reading

  /// The value that a process stores as its position.
  var position = PositionKind.date
  /// Whether a fetch starts at the stored position, or strictly after it.
  var comparison = FetchStart.after
  /// The authors whose transactions a fetch requests.
  var reads = Reading.others
  /// The point in a pass at which the position is stored: before or after the merge.
  var records = Recording.afterMerge
  /// The events after which a process makes a pass.
  var wakes = Waking.onSignal
  /// The response when the history after a stored position was purged.
  var ifExpired = Expiry.readsOn

  // MARK: Positions

  /// The place of positions: user defaults, of the app group or of each process, or the store file.
  var positionsIn = PositionPlace.group
  var positionOf = PositionOwner.author
  /// The first position of a process.
  var startsAt = FirstPosition.beginning

  // MARK: Purging

  /// The authors or processes whose positions limit how far a purge deletes.
  var waitsFor = Waiting.listedReaders
  /// The rule that decides how far a purge after a pass deletes; used if the strategy purges.
  var bound = PurgeBound.everyone
  /// The rule that decides how far a purge by command deletes; `nil` if there are no such purges.
  var boundByCommand: PurgeBound?
  /// The authors whose transactions a purge deletes; its bound decides how far it deletes.
  var deletes = Deleting.listed
  /// The effect of a purge on the positions in history that authors or processes have stored.
  var afterPurge = AfterPurge.keepsPositions

  // MARK: Requirements of the app

  /// The strategy for purges after a pass, unless the plan names another strategy.
  var strategy = CleanStrategy.none
  /// For a strategy that purges once in N passes: whether it uses the first or the last of them.
  ///
  /// Other strategies ignore this choice.
  var purgeTurn = PurgeTurn.firstPass
  /// The point in a pass at which hooks are called, if any.
  var hooks = HookTime.never
  /// Whether the design can be configured to merge the imports of a CloudKit mirror.
  var mirror = MirrorImports.ignored
  /// The number of contexts that a process merges into.
  var contexts = ContextCount.one
  /// An author that every process lists although no process uses it; `nil` if there is none.
  var idleAuthor: String?

  /// Whether the design purges, after a pass or by command.
  package var purges: Bool { strategy != .none || boundByCommand != nil }

  /// The age in days above which purges delete transactions; `nil` if no purge depends on the age.
  package var purgeAgeDays: Double? {
    let bounds = (strategy == .none ? [] : [bound]) + (boundByCommand.map { [$0] } ?? [])
    return bounds.contains(where: \.usesAge) ? PurgeBound.maximumAge / 86_400 : nil
  }

  /// Returns a copy of the design under another name, with the changes that a closure makes.
  package func named(
    _ name: String,
    _ sentence: String,
    _ change: (inout TrackingDesign) -> Void = { _ in }
  ) -> TrackingDesign {
    var other = self
    (other.name, other.sentence) = (name, sentence)
    change(&other)
    return other
  }

  /// The commands and features that the design supports.
  package var capabilities: Set<Capability> {
    var all: Set<Capability> = [
      .steps, .begin, .clock, .crash, .history, .batch, .nullAuthor, .config, .signals, .consume,
      .policies,
    ]
    if boundByCommand != nil { all.insert(.purge) }
    if hooks == .beforeMerge { all.insert(.hooks) }
    if contexts == .several { all.insert(.contexts) }
    if wakes == .onSignalLaunchAndTimer { all.insert(.poll) }
    return all
  }
}

/// The rule that decides after which passes a design purges.
///
/// A pass that fetched no transactions never purges, and the rule does not count it.
enum CleanStrategy: Hashable {
  case none
  /// Purges once in every `times` passes, in the first or the last of them (``PurgeTurn``).
  ///
  /// PersistentHistoryTrackingKit calls this strategy `byNotification(times:)`.
  case byNotification(times: Int)
  /// Purges if more than `seconds` have passed since the last purge that the strategy allowed.
  case byDuration(seconds: Double)

  /// Parses the purge strategy of a plan; `nil` if no design supports the strategy.
  init?(planned word: String) {
    switch PurgeStrategy(planned: word) {
    case .some(.none): self = .none
    case .byNotification(let times): self = .byNotification(times: times)
    case .byDuration(let duration): self = .byDuration(seconds: duration.inSeconds)
    case .whenMerged, .whenLargerThan, nil: return nil
    }
  }

  /// The purge strategy as a word in plan syntax, such as `byDuration/60`.
  var word: String {
    switch self {
    case .none: "none"
    case .byNotification(let times): "byNotification/\(times)"
    case .byDuration(let seconds):
      "byDuration/" + (seconds.rounded() == seconds ? "\(Int64(seconds))" : "\(seconds)")
    }
  }
}

extension TrackingDesign {
  /// Examples of the purge strategies that plans can name for tracking designs, in plan syntax.
  package static let strategyWords = ["none", "byNotification/2", "byDuration/60"]

  /// Returns whether tracking designs support a purge strategy, which is given in plan syntax.
  package static func knows(strategy word: String) -> Bool {
    CleanStrategy(planned: word) != nil
  }
}

/// A process's progress toward its next purge; lost when the process ends.
struct CleanCounter {
  /// The passes since a round of `times` passes began (``CleanStrategy/byNotification(times:)``).
  private var passCount = 0
  private var last: Date?

  /// Counts a pass that fetched transactions, and returns whether it may purge.
  ///
  /// An allowed purge counts as made, even if the purge then deletes nothing.
  mutating func allows(_ strategy: CleanStrategy, _ turn: PurgeTurn, now: Date) -> Bool {
    switch strategy {
    case .none: return false
    case .byNotification(let times):
      defer { passCount = (passCount + 1) % max(1, times) }
      return passCount == (turn == .firstPass ? 0 : max(1, times) - 1)
    case .byDuration(let seconds):
      if let last, now <= last.addingTimeInterval(seconds) { return false }
      last = now
      return true
    }
  }

  /// Adds the pass count, and the time of the last purge that `byDuration` allowed, to `state`.
  func describe(_ state: inout StateSketch) {
    state.add(passCount)
    if let last { state.add(time: last.timeIntervalSinceReferenceDate) } else { state.add(-1) }
  }
}
