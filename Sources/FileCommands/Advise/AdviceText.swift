import Commands
import HistoryInspection
import HistoryStore
import HistoryTypes
import Reporting

/// Advice as text in aligned columns, or in lists where the columns exceed the width.
struct AdviceText {
  /// The path of the store file, as the user gave it.
  let path: String
  let advice: Advice
  let verdict: AdviceVerdict
  /// The maximum width of a line, in columns; `nil` for no limit.
  var width: Int?
  /// The maximum number of rows in each list of the text: of authors, entities, attributes and past days.
  var shownMax = 5

  /// Returns the text: what is not known, the costs, the consumers, the purges and the verdict.
  func text() -> String {
    let parts = [
      [path.visible], notKnown, cost, writers, entities, attributes, conditions, consumers, purges,
      losses, past, trials, design, result,
    ]
    return parts.filter { !$0.isEmpty }
      .map { $0.flatMap { Columns.fit($0, width: width) }.joined(separator: "\n") }
      .joined(separator: "\n\n")
  }

  private var outline: HistoryOutline { advice.outline }

  private var notKnown: [String] {
    let sentences = advice.notKnown
    guard !sentences.isEmpty else { return [] }
    return ["Not known:"] + sentences.map { "  - \($0)" }
  }

  // MARK: Costs

  private var cost: [String] {
    InspectTable(
      rows: [["What history costs"]] + AdviceFacts.cost(advice).map { ["  " + $0.name, $0.value] }
    )
    .lines(width: width)
  }

  private var writers: [String] {
    let all = advice.cost.writers.reduce(0) { $0 + $1.bytes }
    let rows = advice.cost.writers.prefix(shownMax).map { writer in
      [
        AdviceFacts.name(writer.author.name), "\(writer.transactions)", "\(writer.changes)",
        all > 0 ? InspectUnits.percent(Int64(writer.bytes), of: Int64(all)) : "not measured",
      ]
    }
    let head = ["authors", "transactions", "changes", "share of bytes"]
    return InspectTable(rows: [head] + rows, numbers: [1, 2, 3], hasTitles: true)
      .lines(width: width) + rest(advice.cost.writers.count)
  }

  private var entities: [String] {
    let all = Int64(outline.entities.reduce(0) { $0 + $1.changes.all })
    let rows = outline.entities.prefix(shownMax).map { entity in
      [
        AdviceFacts.name(entity.name), "\(entity.changes.all)",
        InspectUnits.percent(Int64(entity.changes.all), of: all),
      ]
    }
    guard !rows.isEmpty else { return [] }
    return InspectTable(
      rows: [["entities", "changes", "share"]] + rows,
      numbers: [1, 2],
      hasTitles: true
    ).lines(width: width) + rest(outline.entities.count)
  }

  private var attributes: [String] {
    let rows = outline.attributes.prefix(shownMax).map { attribute in
      [
        "\(AdviceFacts.name(attribute.entity)).\(attribute.attribute.visible)",
        "\(attribute.updates)",
      ]
    }
    guard !rows.isEmpty else { return [] }
    return InspectTable(
      rows: [["attributes", "updates that set them"]] + rows,
      numbers: [1],
      hasTitles: true
    ).lines(width: width) + rest(outline.attributes.count)
  }

  private func rest(_ count: Int) -> [String] {
    count > shownMax ? ["and \(count - shownMax) more"] : []
  }

  private var conditions: [String] {
    guard !advice.conditions.isEmpty else { return ["test conditions: steady"] }
    return ["test conditions that this history shows"]
      + advice.conditions.map { "  \($0.name): \($0.sentence)" }
  }

  // MARK: Consumers

  private var consumers: [String] {
    guard !advice.consumers.isEmpty else { return ["Consumers: none is known"] }
    let head = ["Consumers", "state", "position", "lag", "last seen"]
    let rows = advice.consumers.map { AdviceFacts.row($0) }
    return InspectTable(rows: [head] + rows, hasTitles: true).lines(width: width) + holders
  }

  private var holders: [String] {
    let members = advice.consumers.filter { $0.holdsBack && $0.consumer.isMember }
    let names = members.map(\.consumer.name.visible)
    guard !names.isEmpty else { return [] }
    return ["every purge stops at \(names.joined(separator: ", "))"]
  }

  // MARK: Purges

  private var purges: [String] {
    let head = [
      "What if: a purge of", "transactions", "changes", "bytes", "free pages", "loses now",
    ]
    let rows = advice.forecasts.map { forecast in
      [
        forecast.plan.name, "\(forecast.transactions)", "\(forecast.changes)",
        AdviceFacts.bytes(forecast, outline.storage),
        forecast.freePages(outline.storage).map { "\($0)" } ?? "not measured",
        AdviceFacts.losers(forecast, advice),
      ]
    }
    let table = InspectTable(rows: [head] + rows, numbers: [1, 2, 3, 4], hasTitles: true)
    return table.lines(width: width) + AdviceFacts.purgeNotes(advice)
  }

  private var losses: [String] {
    let lines = advice.forecasts.flatMap { forecast in
      forecast.losses.map { loss in
        "  \(forecast.plan.name): \(loss.consumer.visible) loses \(loss.transactions.counted("transaction"))"
          + " with \(loss.changes.counted("change"))"
      }
    }
    return lines.isEmpty ? [] : ["What consumers would lose now:"] + lines
  }

  /// The purge for which the text lists the past times at which consumers would have lost changes.
  ///
  /// This is the purge that the user asks about. By default, it is a purge of transactions older
  /// than a week.
  private var listedPlan: PurgePlan { advice.wanted?.plan ?? .olderThan(days: 7) }

  private var past: [String] {
    if outline.watermark != nil {
      return ["The past was not replayed: a purge of this store waits for its members."]
    }
    let lines = advice.forecasts.filter { !$0.past.isEmpty }.flatMap { forecast in
      [summary(forecast)]
        + (forecast.plan == listedPlan ? forecast.past.suffix(shownMax).map(day) : [])
    }
    let absent =
      outline.authors.contains { $0.name == .absent }
      ? ["  Transactions without an author do not show when a consumer ran."] : []
    guard !lines.isEmpty else {
      return [
        "Replayed over the past, no purge cut off a consumer: no author paused long enough."
      ] + absent
    }
    return [
      "Replayed over the past (as if consumers ran whenever their author wrote, and purges all the time):"
    ] + lines + absent
  }

  private func summary(_ forecast: PurgeForecast) -> String {
    let names = Set(forecast.past.map(\.consumer)).sorted().map { AdviceFacts.name($0) }
    let last = forecast.past.last.map { InspectUnits.date($0.time) } ?? ""
    return "  \(forecast.plan.name): \(names.prefix(shownMax).joined(separator: ", ")) cut off "
      + "\(forecast.past.count.counted("time")), last on \(last), after at most "
      + InspectUnits.duration(forecast.past.map(\.gapSeconds).max() ?? 0)
  }

  private func day(_ cut: PastCut) -> String {
    "    \(InspectUnits.date(cut.time)) \(AdviceFacts.name(cut.consumer)): off for "
      + "\(InspectUnits.duration(cut.gapSeconds)), would have missed "
      + "\(cut.transactions.counted("transaction")) with \(cut.changes.counted("change"))"
  }

  private var trials: [String] {
    let measured = advice.forecasts.compactMap { forecast in
      forecast.trial.map { (forecast.plan.name, $0) }
    }
    guard !measured.isEmpty else {
      return ["Times: not measured. Measure them on a private copy with --measure."]
    }
    let head = [
      "Measured on a private copy", "purge", "longest lock", "pages freed",
      outline.vacuum.call ?? "shrinks by itself", "file before", "file after",
    ]
    let rows = measured.map { name, trial in
      [
        name, InspectUnits.duration(trial.seconds), InspectUnits.duration(trial.lockSecondsMax),
        "\(trial.freedPages)", InspectUnits.duration(trial.shrinkSeconds),
        InspectUnits.size(trial.bytesBefore), InspectUnits.size(trial.bytesAfter),
      ]
    }
    return InspectTable(rows: [head] + rows, numbers: [1, 2, 3, 4, 5, 6], hasTitles: true)
      .lines(width: width)
  }

  // MARK: Verdict

  private var design: [String] {
    guard let design = advice.design else { return [] }
    return ["The design"] + design.sentences.map { "  \($0)" }
      + design.breaks.map { "  - \($0.condition), \($0.invariant): \($0.sentence)" }
  }

  private var result: [String] {
    ["Verdict: \(verdict.sentence)"] + verdict.reasons.map { "  - \($0)" }
      + verdict.suggestions.map { "  > \($0)" }
  }
}
