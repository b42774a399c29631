import Commands
import HistoryInspection
import HistoryStore
import HistoryTypes
import Reporting

/// Advice as a page that needs no network, with charts of days, consumers and purges.
struct AdvicePage {
  /// The path of the store file, as the user gave it.
  let path: String
  let advice: Advice
  let verdict: AdviceVerdict
  /// The maximum number of past losses to list for each purge; the default is 20.
  ///
  /// A past loss is a time at which a consumer would have missed transactions if the purge had
  /// always run. The newest losses are listed.
  var cutsMax = 20

  func html() -> String {
    var drawings: [String: String] = [:]
    func figure(_ made: (figure: Figure, svg: String)) -> PageBlock {
      drawings[made.figure.chart.id] = made.svg
      return .figure(made.figure)
    }
    let sections = [
      notKnown,
      PageSection(
        "What history costs",
        [.definitions(AdviceFacts.cost(advice)), figure(days), .table(writers), .table(entities)]
          + [.table(attributes), .table(conditions)].filter(Self.hasRows)
      ),
      consumerSection(advice.knownConsumers.isEmpty ? nil : figure(lags)),
      PageSection(
        "What if",
        [figure(purges)] + AdviceFacts.purgeNotes(advice).map { .paragraph($0) }
          + [.table(losses), .table(past), .table(trials)].filter(Self.hasRows)
      ),
      advice.design.map { design in
        PageSection(
          "The design",
          design.sentences.map { .paragraph($0) } + [.table(design.table)].filter(Self.hasRows)
        )
      },
      PageSection(
        "Verdict",
        [.paragraph(verdict.sentence)] + verdict.reasons.map { .paragraph($0) }
          + verdict.suggestions.map { .paragraph($0) }
      ),
    ].compactMap(\.self)
    let page = ReportPage(
      title: "Advice for \(path.visible)",
      lead: verdict.sentence,
      tiles: tiles,
      sections: sections
    )
    return page.html(images: .drawn(drawings))
  }

  var outline: HistoryOutline { advice.outline }

  private static func hasRows(_ block: PageBlock) -> Bool {
    guard case .table(let table) = block else { return true }
    return !table.rows.isEmpty
  }

  private var tiles: [VerdictTile] {
    let state: VerdictState =
      switch verdict.state {
      case .bounded: .good
      case .loses: .bad
      case .unknown: .unknown
      }
    let cost = advice.cost
    return [
      VerdictTile(
        subject: "May it be purged?",
        state: state,
        answer: verdict.reasons.first ?? verdict.sentence,
        detail: verdict.suggestions.first ?? "",
        anchor: "verdict"
      ),
      VerdictTile(
        subject: "History",
        state: .measured,
        answer: cost.bytes.map(InspectUnits.size) ?? "not measured",
        detail: cost.share.map { "\(InspectUnits.fixed($0 * 100)) % of the file" } ?? "",
        anchor: "what-history-costs"
      ),
      VerdictTile(
        subject: "Not known",
        state: advice.notKnown.isEmpty ? .good : .unknown,
        word: advice.notKnown.isEmpty ? "nothing" : "a risk",
        answer: advice.notKnown.count.counted("fact"),
        detail: "that decide whether a purge loses data",
        anchor: "not-known"
      ),
    ]
  }

  private var notKnown: PageSection {
    let sentences = advice.notKnown
    return PageSection(
      "Not known",
      sentences.isEmpty
        ? [.paragraph("Everything that decides about a purge is known.")]
        : sentences.map { .paragraph($0.prefix(1).uppercased() + $0.dropFirst()) }
    )
  }

  // MARK: Costs

  private var days: (figure: Figure, svg: String) {
    var table = ReportTable(
      caption: "Days before the newest transaction",
      columns: [
        .number("days before"), .number("transactions"), .number("changes"), .number("bytes"),
      ]
    )
    for day in advice.cost.days {
      table.append(["\(day.age)", "\(day.transactions)", "\(day.changes)", "\(Int(day.bytes))"])
    }
    let isMeasured = advice.cost.bytes != nil
    let bars = advice.cost.days.reversed().map { day in
      BarDrawing.Bar(
        day.age == 0 ? "newest" : "\(day.age.counted("day")) before",
        isMeasured ? day.bytes : Double(day.changes),
        isMeasured
          ? InspectUnits.size(Int64(day.bytes)) : day.changes.counted("change")
      )
    }
    return Figure.bars(
      id: "days",
      summary: "History by day, the newest on the right",
      BarDrawing(bars, .columns),
      note:
        "\(isMeasured ? "Bytes" : "Changes") a day of 24 hours, counted back from the newest transaction.",
      table: table
    )
  }

  // MARK: Consumers and purges

  private func consumerSection(_ figure: PageBlock?) -> PageSection {
    var table = ReportTable(
      caption: "Consumers",
      columns: [
        .text("consumer"), .text("state"), .text("position"), .text("lag"),
        .text("last seen"),
      ]
    )
    for status in advice.consumers {
      let isUnknown = status.consumer.isActive && !status.consumer.isKnown
      table.append(
        ReportTable.Row(
          AdviceFacts.row(status),
          mark: status.isCutOff ? .bad : isUnknown ? .unknown : nil
        )
      )
    }
    return PageSection(
      "Consumers",
      (figure.map { [$0] } ?? [])
        + [advice.consumers.isEmpty ? .paragraph("No consumer is known.") : .table(table)]
    )
  }

  private var lags: (figure: Figure, svg: String) {
    var table = ReportTable(
      caption: "Not merged yet",
      columns: [.text("consumer"), .number("transactions"), .number("changes")]
    )
    let bars = advice.knownConsumers.map { status in
      let (transactions, changes) = (status.lagTransactions ?? 0, status.lagChanges ?? 0)
      table.append([status.consumer.name.visible, "\(transactions)", "\(changes)"])
      return BarDrawing.Bar(
        status.consumer.name.visible,
        Double(changes),
        changes.counted("change"),
        isBad: status.isCutOff
      )
    }
    return Figure.bars(
      id: "lags",
      summary: "Changes that each consumer has not merged",
      BarDrawing(bars, .rows),
      table: table
    )
  }

  private var purges: (figure: Figure, svg: String) {
    var table = ReportTable(
      caption: "What each purge deletes",
      columns: [
        .text("purge"), .number("transactions"), .number("changes"), .number("bytes"),
        .number("free pages"), .text("loses now"), .number("cut off in the past"),
      ]
    )
    let bars = advice.forecasts.map { forecast in
      let pages = forecast.freePages(outline.storage)
      table.append(
        ReportTable.Row(
          [
            forecast.plan.name, "\(forecast.transactions)", "\(forecast.changes)",
            AdviceFacts.bytes(forecast, outline.storage), pages.map { "\($0)" } ?? "not measured",
            AdviceFacts.losers(forecast, advice), "\(forecast.past.count)",
          ],
          mark: forecast.loses ? .bad : nil
        )
      )
      return BarDrawing.Bar(
        forecast.plan.name,
        Double(forecast.transactions),
        InspectUnits.percent(Int64(forecast.transactions), of: Int64(outline.count)),
        isBad: forecast.loses
      )
    }
    return Figure.bars(
      id: "purges",
      summary: "The share of transactions that each purge deletes",
      BarDrawing(bars, .rows),
      note:
        "Share of the transactions. Purges in the second colour delete history that a consumer lacks.",
      table: table
    )
  }
}
