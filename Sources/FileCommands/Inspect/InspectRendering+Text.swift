import Basics
import Commands
import HistoryInspection
import HistoryStore
import HistoryTypes

extension InspectRendering {
  /// Returns the census as text in aligned columns, or in lists if the columns exceed the width.
  func text() -> String {
    let parts = [
      [title], overview, members, risks, purge, bytes, changesPerTransaction, gaps, authors,
      entities,
      tombstoneLines,
      tables, oddities,
    ]
    return parts.filter { !$0.isEmpty }
      .map { $0.flatMap { Columns.fit($0, width: width) }.joined(separator: "\n") }
      .joined(separator: "\n\n")
  }

  private var title: String {
    let kind =
      switch census.layout {
      case .packed: "a store of this library, packed layout"
      case .coreData where census.isOurs: "a store of this library, coreData layout"
      case .coreData: "a Core Data file"
      }
    return "\(path.visible): \(kind)"
  }

  private var overview: [String] {
    let types = census.types
    let storage = census.storage
    let all = Int64(census.changes)
    var changes = [
      "\(types.inserts.counted("insert")) (\(InspectUnits.percent(Int64(types.inserts), of: all)))",
      "\(types.updates.counted("update")) (\(InspectUnits.percent(Int64(types.updates), of: all)))",
      "\(types.deletes.counted("delete")) (\(InspectUnits.percent(Int64(types.deletes), of: all)))",
    ]
    if types.others > 0 { changes.append("\(types.others) of an unknown type") }
    let page = InspectUnits.size(storage.pageBytes)
    let pages =
      "\(Int(storage.pageCount).counted("page")) of \(page), \(storage.freePageCount) of them free"
    let log = storage.logBytes > 0 ? ", and a log of \(InspectUnits.size(storage.logBytes))" : ""
    let migrations =
      census.migrations > 0
      ? [["migrations", "\(census.migrations)", "transactions that changed the model"]] : []
    let counts = [
      ["transactions", "\(census.transactions)", span],
      ["changes", "\(census.changes)", changes.joined(separator: ", ")],
    ]
    return InspectTable(
      rows: counts + migrations + [
        ["strings", "\(census.strings)", "authors, contexts, bundles and processes"],
        ["file", InspectUnits.size(storage.fileBytes), pages + log],
        ["history", history, historyShare],
      ]
    ).lines(width: width)
  }

  private var span: String {
    let purged = census.purgedTransactions
    let waiting =
      purged > 0
      ? "; \(purged.counted("more is purged and waits", "more are purged and wait")) to be deleted"
      : ""
    guard let span = census.span else { return "none has a time" + waiting }
    let length = InspectUnits.duration(span.upperBound - span.lowerBound)
    let first = InspectUnits.date(span.lowerBound)
    return "\(first) to \(InspectUnits.date(span.upperBound)), \(length)\(waiting)"
  }

  private var history: String {
    census.storage.historyBytes.map(InspectUnits.size) ?? "not measured"
  }

  private var historyShare: String {
    guard let bytes = census.storage.historyBytes else {
      return "this SQLite is built without dbstat"
    }
    let whole = census.storage.pageCount * census.storage.pageBytes
    let share = "\(InspectUnits.percent(bytes, of: whole)) of the pages"
    guard census.transactions > 0 else { return share }
    return "\(share), \(bytes / Int64(census.transactions)) bytes a transaction"
  }

  private var bytes: [String] {
    guard let tables = census.storage.tables else { return [] }
    let rows = tables.map { table in
      [table.name, InspectUnits.size(table.tableBytes), InspectUnits.size(table.indexBytes)]
    }
    return InspectTable(
      rows: [["bytes", "table", "indexes"]] + rows,
      numbers: [1, 2],
      hasTitles: true
    )
    .lines(width: width)
  }

  private var changesPerTransaction: [String] {
    let sizes = census.changesPerTransaction
    guard let mean = sizes.mean, let most = sizes.greatest else { return [] }
    let quantiles = [0.5, 0.9, 0.99].map { "p\(Int($0 * 100)) \(sizes.value(at: $0) ?? 0)" }
    let empty = census.transactionsWithoutChanges
    let head =
      "changes per transaction: mean \(InspectUnits.fixed(mean)), "
      + "\(quantiles.joined(separator: ", ")), most \(most); \(empty.counted("transaction has", "transactions have")) none"
    let bars = sizes.buckets(perOctave: 1).map { bucket in
      (
        label: bucket.from == bucket.to ? "\(bucket.from)" : "\(bucket.from)-\(bucket.to)",
        count: bucket.count
      )
    }
    return [head] + InspectTable(bars: bars, width: width).lines(width: width)
  }

  private var gaps: [String] {
    let gaps = census.gaps
    guard let longest = gaps.greatest else { return [] }
    let quantiles = [0.5, 0.9, 0.99].map { quantile in
      "p\(Int(quantile * 100)) \(InspectUnits.duration(Double(gaps.value(at: quantile) ?? 0) / 1e6))"
    }
    let head =
      "time between transactions: \(quantiles.joined(separator: ", ")), "
      + "longest \(InspectUnits.duration(Double(longest) / 1e6)); "
      + "\(census.ties.counted("tie")), \(census.stepsBack.counted("step")) back"
    let bars = census.gapBands.counts.enumerated().map { index, count in
      (label: Self.bandLabel(index), count: count)
    }
    return [head, bursts] + InspectTable(bars: bars, width: width).lines(width: width)
  }

  private var bursts: String {
    let sizes = census.bursts.sizes
    let within = "at most \(InspectUnits.duration(BurstCounts.gapMax)) apart"
    guard let longest = sizes.greatest else { return "bursts: no two transactions are \(within)" }
    let share = InspectUnits.percent(
      Int64(census.bursts.transactions),
      of: Int64(census.transactions)
    )
    return "bursts (\(within)): \(sizes.count) with \(share) of the transactions, "
      + "p50 \(sizes.value(at: 0.5) ?? 0), longest \(longest)"
  }

  private var purge: [String] {
    guard let purge = census.purge else { return [] }
    let share = InspectUnits.percent(Int64(purge.transactions), of: Int64(census.transactions))
    var lines = [
      "A purge of transactions \(purge.place) would delete",
      "  \(purge.transactions.counted("transaction")) (\(share)) with \(purge.changes.counted("change"))",
    ]
    if let bytes = purge.bytes, let all = census.storage.historyBytes {
      let part = InspectUnits.percent(bytes, of: all)
      lines.append(
        "  about \(InspectUnits.size(bytes)) (\(part) of the history), which later writes use again; "
          + "VACUUM makes the file smaller"
      )
    }
    return lines + kept(purge) + goes(purge) + duration(purge)
  }

  /// A line with the command that measures how long purges take on this machine.
  private func duration(_ purge: PurgeEstimate) -> [String] {
    guard purge.transactions > 0 else { return [] }
    let days: String? = if case .days(let days) = purge.bound { days.short } else { nil }
    let age = days.map { " --older-than \($0)" } ?? ""
    return [
      "  to time purges on private copies: history-lab advise \(path.shellQuoted)\(age) --measure"
    ]
  }

  /// The warnings that come before the numbers of a purge.
  private var risks: [String] {
    census.purge.map { PurgeRisks(census, $0).lines } ?? []
  }

  private func kept(_ purge: PurgeEstimate) -> [String] {
    guard purge.kept.all > 0 else { return [] }
    let (kept, names) = (purge.kept, holders.joined(separator: ", "))
    let authors = purge.protectedAuthors.map { shown($0.name) }.joined(separator: ", ")
    let parts = [
      (kept.unmerged, "not merged by every member" + (names.isEmpty ? "" : " (\(names))")),
      (kept.protected, "by protected authors (\(authors))"),
      (kept.newest, "the newest"),
    ]
    let reasons = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    var lines = ["  and leave \(kept.all): \(reasons)"]
    if !census.isOurs {
      lines.append(
        "  (only with a fetch request on the author; deleteHistory(before:) alone deletes these too)"
      )
    }
    return lines
  }

  /// The authors, entities and tombstones of the transactions that the purge would delete, as lines.
  private func goes(_ purge: PurgeEstimate) -> [String] {
    guard purge.transactions > 0 else { return [] }
    let authors = purge.authors.map { "\(shown($0.name)) \($0.transactions)" }
    let entities = purge.entities.map { "\(shown($0.name)) \($0.changes.all)" }
    return [
      "  authors (transactions): \(listed(authors))", "  entities (changes): \(listed(entities))",
      "  values of deleted objects: \(purge.tombstones.counted("tombstone"))",
    ]
  }

  private func listed(_ items: [String]) -> String {
    let rest = items.count - shownMax
    guard !items.isEmpty else { return "none" }
    return items.prefix(shownMax).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  /// The names of the members with the lowest cursor, at which every purge stops.
  private var holders: [String] {
    (census.members ?? []).filter(\.holdsBack).map(\.name.visible)
  }

  private var members: [String] {
    guard let members = census.members else { return [] }
    guard !members.isEmpty else { return ["members: none, so that a purge waits for no process"] }
    let head = ["members", "kind", "state", "cursor", "lag", "last seen"]
    let rows = members.map { member in
      let seconds = member.lagSeconds ?? 0
      let time = seconds > 0 ? ", \(InspectUnits.duration(seconds))" : ""
      return [
        member.name.visible, "\(member.kind)", "\(member.state)", "#\(member.cursor)",
        Int(member.lag).counted("transaction") + time, InspectUnits.date(member.seen),
      ]
    }
    let watermark = members.first(where: \.holdsBack)?.cursor
    let holding = watermark.map { cursor in
      ["held back by \(holders.joined(separator: ", ")): every purge stops at #\(cursor)"]
    }
    return InspectTable(rows: [head] + rows, hasTitles: true).lines(width: width) + (holding ?? [])
  }

  private var tombstoneLines: [String] {
    guard let tombstones else { return [] }
    guard !tombstones.isEmpty else { return ["tombstones: no deleted object left values behind"] }
    let rows = tombstones.map { sample in
      [
        "#\(sample.transaction)", sample.date, (sample.author ?? "(none)").visible,
        sample.object.visible, sample.text.visible,
      ]
    }
    return ["tombstones, the newest first"] + InspectTable(rows: rows).lines(width: width)
  }

  private var tables: [String] {
    let groups = [
      ("unknown tables", census.unknownTables), ("missing tables", census.missingTables),
    ]
    return groups.filter { !$0.1.isEmpty }.map { title, names in
      "\(title): \(names.map(\.visible).joined(separator: ", "))"
    }
  }

  private static func bandLabel(_ index: Int) -> String {
    let labels = ["2 ms", "10 ms", "100 ms", "1 s", "10 s", "1 min", "10 min", "1 h", "1 day"]
    return index < labels.count ? "up to \(labels[index])" : "longer"
  }

  private var authors: [String] {
    let all = Int64(census.transactions)
    let rows = census.authors.prefix(shownMax).map { author in
      [
        shown(author.name), "\(author.transactions)",
        InspectUnits.percent(Int64(author.transactions), of: all), "\(author.changes)",
      ]
    }
    guard !rows.isEmpty else { return [] }
    let head = ["authors", "transactions", "share", "changes"]
    return InspectTable(rows: [head] + rows, numbers: [1, 2, 3], hasTitles: true)
      .lines(width: width) + rest(census.authors.count)
  }

  private var entities: [String] {
    let rows = census.entities.prefix(shownMax).map { entity in
      let changes = entity.changes
      let numbers = [changes.all, changes.inserts, changes.updates, changes.deletes]
      return [shown(entity.name)] + numbers.map(String.init)
    }
    guard !rows.isEmpty else { return [] }
    let head = ["entities", "changes", "inserts", "updates", "deletes"]
    return InspectTable(rows: [head] + rows, numbers: [1, 2, 3, 4], hasTitles: true)
      .lines(width: width)
      + rest(census.entities.count)
  }

  private func rest(_ count: Int) -> [String] {
    count > shownMax ? ["and \(count - shownMax) more"] : []
  }

  private var oddities: [String] {
    let found = census.oddities
    let sentences = [
      (found.orphanChanges, "change", "without a transaction"),
      (found.unreadableTransactions, "transaction", "with changes that cannot be read"),
      (found.unreadableTimestamps, "transaction", "without a readable time"),
      (found.unknownAuthors, "transaction", "with an author that is not among the strings"),
    ]
    let lines = sentences.filter { $0.0 > 0 }.map { "  \($0.0.counted($0.1)) \($0.2)" }
    return lines.isEmpty ? [] : ["Inconsistencies:"] + lines
  }

  private func shown(_ name: CensusName) -> String {
    let text = name.text.visible
    return text.count > 60 ? text.prefix(57) + "..." : text
  }
}

/// A table of text cells in columns that are as wide as their longest cell.
struct InspectTable {
  let rows: [[String]]
  /// The indexes of the right-aligned columns.
  var numbers: Set<Int> = []
  /// Whether the first row contains the column titles.
  var hasTitles = false

  /// Returns the rows as lines, or as a list if a line would exceed the width.
  func lines(width: Int?) -> [String] {
    guard let width, lines.contains(where: { $0.count > width }) else { return lines }
    guard hasTitles, let titles = rows.first else {
      return rows.flatMap { row in
        Columns.fit(row.prefix(2).joined(separator: "  "), width: width)
          + indented(row.dropFirst(2).filter { !$0.isEmpty }, by: 2, width)
      }
    }
    return Columns.fit("\(titles[0]):", width: width)
      + rows.dropFirst().flatMap { row in
        Columns.fit("  " + row[0], width: width)
          + indented(zip(titles, row).dropFirst().map { "\($0): \($1)" }, by: 4, width)
      }
  }

  private func indented(_ facts: [String], by indent: Int, _ width: Int) -> [String] {
    let start = String(repeating: " ", count: indent)
    return Columns.wrap(facts.joined(separator: "; "), width: width - indent).map { start + $0 }
  }

  /// One line for each row, without trailing blanks.
  private var lines: [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let blanks = String(repeating: " ", count: widths[column] - cell.count)
        return numbers.contains(column) ? blanks + cell : cell + blanks
      }
      let line = cells.joined(separator: "  ")
      return String(
        line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]
      )
    }
  }
}

extension InspectTable {
  /// The maximum length of a bar, in characters.
  private static let barMax = 40

  /// Creates a row for each label, with its number and a bar in proportion to the greatest number.
  init(bars: [(label: String, count: Int)], width: Int?) {
    let most = max(1, bars.map(\.count).max() ?? 1)
    let label = bars.map(\.label.count).max() ?? 0
    let room = width.map { $0 - label - String(most).count - 6 } ?? Self.barMax
    let longest = min(max(room, 1), Self.barMax)
    rows = bars.map { bar in
      // The length is rounded up, so that every positive number has a bar.
      let length = (bar.count * longest + most - 1) / most
      return ["  " + bar.label, "\(bar.count)", String(repeating: "#", count: length)]
    }
    numbers = [1]
  }
}
