import Foundation
internal import HistoryTypes
import Measuring

extension BenchmarkReport {
  /// Assembles the page: verdicts, a chart of all ratios, benchmarks and the method.
  package func page() -> ReportPage {
    var sections: [PageSection] = []
    if let goals = goalSection() { sections.append(goals) }
    if let glance = ratioSection() { sections.append(glance) }
    let charted = charted
    sections += charted.compactMap(benchmarkSection)
    if let further = furtherSection(without: charted) { sections.append(further) }
    if let others = fewSizesSection() { sections.append(others) }
    if let latency = latencySection() { sections.append(latency) }
    if let memory = allocationSection(of: charted) { sections.append(memory) }
    if let exact = exactSection() { sections.append(exact) }
    if let missing = missingSection() { sections.append(missing) }
    sections.append(methodSection())
    return ReportPage(
      title: "What history costs",
      lead: lead,
      tiles: verdicts + buildTile() + noiseTile() + complexityTile()
        + (goalTile().map { $0 + ratioTile() } ?? costTiles()),
      sections: sections,
      environment: RunConditions.facts(of: results)
    )
  }

  private var lead: String {
    let sizes = results.historySizes
    let count = index.titles.count
    let names = count == 1 ? "One operation" : "\(count) operations"
    guard let least = sizes.first, let most = sizes.last, least < most else {
      return "\(names) on persistent history, measured \(results.environment.time.readable)."
    }
    return "\(names) on persistent history of \(NumberText.count(least)) to "
      + "\(most.counted("transaction")), measured \(results.environment.time.readable)."
  }

  private func buildTile() -> [VerdictTile] {
    if results.environment.optimized { return [] }
    return [
      VerdictTile(
        subject: "Build",
        state: .unknown,
        word: "not optimized",
        answer: "debug build",
        detail:
          "The numbers of a debug build are not meaningful. Build with -c release and measure again."
      )
    ]
  }

  /// Returns one tile per benchmark with a curve, for runs without goals.
  ///
  /// A tile shows the first contender's cost at the largest size, relative to the floor (the
  /// contender that counts as 1), and its growth.
  private func costTiles() -> [VerdictTile] {
    index.titles.filter(hasSeries).compactMap { title in
      let rows = rows(title: title, metric: .wall).filter { $0.ratio != nil }
      guard let row = rows.last(where: { $0.contender == rows.first?.contender }),
        let ratio = row.ratio
      else { return nil }
      return VerdictTile(
        subject: Self.heading(title),
        state: .measured,
        answer: NumberText.ratio(ratio.interval.estimate),
        detail: "\(Self.median(row)) compared with \(ratio.to) at "
          + "\(NumberText.count(row.historySize)) transactions. " + growth(of: row),
        anchor: PageSection.anchor(from: title)
      )
    }
  }

  private func growth(of row: BenchmarkRow) -> String {
    let verdict = complexity(title: row.title, contender: row.contender)
    guard let verdict, let growth = verdict.growth, let least = results.historySizes.first else {
      return ""
    }
    let name = verdict.complexity == .inconclusive ? "" : ": \(verdict.complexity.rawValue)"
    return "\(NumberText.ratio(growth.estimate)) of its cost at \(NumberText.count(least))\(name)."
  }

  /// Returns the wall-time rows at the largest history size that have a ratio to the same floor.
  ///
  /// A contender is a compared implementation. A floor is a contender to which others are compared,
  /// so that its cost counts as 1. If there are several floors, the one of the first row is used. The
  /// result is `nil` if no row has a ratio.
  private func glance() -> (size: Int, floor: String, rows: [BenchmarkRow])? {
    let all = index.titles.filter(hasSeries).flatMap(index.rows)
    guard let most = all.filter({ $0.sizeUnit == nil }).map(\.historySize).max() else { return nil }
    let rows = all.filter { $0.metric == .wall && $0.ratio != nil && $0.historySize == most }
    guard let floor = rows.first?.ratio?.to else { return nil }
    return (most, floor, rows.filter { $0.ratio?.to == floor })
  }

  /// Returns a tile with one contender's median, lowest and highest cost relative to the floor.
  ///
  /// The tile is about the contender of the first row of ``glance()``, in all operations of its rows.
  /// The result is empty if the contender has fewer than three rows.
  private func ratioTile() -> [VerdictTile] {
    guard let glance = glance() else { return [] }
    let ours = glance.rows.filter { $0.contender == glance.rows.first?.contender }
      .sorted { ($0.ratio?.interval.estimate ?? 0) < ($1.ratio?.interval.estimate ?? 0) }
    let ratios = ours.compactMap(\.ratio?.interval.estimate)
    guard ours.count >= 3, let least = ours.first, let most = ours.last else { return [] }
    return [
      VerdictTile(
        subject: "Cost relative to \(glance.floor)",
        state: .measured,
        answer: NumberText.ratio(SortedSamples(ratios).median),
        detail: "The median of \(ours.count) operations at \(NumberText.count(glance.size)) "
          + "transactions: from \(Self.ratio(least)), \(shortened(least.title)), to "
          + "\(Self.ratio(most)), \(shortened(most.title)).",
        anchor: Self.glanceAnchor
      )
    ]
  }

  private static var glanceAnchor: String { "at-a-glance" }

  private func ratioSection() -> PageSection? {
    guard let (most, floor, comparable) = glance() else { return nil }
    let chart = ratioChart("ratios", floor, comparable.filter(isDrawn(comparable)))
    return PageSection(
      "At a glance",
      anchor: Self.glanceAnchor,
      [
        .paragraph(
          "The cost of each operation relative to \(floor), which was measured in the same rounds on "
            + "the same data, at \(NumberText.count(most)) transactions. The line through a dot "
            + "is its 95 % interval. Contenders that were measured in few operations are only in the table."
        ),
        .figure(Figure(chart: chart.chart, table: ratioTable(comparable))),
      ]
    )
  }

  /// Returns a filter for contenders that were measured in at least a quarter of the operations.
  ///
  /// A contender is a compared implementation. Other contenders are left out, because each contender
  /// takes space in every operation's row.
  private func isDrawn(_ rows: [BenchmarkRow]) -> (BenchmarkRow) -> Bool {
    let count = Set(rows.map(\.title)).count
    let shares = Dictionary(grouping: rows, by: \.contender).mapValues(\.count)
    return { 4 * (shares[$0.contender] ?? 0) >= count }
  }

  /// Returns a chart with a dot and an interval for each row that has a ratio.
  ///
  /// All ratios must be relative to `floor`.
  func ratioChart(_ id: String, _ floor: String, _ rows: [BenchmarkRow]) -> RatioChart {
    let entries = rows.compactMap { row in
      row.ratio.map {
        RatioChart.Entry(
          title: shortened(row.title),
          contender: row.contender,
          ratio: $0.interval
        )
      }
    }
    return RatioChart(id: id, floor: floor, entries: entries, palette: palette)
  }

  /// Returns a title without the trailing conditions that all benchmarks share.
  ///
  /// Benchmarks measured outside the base condition, for example with a cold cache, may lack
  /// these conditions.
  func shortened(_ title: String) -> String {
    var parts = title.split(separator: ", ")
    for part in index.sharedEnding {
      guard parts.count > 1, let last = parts.last, last == part else { break }
      parts.removeLast()
    }
    return parts.joined(separator: ", ")
  }

  /// A sentence with the conditions that all benchmarks share; empty if they share none.
  ///
  /// A space precedes the sentence, so that it can be appended to a text. Headings leave these
  /// conditions out.
  var sharedConditions: String {
    guard index.titles.count > 1, let title = index.titles.first else { return "" }
    let shared = title.dropFirst(shortened(title).count).drop { $0 == "," || $0 == " " }
    return shared.isEmpty ? "" : " All benchmarks share these conditions: \(shared)."
  }

  /// Returns a tile that counts operations by complexity; empty if every verdict is inconclusive.
  func complexityTile() -> [VerdictTile] {
    let found = index.baseTitles.filter(hasSeries).compactMap { title in
      rows(title: title, metric: .wall).first { $0.ratio != nil }.flatMap {
        complexity(title: title, contender: $0.contender)?.complexity
      }
    }
    let counts = Dictionary(grouping: found) { $0 }.mapValues(\.count)
    guard
      let (law, count) = counts.max(by: {
        ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue)
      }),
      found.contains(where: { $0 != .inconclusive })
    else { return [] }
    let others = counts.filter { $0.key != law }.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\($0.value) \($0.key.rawValue)" }
    return [
      VerdictTile(
        subject: "Cost against the size of history",
        state: counts[.worse] == nil ? .good : .bad,
        word: counts[.worse] == nil ? "no worse than linear" : "worse than linear",
        answer: "\(count) of \(found.count) \(law.rawValue)",
        detail: (others.isEmpty ? "" : others.joined(separator: ", ") + ". ")
          + "Growth of wall time; inconclusive unless 95 % of the resamples agree."
      )
    ]
  }

  private func ratioTable(_ rows: [BenchmarkRow]) -> ReportTable {
    var table = ReportTable(
      caption: "Cost relative to the contender that counts as 1",
      columns: [
        .text("benchmark"), .text("contender"), .number("wall"), .number("95 % interval"),
        .number("processor"),
      ]
    )
    for row in rows {
      let cpu = self.rows(title: row.title, metric: .cpu).first {
        $0.contender == row.contender && $0.historySize == row.historySize
      }
      let name = [shortened(row.title), row.contender]
      let cells = [
        Self.ratio(row), Self.ratioRange(row),
        cpu.flatMap { $0.ratio == nil ? nil : Self.ratio($0) } ?? "not measured",
      ]
      table.append(ReportTable.Row(name + cells, anchor: Self.anchor("glance", name)))
    }
    return table
  }
}
