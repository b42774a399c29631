import HistoryStore
import Reporting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension InspectRendering {
  /// Returns the census as one JSON object with sorted keys.
  ///
  /// Times are seconds since 2001-01-01 UTC.
  ///
  /// - Throws: a lab error if a value cannot be written as JSON.
  func json() throws(LabError) -> String {
    let document = InspectDocument(path, census, tombstones)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(document), as: UTF8.self)
    } catch {
      throw .lab("the census cannot be written as JSON: \(error).")
    }
  }

  /// Returns the census as CSV (RFC 4180): `section,name,measure,value`, one value per row.
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
    return totals + purgeRows + bytes + sizes + gaps + burstRows + authors + entities + tableRows
      + tombstoneRows
  }

  private var purgeRows: [[String]] {
    guard let purge = census.purge else { return [] }
    let numbers: [(String, Int64?)] = [
      ("transactions", Int64(purge.transactions)), ("changes", Int64(purge.changes)),
      ("heldBackTransactions", Int64(purge.heldBack)), ("bytes", purge.bytes),
    ]
    return numbers.map { name, number in
      ["purge", purge.place, name, number.map { "\($0)" } ?? ""]
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
