import Commands
import HistoryInspection
import HistoryStore

/// The effect of a purge on a history and its consumers, computed without deleting anything.
struct PurgeForecast: Sendable, Hashable {
  /// The transactions and changes that a purge deletes before a consumer has merged them.
  struct Loss: Sendable, Hashable {
    let consumer: String
    /// The number of deleted transactions that the consumer has not merged; at least 1 in `losses`.
    var transactions = 0
    /// The number of changes in the deleted transactions that the consumer has not merged.
    var changes = 0
  }

  let plan: PurgePlan
  /// The number of transactions that the purge deletes.
  private(set) var transactions = 0
  /// The number of changes in the transactions that the purge deletes.
  private(set) var changes = 0
  /// The approximate bytes that become free; 0 if SQLite is built without `dbstat`.
  private(set) var bytes = 0.0
  /// The newest transaction that the purge deletes, with its timestamp.
  private(set) var last: PurgeEstimate.Position?
  /// The number of transactions that match ``plan`` but are kept because their author is protected.
  private(set) var protected = 0
  /// The number of transactions that match ``plan`` but are kept for other reasons.
  ///
  /// Such a transaction is kept because an active member has not merged it, or because it is the
  /// newest transaction of a store of this library.
  private(set) var heldBack = 0
  /// The consumers that would miss history if the purge ran now.
  private(set) var losses: [Loss] = []
  /// The past times at which a consumer would have missed changes if the purge had always run.
  ///
  /// Empty for a store with active members, because its purges wait for these members.
  var past: [PastCut] = []
  /// The measurements of the purge on a private copy; `nil` if the purge was not measured.
  var trial: PurgeTrial?

  /// Counts what a purge deletes, and what the consumers with known positions lose.
  ///
  /// - Complexity: linear in the transactions, and in the consumers for each deleted transaction.
  init(_ rule: PurgeRule, _ history: PastHistory, _ consumers: [Consumer]) {
    plan = rule.plan
    let outline = history.outline
    let known = consumers.filter { $0.isKnown && $0.isActive }
    var missed = known.map { Loss(consumer: $0.name) }
    for index in 0..<outline.count {
      switch rule.decision(at: index) {
      case .isNewer: continue
      case .isProtected: protected += 1
      case .isHeldBack: heldBack += 1
      case .deletes:
        let (number, timestamp) = (outline.numbers[index], outline.timestamps[index])
        let count = Int(outline.changeCounts[index])
        transactions += 1
        changes += count
        bytes += Double(outline.bytes[index])
        last = PurgeEstimate.Position(
          number: number,
          timestamp: timestamp.isFinite ? timestamp : nil
        )
        for (place, consumer) in known.enumerated() where !consumer.hasMerged(number, timestamp) {
          missed[place].transactions += 1
          missed[place].changes += count
        }
      }
    }
    losses = missed.filter { $0.transactions > 0 }
  }

  /// Whether a consumer with a known position would miss history if the purge ran now.
  var loses: Bool { !losses.isEmpty }

  /// Returns the approximate number of pages that become free for later writes.
  func freePages(_ storage: CensusStorage) -> Int64? {
    guard storage.historyBytes != nil, storage.pageBytes > 0 else { return nil }
    return Int64(bytes / Double(storage.pageBytes))
  }
}

extension PurgeForecast {
  /// Returns the forecast of each purge, with the losses that it would have caused in the past.
  ///
  /// ``PurgePlan/merged`` is left out if no consumer has a known position. If the store has active
  /// members, ``past`` is empty.
  static func all(
    _ plans: [PurgePlan],
    _ history: PastHistory,
    _ consumers: [Consumer],
    writesOnly: Set<String>
  ) -> [PurgeForecast] {
    var forecasts = plans.compactMap { plan in
      PurgeRule(plan, history, consumers).map { PurgeForecast($0, history, consumers) }
    }
    let replay = PastReplay(forecasts.map(\.plan), history, writesOnly: writesOnly)
    for cut in replay.cuts {
      forecasts[cut.plan].past.append(cut.cut)
    }
    return forecasts
  }
}

extension VacuumMode {
  /// A sentence that states how the file becomes smaller after a purge.
  var sentence: String {
    switch self {
    case .manual:
      "The file keeps its size until VACUUM (auto_vacuum is none): later writes reuse the free pages."
    case .full: "The file shrinks automatically with each commit (auto_vacuum is full)."
    case .incremental:
      "The file keeps its size until PRAGMA incremental_vacuum (auto_vacuum is incremental): later "
        + "writes reuse the free pages."
    }
  }

  /// The SQL statement that makes the file smaller; `nil` if none is needed.
  var call: String? {
    switch self {
    case .manual: "VACUUM"
    case .full: nil
    case .incremental: "PRAGMA incremental_vacuum"
    }
  }
}

/// A purge whose effect is forecast.
enum PurgePlan: Sendable, Hashable {
  /// Deletes the transactions that are more than `days` days older than the newest one.
  case olderThan(days: Double)
  /// Deletes the transactions that every consumer with a known position has merged.
  case merged
  /// Deletes all transactions except the given number of newest ones.
  case newest(Int)

  /// The ages in days that are always forecast.
  static let ages: [Double] = [1, 3, 7, 14, 30, 90]

  /// Returns the purges to forecast: by age (``ages`` and `wanted`), by merged position, by count.
  static func all(wanted: Double?, keeping count: Int) -> [PurgePlan] {
    let days = wanted.map { ages.contains($0) ? ages : (ages + [$0]).sorted() } ?? ages
    return days.map { .olderThan(days: $0) } + [.merged, .newest(count)]
  }

  /// The deleted transactions in a few words, such as `older than 7 days`.
  var name: String {
    switch self {
    case .olderThan(let days): "older than \(days.short) \(days == 1 ? "day" : "days")"
    case .merged: "merged by all known consumers"
    case .newest(let count): "all but the newest \(count.grouped)"
    }
  }
}

/// The rule that decides which transactions a purge deletes.
///
/// In a store of this library a purge stops at the lowest cursor of the active members and keeps the
/// newest transaction. In every file it keeps the transactions of protected authors, including
/// those of a CloudKit mirror.
struct PurgeRule: Sendable {
  /// The purge's decision about one transaction.
  enum Decision: Sendable, Hashable {
    case deletes
    /// The transaction is kept because it is too new to match the ``PurgePlan``.
    case isNewer
    /// The transaction is kept because of its author.
    case isProtected
    /// The transaction is kept because an active member has not merged it, or because it is the newest.
    case isHeldBack
  }

  let plan: PurgePlan
  private let history: PastHistory
  private let consumers: [Consumer]
  private let boundTime: Double
  private let boundIndex: Int
  private let watermark: Int64
  private let head: Int64

  /// Creates the rule of a purge; `nil` for ``PurgePlan/merged`` without known consumer positions.
  init?(_ plan: PurgePlan, _ history: PastHistory, _ consumers: [Consumer]) {
    self.plan = plan
    self.history = history
    let known = consumers.filter { $0.isKnown && $0.isActive }
    self.consumers = plan == .merged ? known : []
    if plan == .merged && known.isEmpty { return nil }
    (boundTime, boundIndex) =
      switch plan {
      case .olderThan(let days): ((history.newestTime ?? -.infinity) - days * 86400, .max)
      case .merged: (.infinity, .max)
      case .newest(let count): (.infinity, max(0, history.outline.count - count))
      }
    let isOurs = history.outline.isOurs
    watermark = isOurs ? history.outline.watermark ?? .max : .max
    head = isOurs ? history.head : .max
  }

  /// Returns whether the purge deletes the transaction at an index, or why it keeps it.
  @inline(__always)
  func decision(at index: Int) -> Decision {
    let outline = history.outline
    let (number, timestamp) = (outline.numbers[index], outline.timestamps[index])
    guard index < boundIndex else { return .isNewer }
    if boundTime != .infinity && !(timestamp < boundTime) { return .isNewer }
    for consumer in consumers where !consumer.hasMerged(number, timestamp) { return .isNewer }
    if history.isProtected[Int(outline.authorIndexes[index])] { return .isProtected }
    return number > watermark || number >= head ? .isHeldBack : .deletes
  }
}
