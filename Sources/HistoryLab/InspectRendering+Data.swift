import HistoryStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension InspectRendering {
  /// The census as one JSON object, keys sorted; times are seconds since 2001-01-01 UTC.
  ///
  /// - Throws: a lab error if a value cannot be written as JSON.
  func json() throws(LabError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(InspectDocument(path, census)), as: UTF8.self)
    } catch {
      throw .lab("the census cannot be written as JSON: \(error).")
    }
  }

  /// The census as CSV (RFC 4180): `section,name,measure,value`, one number a line.
  func csv() -> String {
    let lines = [["section", "name", "measure", "value"]] + csvRows
    return lines.map { $0.map(Self.escaped).joined(separator: ",") }.joined(separator: "\n")
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
    return totals + bytes + sizes + gaps + authors + entities
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

  /// A cell in quotes where it needs them.
  private static func escaped(_ cell: String) -> String {
    guard cell.contains(where: { ",\"\n\r".contains($0) || $0.isNewline }) else { return cell }
    let parts = cell.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"\(parts.joined(separator: "\"\""))\""
  }
}

extension ChangeCounts {
  /// Inserts, updates, deletes.
  fileprivate var byType: [Int] { [inserts, updates, deletes] }
}
