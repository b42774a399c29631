import Commands
import HistoryInspection
import HistoryStore
import HistoryTypes
import Measuring
import Reporting

/// The phrases that advice contains both in its text form and as an HTML page.
enum AdviceFacts {
  /// Returns the facts about the size and growth of a history, with their names.
  static func cost(_ advice: Advice) -> [ReportPage.Fact] {
    let (history, cost) = (advice.history, advice.cost)
    var facts = [
      ReportPage.Fact(
        "history",
        "\(history.outline.count.counted("transaction")), \(history.changeCount.counted("change")), "
          + span(history)
      ),
      ReportPage.Fact("bytes", bytes(cost)),
      ReportPage.Fact("growth", growth(cost)),
    ]
    if cost.growth != nil { facts.append(ReportPage.Fact("doubles", doubling(cost))) }
    return facts
  }

  private static func doubling(_ cost: HistoryCost) -> String {
    guard let days = cost.doublingDays else { return "not known: it may not grow at all" }
    return "in \(InspectUnits.fixed(days.estimate)) days (95 % interval "
      + "\(InspectUnits.fixed(days.lower)) to \(InspectUnits.fixed(days.upper)))"
  }

  private static func span(_ history: PastHistory) -> String {
    guard let seconds = history.keptSeconds, let newest = history.newestTime else {
      return "none of which can be purged"
    }
    return "\(InspectUnits.duration(seconds)) until \(InspectUnits.date(newest))"
  }

  private static func bytes(_ cost: HistoryCost) -> String {
    guard let bytes = cost.bytes else { return "not measured: this SQLite is built without dbstat" }
    return
      "\(InspectUnits.size(bytes)), \(InspectUnits.percent(bytes, of: cost.databaseBytes)) of the file"
  }

  private static func growth(_ cost: HistoryCost) -> String {
    guard let growth = cost.growth else { return "not known" }
    return "\(size(growth.estimate)) a day (95 % interval \(size(growth.lower)) to "
      + "\(size(growth.upper)), over \((cost.days.count - 1).counted("whole day")))"
  }

  private static func size(_ bytes: Double) -> String { InspectUnits.size(Int64(bytes)) }

  /// Returns the number of bytes that a purge frees, as text.
  static func bytes(_ forecast: PurgeForecast, _ storage: CensusStorage) -> String {
    storage.historyBytes == nil ? "not measured" : size(forecast.bytes)
  }

  /// Returns a name without control characters, cut to 60 characters.
  static func name(_ name: CensusName) -> String { self.name(name.text) }

  /// Returns a name without control characters, cut to 60 characters.
  static func name(_ name: String) -> String {
    let text = name.visible
    return text.count > 60 ? text.prefix(57) + "..." : text
  }

  /// Returns a consumer's name, state, position, lag and the time when it was last seen.
  static func row(_ status: ConsumerStatus) -> [String] {
    [
      status.consumer.name.visible, state(status), position(status.consumer.position), lag(status),
      status.consumer.seen.map(InspectUnits.date) ?? "-",
    ]
  }

  private static func state(_ status: ConsumerStatus) -> String {
    if case .registry(let state) = status.consumer.source, state != .active { return "\(state)" }
    if status.isCutOff { return "cut off" }
    guard status.consumer.isKnown else { return "unknown" }
    guard status.holdsBack, let count = status.lagTransactions else { return "known" }
    return "known, holds back \(count.counted("transaction"))"
  }

  /// Returns the names of the consumers that would lose transactions in a purge, and of the consumers
  /// and authors whose position is unknown.
  static func losers(_ forecast: PurgeForecast, _ advice: Advice) -> String {
    guard forecast.transactions > 0 else { return "-" }
    let lost = forecast.losses.map(\.consumer.visible).joined(separator: ", ")
    let readers = advice.unknownReaders
    guard !readers.isEmpty else {
      return forecast.loses ? lost : advice.notKnown.isEmpty ? "none" : "none that is known"
    }
    let rest = readers.count - losersMax
    let names = readers.prefix(losersMax).map { name($0) } + (rest > 0 ? ["\(rest) more"] : [])
    return (forecast.loses ? "\(lost); " : "") + "unknown: \(names.joined(separator: ", "))"
  }

  /// The maximum number of consumers and authors with an unknown position that a table cell names.
  private static let losersMax = 3

  private static func position(_ position: Consumer.Position) -> String {
    switch position {
    case .number(let number): "#\(number)"
    case .date(let date): InspectUnits.date(date)
    case .unknown: "unknown"
    }
  }

  private static func lag(_ status: ConsumerStatus) -> String {
    guard let transactions = status.lagTransactions else { return "-" }
    let time = status.lagSeconds.map { ", \(InspectUnits.duration($0))" } ?? ""
    let changes = (status.lagChanges ?? 0).counted("change")
    return "\(transactions.counted("transaction")), \(changes)\(time)"
  }

  /// Returns notes about the forecast purges: kept transactions, expired tokens, the file's size.
  static func purgeNotes(_ advice: Advice) -> [String] {
    let outline = advice.outline
    var notes: [String] = []
    let held = advice.forecasts.map(\.heldBack).max() ?? 0
    if held > 0 {
      notes.append(
        "Up to \(held.counted("transaction")) would be kept: each is the newest, or "
          + "an active member has not merged it."
      )
    }
    let protected = advice.forecasts.map(\.protected).max() ?? 0
    if protected > 0 {
      let names = outline.authors.filter(\.isProtected).map { name($0.name) }
      notes.append(
        "Up to \(protected.counted("transaction")) of protected authors (\(names.joined(separator: ", "))) "
          + "would be kept"
          + (outline.isOurs
            ? "."
            : ", but only with a fetch request on the author: deleteHistory(before:) alone deletes them.")
      )
    }
    if !outline.isOurs {
      notes.append(
        "Every token before the newest deleted transaction expires "
          + "(NSPersistentHistoryTokenExpiredError, 134301)."
      )
    }
    if !advice.forecasts.contains(where: { $0.plan == .merged }) {
      notes.append("No purge of merged history is forecast: no consumer has a known position.")
    }
    return notes + [outline.vacuum.sentence]
  }
}
