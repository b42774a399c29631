import Basics
import Commands
import HistoryInspection
import HistoryStore
import HistoryTypes

/// The analysis of a history for `advise`: its cost, its consumers, and forecasts of purges.
///
/// The analysis also lists the conditions of the lab's tests, such as equal timestamps, that occur
/// in the history.
struct Advice: Sendable {
  /// The settings of the analysis, from the command line.
  struct Settings: Sendable, Hashable {
    /// The age in days above which a planned regular purge deletes transactions.
    ///
    /// `nil` if the history is analysed without a planned purge.
    var olderThanDays: Double?
    /// The number of newest transactions to keep in the forecast of ``PurgePlan/newest(_:)``.
    var keptCount = 1000
    /// The authors that write and never read.
    var writesOnly: Set<String> = []
  }

  let history: PastHistory
  let settings: Settings
  let cost: HistoryCost
  let conditions: [HistoryCondition]
  let consumers: [ConsumerStatus]
  /// The authors that may read history as well as write it, but that belong to no consumer.
  ///
  /// The authors in `writesOnly` are left out. The list is empty for a store of this library.
  let undeclaredAuthors: [String]
  var forecasts: [PurgeForecast]
  /// The design by which the app tracks history; `nil` if none was given.
  var design: DesignAdvice?

  /// Analyses a history.
  ///
  /// - Complexity: linear in the transactions for each pair of a purge and a consumer, and for each
  ///   pair of a purge and an author in a ``PastReplay``.
  init(_ outline: HistoryOutline, given: [Consumer], _ settings: Settings = Settings()) {
    let history = PastHistory(outline)
    let consumers = Consumer.all(of: outline, and: given)
    self.history = history
    self.settings = settings
    cost = HistoryCost(history)
    conditions = HistoryCondition.all(in: history)
    self.consumers = ConsumerStatus.all(consumers, in: history)
    let declared = Set(consumers.map(\.author)).union(settings.writesOnly)
    undeclaredAuthors =
      outline.isOurs
      ? []
      : outline.authors.compactMap(\.readerName).filter { !declared.contains($0) }.sorted()
    forecasts = PurgeForecast.all(
      PurgePlan.all(wanted: settings.olderThanDays, keeping: settings.keptCount),
      history,
      consumers,
      writesOnly: settings.writesOnly
    )
  }

  var outline: HistoryOutline { history.outline }

  /// The active consumers whose position is not known.
  var unknownConsumers: [String] {
    consumers.map(\.consumer).filter { $0.isActive && !$0.isKnown }.map(\.name)
  }

  /// The consumers and authors that may lose history in any purge, because their position is unknown.
  var unknownReaders: [String] { unknownConsumers + undeclaredAuthors }

  /// The active consumers whose position is known.
  var knownConsumers: [ConsumerStatus] {
    consumers.filter { $0.consumer.isActive && $0.consumer.isKnown }
  }

  /// The forecast of the purge that the user asked about; `nil` if the user named no purge.
  var wanted: PurgeForecast? {
    settings.olderThanDays.flatMap { days in
      forecasts.first { $0.plan == .olderThan(days: days) }
    }
  }

  /// The forecast of the largest purge in which no consumer with a known position loses changes.
  ///
  /// A purge counts only if it deletes transactions, and if no such consumer loses changes now or
  /// in the replay over the past (``PastReplay``).
  ///
  /// `nil` if no active consumer's position is known, or if no purge counts.
  var safest: PurgeForecast? {
    guard !knownConsumers.isEmpty else { return nil }
    let names = Set(knownConsumers.map(\.consumer.author))
    return forecasts.filter { forecast in
      forecast.transactions > 0 && !forecast.loses
        && !forecast.past.contains { names.contains($0.consumer) }
    }.max { $0.transactions < $1.transactions }
  }

  /// The facts that would decide whether a purge loses data, but are unknown; most important first.
  var notKnown: [String] {
    let who = outline.isOurs ? "registered" : "given with --cursors"
    var sentences = unknownConsumers.map { name in
      name == Consumer.mirrorName
        ? "how far the \(name) has exported. Core Data does not publish this: wait until the export has "
          + "finished, and list the mirror with a date in --cursors as "
          + "\"NSCloudKitMirroringDelegate.export\". An earlier purge makes the mirror's token expire "
          + "(error 134301)."
        : "the position of \(name.visible.quoted). Give the date or the token of its last merge."
    }
    if consumers.isEmpty {
      sentences.append(
        "which consumers read this history. None is \(who), so any purge may delete transactions "
          + "that a consumer has not merged."
      )
    }
    sentences += undeclaredAuthors.prefix(Self.shownMax).map { name in
      "whether the author \(AdviceFacts.name(name).quoted) also reads. Give its position in "
        + "--cursors, or list it with --writes-only."
    }
    let rest = undeclaredAuthors.count - Self.shownMax
    if rest > 0 { sentences.append("whether \(rest.counted("more author")) also read.") }
    if !outline.isOurs && unknownConsumers.isEmpty
      && !consumers.contains(where: \.consumer.isMirror)
    {
      sentences.append(
        "whether a CloudKit mirror exports from this store. This history shows no sign of one."
      )
    }
    if !outline.isOurs && !consumers.isEmpty {
      sentences.append("whether there are other consumers. Core Data keeps no list of them.")
    }
    if outline.isOurs && !consumers.isEmpty {
      sentences.append("whether a consumer keeps a token outside of the registry.")
    }
    if cost.growth == nil {
      sentences.append(
        cost.bytes == nil
          ? "the bytes of the history: this SQLite is built without dbstat."
          : "how fast the history grows: it spans less than \(HistoryCost.daysMin + 1) days."
      )
    }
    return sentences
  }

  /// The maximum number of authors, entities and days that a text names.
  static let shownMax = 10
}
