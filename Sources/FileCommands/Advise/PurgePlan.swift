import Commands
import HistoryStore

/// A purge whose effect is forecast.
enum PurgePlan: Sendable, Hashable {
  /// Deletes what was written more than this many days before the newest transaction.
  case olderThan(days: Double)
  /// Deletes what every consumer with a known position has merged.
  case merged
  /// Deletes all but this many of the newest transactions.
  case newest(Int)

  /// The ages in days that are always forecast.
  static let ages: [Double] = [1, 3, 7, 14, 30, 90]

  /// Returns the purges to forecast: fixed ages, a wanted one, what is merged, and all but some.
  static func all(wanted: Double?, keeping count: Int) -> [PurgePlan] {
    let days = wanted.map { ages.contains($0) ? ages : (ages + [$0]).sorted() } ?? ages
    return days.map { .olderThan(days: $0) } + [.merged, .newest(count)]
  }

  /// The purge in words.
  var name: String {
    switch self {
    case .olderThan(let days): "older than \(days.short) \(days == 1 ? "day" : "days")"
    case .merged: "merged by all known consumers"
    case .newest(let count): "all but the newest \(count.grouped)"
    }
  }
}

/// The decision which transactions a purge deletes.
///
/// In a store of this library a purge stops at the lowest cursor of the active members and keeps the
/// newest transaction. In every file it keeps the transactions of protected authors, those of a
/// CloudKit mirror among them.
struct PurgeRule: Sendable {
  /// The decision about one transaction.
  enum Decision: Sendable, Hashable {
    case deletes
    /// The transaction is newer than the bound.
    case isNewer
    /// The transaction is kept because of its author.
    case isProtected
    /// The transaction is kept because an active member has not merged it, or it is the newest.
    case isHeldBack
  }

  let plan: PurgePlan
  private let history: PastHistory
  private let consumers: [Consumer]
  private let boundTime: Double
  private let boundIndex: Int
  private let watermark: Int64
  private let head: Int64

  /// Creates the rule; `nil` for what is merged when no position is known.
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

  /// Returns the decision about the transaction at an index.
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
