import Commands
import HistoryInspection
import HistoryStore
import Reporting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A census rendered as text for people, or as JSON or CSV for programs.
struct InspectRendering {
  /// The path of the store file, as the user gave it.
  let path: String
  let census: HistoryCensus
  /// The newest tombstones of deleted objects; `nil` if they were not requested.
  var tombstones: [TombstoneSample]?
  /// The maximum number of authors and entities in the text; JSON and CSV contain all.
  var shownMax = 10
  /// The maximum width of a line of text, in columns; `nil` for no limit.
  var width: Int?
}

/// Formats quantities for people.
enum InspectUnits {
  /// Returns a number of bytes as text: `512 bytes`, `4.0 KiB`, `1.5 MiB`.
  static func size(_ bytes: Int64) -> String {
    guard bytes >= 1024 else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
    var value = Double(bytes) / 1024
    var unit = "KiB"
    for larger in ["MiB", "GiB", "TiB"] where value >= 1024 {
      value /= 1024
      unit = larger
    }
    return "\(fixed(value)) \(unit)"
  }

  /// Returns a duration as text: `316 us`, `2.1 ms`, `3.4 s`, `5.0 min`, `2.1 h`, `3.5 days`.
  static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<0.001: "\(Int((seconds * 1e6).rounded())) us"
    case ..<1: "\(fixed(seconds * 1e3)) ms"
    case ..<60: "\(fixed(seconds)) s"
    case ..<3600: "\(fixed(seconds / 60)) min"
    case ..<86400: "\(fixed(seconds / 3600)) h"
    default: "\(fixed(seconds / 86400)) days"
    }
  }

  /// Returns a share as text: `19.2 %`.
  static func percent(_ part: Int64, of whole: Int64) -> String {
    "\(fixed(whole == 0 ? 0 : Double(part) / Double(whole) * 100)) %"
  }

  /// Returns a point in time as `2019-10-27T12:22:55.201Z`.
  ///
  /// Outside the years 1 to 9999 it is the number of seconds after 2001-01-01.
  static func date(_ timestamp: Double) -> String {
    // The years 1 to 9999.
    guard (-63_113_904_000..<252_423_993_600).contains(timestamp) else {
      return "\(timestamp) s after 2001-01-01"
    }
    return Date(timeIntervalSinceReferenceDate: timestamp)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// Returns a number with one decimal digit; very large numbers keep their default format.
  static func fixed(_ value: Double) -> String {
    let tenths = (value * 10).rounded()
    guard let whole = Int64(exactly: tenths) else { return "\(value)" }
    let sign = whole < 0 ? "-" : ""
    return "\(sign)\(whole.magnitude / 10).\(whole.magnitude % 10)"
  }
}

extension InspectRendering {
  /// Returns the census, the statistics of a history, as one JSON object with sorted keys.
  ///
  /// Times are seconds since 2001-01-01 UTC.
  ///
  /// - Throws: a lab error if a value cannot be written as JSON.
  func json() throws(LabError) -> String {
    try JSONText.document(InspectDocument(path, census, tombstones), named: "the census")
  }

  /// Returns the census, the statistics of a history, as CSV (RFC 4180) with one value per row.
  ///
  /// The columns are `section,name,measure,value`.
  func csv() -> String {
    let lines = [["section", "name", "measure", "value"]] + csvRows
    return lines.map { $0.map(CSVWriter.quoted).joined(separator: ",") }.joined(separator: "\n")
  }

  private var csvRows: [[String]] {
    let bytes = (census.storage.tables ?? []).flatMap { table in
      [
        ["table", table.name, "tableBytes", "\(table.tableBytes)"],
        ["table", table.name, "indexBytes", "\(table.indexBytes)"],
      ]
    }
    let sizes = census.changesPerTransaction.buckets(perOctave: 8).map { bucket in
      ["changesPerTransaction", "\(bucket.from)-\(bucket.to)", "transactions", "\(bucket.count)"]
    }
    let ends = GapBands.limits.map { "\($0)" } + ["longer"]
    let gaps = zip(ends, census.gapBands.counts).map { end, count in
      ["secondsBetweenTransactionsUpTo", end, "transactions", "\(count)"]
    }
    let authors = census.authors.flatMap { author in
      [
        ["author", author.name.text, "transactions", "\(author.transactions)"],
        ["author", author.name.text, "changes", "\(author.changes)"],
      ]
    }
    let entities = census.entities.flatMap { entity in
      zip(["inserts", "updates", "deletes"], entity.changes.byType).map { measure, count in
        ["entity", entity.name.text, measure, "\(count)"]
      }
    }
    return totals + memberRows + purgeRows + bytes + sizes + gaps + burstRows + authors + entities
      + tableRows
      + tombstoneRows
  }

  private var purgeRows: [[String]] {
    guard let purge = census.purge else { return [] }
    let numbers: [(String, Int64?)] = [
      ("transactions", Int64(purge.transactions)), ("changes", Int64(purge.changes)),
      ("heldBackTransactions", Int64(purge.kept.all)), ("bytes", purge.bytes),
      ("keptProtected", Int64(purge.kept.protected)), ("keptUnmerged", Int64(purge.kept.unmerged)),
      ("keptNewest", Int64(purge.kept.newest)), ("lastNumber", purge.last?.number),
      ("tombstones", Int64(purge.tombstones)),
    ]
    let risks = PurgeRisks(census, purge)
    return risks.notKnown.map { ["purge", purge.place, "notKnown", $0] }
      + (risks.expiry.map { [["purge", purge.place, "expiry", $0]] } ?? [])
      + numbers.map { name, number in
        ["purge", purge.place, name, number.map { "\($0)" } ?? ""]
      }
      + purge.authors.map { ["purgeAuthor", $0.name.text, "transactions", "\($0.transactions)"] }
      + purge.entities.map { ["purgeEntity", $0.name.text, "changes", "\($0.changes.all)"] }
  }

  private var memberRows: [[String]] {
    (census.members ?? []).flatMap { member in
      [
        ("kind", "\(member.kind)"), ("state", "\(member.state)"), ("cursor", "\(member.cursor)"),
        ("lagTransactions", "\(member.lag)"),
        ("lagSeconds", member.lagSeconds.map { "\($0)" } ?? ""),
        ("seen", InspectUnits.date(member.seen)), ("holdsBack", member.holdsBack ? "1" : "0"),
      ].map { ["member", member.name, $0, $1] }
    }
  }

  private var burstRows: [[String]] {
    let bursts = census.bursts
    let numbers = [
      ("count", Int64(bursts.sizes.count)), ("transactions", Int64(bursts.transactions)),
      ("longest", bursts.sizes.greatest ?? 0),
    ]
    return numbers.map { ["bursts", "upTo \(BurstCounts.gapMax) s", $0, "\($1)"] }
  }

  private var tableRows: [[String]] {
    census.unknownTables.map { ["table", $0, "unknown", "1"] }
      + census.missingTables.map { ["table", $0, "missing", "1"] }
  }

  private var tombstoneRows: [[String]] {
    (tombstones ?? []).map { ["tombstone", "#\($0.transaction) \($0.object)", "values", $0.text] }
  }

  private var totals: [[String]] {
    let storage = census.storage
    let numbers: [(String, Int64?)] = [
      ("transactions", Int64(census.transactions)),
      ("purgedTransactions", Int64(census.purgedTransactions)),
      ("migrations", Int64(census.migrations)),
      ("changes", Int64(census.changes)),
      ("inserts", Int64(census.types.inserts)),
      ("updates", Int64(census.types.updates)),
      ("deletes", Int64(census.types.deletes)),
      ("strings", Int64(census.strings)),
      ("ties", Int64(census.ties)),
      ("stepsBack", Int64(census.stepsBack)),
      ("transactionsWithoutChanges", Int64(census.transactionsWithoutChanges)),
      ("fileBytes", storage.fileBytes),
      ("logBytes", storage.logBytes),
      ("pages", storage.pageCount),
      ("freePages", storage.freePageCount),
      ("historyBytes", storage.historyBytes),
    ]
    let times = [("first", census.span?.lowerBound), ("last", census.span?.upperBound)]
    return [["file", path, "layout", census.layout.rawValue]]
      + numbers.map { name, number in ["file", path, name, number.map { "\($0)" } ?? ""] }
      + times.map { name, time in ["file", path, name, time.map(InspectUnits.date) ?? ""] }
  }
}

extension ChangeCounts {
  /// The numbers of inserts, updates and deletes, in this order.
  fileprivate var byType: [Int] { [inserts, updates, deletes] }
}
