import Basics
import Campaigns
import Commands
import HistoryTypes
import Reporting

/// The charts of a campaign's growth and of its workers' rates.
struct CampaignCharts {
  private let growth: CampaignGrowth
  private let unit: (name: String, seconds: Double)

  /// The maximum number of workers whose rates are drawn; the table has all workers.
  static let barCountMax = 24
  /// The maximum number of rows of a table next to a chart; the CSV file has all rows.
  static let rowCountMax = 6

  init(_ growth: CampaignGrowth) {
    self.growth = growth
    let seconds = growth.points.last?.seconds ?? 0
    unit =
      switch seconds {
      case ..<120: ("seconds", 1)
      case ..<7_200: ("minutes", 60)
      default: ("hours", 3_600)
      }
  }

  /// The sections of the page, and the drawings of their charts by identifier.
  var sections: (sections: [PageSection], drawings: [String: String]) {
    let curves = growth.points.isEmpty ? [] : [plans, states, failures]
    let rates = growth.workers.isEmpty ? [] : [rates(.plans), rates(.states)]
    var drawings: [String: String] = [:]
    for case .chart(let figure, let svg) in curves + rates { drawings[figure.chart.id] = svg }
    var sections: [PageSection] = []
    if !curves.isEmpty {
      sections.append(PageSection("Growth", [.paragraph(explanation)] + curves.map(\.block)))
    }
    if !rates.isEmpty { sections.append(PageSection("Workers", rates.map(\.block))) }
    return (sections, drawings)
  }

  /// A chart with its drawing, or a sentence that explains why there is no chart.
  private enum Part {
    case chart(Figure, svg: String)
    case sentence(String)

    init(_ chart: (figure: Figure, svg: String)) { self = .chart(chart.figure, svg: chart.svg) }

    var block: PageBlock {
      switch self {
      case .chart(let figure, _): .figure(figure)
      case .sentence(let sentence): .paragraph(sentence)
      }
    }
  }

  private var explanation: String {
    let untimed = growth.untimedCount
    return
      "Time is the time during which the campaign had a worker, added up over the workers' own "
      + "clocks; clocks of machines are not compared."
      + (untimed > 0
        ? " Results of older versions without a time, which are not in the charts: \(untimed.grouped)."
        : "")
  }

  // MARK: Growth

  private var plans: Part {
    guard growth.points.contains(where: { $0.plans > 0 }) else {
      return .sentence("Plans over time: not measured; only check counts them.")
    }
    return curve("Plans", "plans that checks have run") { (Double($0.plans), 0) }
  }

  private var failures: Part {
    guard growth.points.contains(where: { $0.failures > 0 }) else {
      return .sentence("Failures over time: none was found.")
    }
    return curve("Failures", "different failures") { (Double($0.failures), 0) }
  }

  private var states: Part {
    guard growth.states != nil else {
      return .sentence("States over time: not measured; only check and explore count them.")
    }
    return curve(
      "States",
      "different states",
      note: (growth.states?.newShare == nil
        ? "" : "Counted in one of \(PlanRecipe.readShare) random plans. ")
        + "The area is the error of the count at a confidence of 95 %; up to "
        + "\(StateSample.countMax.grouped) states are counted exactly."
    ) { point in
      point.states.map { ($0, point.statesError ?? 0) }
    }
  }

  private func curve(
    _ title: String,
    _ what: String,
    note: String = "",
    _ value: (CampaignGrowth.Point) -> (value: Double, error: Double)?
  ) -> Part {
    var (points, rows): ([LineDrawing.Point], [[Double]]) = ([], [])
    for point in [nil] + growth.points.map(Optional.some) {
      guard let point else {
        points.append(LineDrawing.Point(0, 0, "0 \(what) at the start"))
        rows.append([0, 0, 0])
        continue
      }
      guard let (value, error) = value(point) else { continue }
      let time = point.seconds / unit.seconds
      let text = Self.text(value, error)
      points.append(
        LineDrawing.Point(
          time,
          value,
          error: error,
          "\(text) \(what) after \(NumberText.significant(time)) \(unit.name)"
        )
      )
      rows.append([point.seconds, value, error])
    }
    let last = rows.last ?? [0, 0, 0]
    let hasErrors = rows.contains { $0[2] > 0 }
    return Part(
      Figure.line(
        id: "growth-" + title.lowercased(),
        summary: "\(Self.text(last[1], last[2]).capitalised) \(what) after "
          + "\(NumberText.significant(last[0] / unit.seconds)) \(unit.name).",
        LineDrawing(points, x: "\(unit.name) of the campaign", y: what),
        note: note,
        table: table(what, Self.selection(rows), hasErrors: hasErrors),
        values: values(what, rows)
      )
    )
  }

  private static func text(_ value: Double, _ error: Double) -> String {
    guard error > 0 else { return Int(value).grouped }
    return "about \(NumberText.significant(value)) ± \(CampaignText.percent(error / value)) %"
  }

  /// Returns at most ``rowCountMax`` evenly spread rows, including the first and the last row.
  private static func selection(_ rows: [[Double]]) -> [[Double]] {
    guard rows.count > rowCountMax else { return rows }
    return (0..<rowCountMax).map { rows[$0 * (rows.count - 1) / (rowCountMax - 1)] }
  }

  private func table(_ what: String, _ rows: [[Double]], hasErrors: Bool) -> ReportTable {
    var table = ReportTable(
      caption: what.capitalised,
      columns: [.number(unit.name), .number(what)] + (hasErrors ? [.number("error")] : [])
    )
    for row in rows {
      let error = row[2] > 0 ? "± \(CampaignText.percent(row[2] / row[1])) %" : "0"
      table.append(
        [NumberText.significant(row[0] / unit.seconds), Int(row[1].rounded()).grouped]
          + (hasErrors ? [error] : [])
      )
    }
    return table
  }

  private func values(_ what: String, _ rows: [[Double]]) -> ReportTable {
    var table = ReportTable(columns: [.number("seconds"), .number(what), .number("error")])
    for row in rows { table.append(row.map(NumberText.exact)) }
    return table
  }

  // MARK: Workers

  private enum Rate: String {
    case plans
    case states
  }

  private func rates(_ rate: Rate) -> Part {
    let what = rate == .plans ? "plans a second" : "counted states a second"
    let measured = growth.workers.compactMap { worker in
      (rate == .plans ? worker.planRate : worker.stateRate).map { (worker.name, $0) }
    }
    guard !measured.isEmpty else {
      return .sentence("\(what.capitalised): not measured, because no command counts them.")
    }
    let drawn = measured.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(Self.barCountMax)
    var table = ReportTable(
      caption: "\(what.capitalised) of each worker",
      columns: [.text("worker"), .number("results"), .number(what)]
    )
    for worker in growth.workers {
      let value = rate == .plans ? worker.planRate : worker.stateRate
      table.append([
        worker.name, worker.results.grouped, value.map(NumberText.significant) ?? "not measured",
      ])
    }
    return Part(
      Figure.bars(
        id: "rates-" + rate.rawValue,
        summary: "\(what.capitalised) of \(measured.count.counted("worker"))",
        BarDrawing(
          drawn.map { BarDrawing.Bar($0.0, $0.1, NumberText.significant($0.1)) },
          .rows
        ),
        note: "\(what.capitalised), by the time of the commands that count them"
          + (measured.count > drawn.count
            ? "; the \(drawn.count.grouped) slowest of \(measured.count.counted("worker"))." : "."),
        table: table
      )
    )
  }
}
