import Commands
import HistoryInspection
import HistoryStore
import HistoryTypes
import Measuring

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
#endif

extension PurgeBound {
  /// Parses a transaction's number, or a date in UTC with an optional time of day.
  ///
  /// The seconds of the time may have a fraction, as `inspect` prints it.
  static let reader = ValueReader<PurgeBound>(
    placeholder: "DATE|NUMBER",
    expectation: "a transaction's number or a date in UTC such as 2025-01-31 or "
      + "2025-01-31T12:30:00Z"
  ) { text in
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return Int64(text).map { .number($0) }
    }
    return seconds(text).map { .timestamp($0) }
  }

  /// Returns the seconds from 2001-01-01 to a date and time in UTC.
  private static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let time = parts.count > 1 ? parts[1] : "00:00:00Z"
    guard time.hasSuffix("Z") else { return nil }
    let digits = time.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    let fraction = digits.count > 1 ? digits[1] : "0"
    guard digits.count <= 2, !fraction.isEmpty,
      fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let part = Double("0." + fraction), let moment = UTCTime("\(parts[0])T\(digits[0])Z")
    else { return nil }
    return Double(moment.secondsSince1970 - secondsFrom1970To2001) + part
  }

  private static let secondsFrom1970To2001: Int64 = 978_307_200
}

extension PurgeEstimate {
  /// The bound as a phrase, such as "before #5".
  var place: String {
    let date = timestamp.map(InspectUnits.date)
    return switch bound {
    case .number(let number): "before #\(number)"
    case .timestamp: "before \(date ?? "no time")"
    case .days(let days):
      "older than \(days.short) \(days == 1 ? "day" : "days") (before \(date ?? "a time that no transaction has"))"
    }
  }
}

/// The values that a deleted object left in the history.
struct TombstoneSample: Encodable, Hashable {
  let transaction: Int64
  let date: String
  /// The author's name; `nil` for transactions without an author.
  let author: String?
  let object: String
  let values: [String: Value]

  init(_ change: HistoryChange, _ values: [String: Value]) {
    let transaction = change.transaction
    self.transaction = transaction.number.rawValue
    date = InspectUnits.date(transaction.timestamp.timeIntervalSinceReferenceDate)
    author = transaction.author
    object = "\(change.entityName ?? "#\(change.objectID.entity)")/\(change.objectID.key)"
    self.values = values
  }

  /// The preserved values of the deleted object as text, sorted by attribute name.
  var text: String {
    values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
  }

  private enum Key: CodingKey {
    case transaction
    case date
    case author
    case object
    case values
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(transaction, forKey: .transaction)
    try container.encode(date, forKey: .date)
    try container.encodeIfPresent(author, forKey: .author)
    try container.encode(object, forKey: .object)
    try container.encode(values.mapValues(JSONCell.init), forKey: .values)
  }
}

extension TombstoneSample {
  /// The maximum number of tombstones to show; the SQL table of changes has all of them.
  static let countMax = 20

  /// Returns the newest tombstones of a store, newest first.
  ///
  /// - Throws: ``HistoryError`` when the store cannot be opened or its history cannot be read.
  /// - Complexity: one pass over the history, with one page of it in memory.
  static func newest(in path: String) throws(HistoryError) -> [TombstoneSample] {
    var request = HistoryRequest(after: nil, filter: .type(.delete))
    request.contents = .changesOnly
    var reader = try Store(reading: path, stopCheck: Interruption.stopCheck).reader(request)
    var newest: [TombstoneSample] = []
    while let page = try reader.next() {
      let found = page.changes.reversed().lazy.compactMap { change in
        change.tombstone.map { TombstoneSample(change, $0) }
      }
      newest = Array((Array(found.prefix(countMax)) + newest).prefix(countMax))
    }
    return newest
  }
}

/// The risks of a purge: losses that depend on facts missing in the file, and expiring tokens.
///
/// A purge that would delete no transaction has no risks.
struct PurgeRisks: Hashable {
  /// The facts missing in the file that decide whether the purge loses data.
  let notKnown: [String]
  /// A sentence about the tokens that expire, or `nil` if the purge deletes no transaction.
  let expiry: String?

  /// Determines the risks of a purge of the inspected file.
  init(_ census: HistoryCensus, _ purge: PurgeEstimate) {
    guard purge.transactions > 0, let last = purge.last else {
      (notKnown, expiry) = ([], nil)
      return
    }
    let date = last.timestamp.map { " (\(InspectUnits.date($0)))" } ?? ""
    let place = "#\(last.number)\(date)"
    notKnown = census.isOurs ? Self.own(census) : Self.foreign(census, place)
    expiry =
      "Every token before \(place) expires: the next fetch after it fails"
      + (census.isOurs
        ? " and its owner must resync."
        : " with NSPersistentHistoryTokenExpiredError (134301)"
          + (census.isMirrored ? ", also for the CloudKit mirror." : "."))
  }

  private static func own(_ census: HistoryCensus) -> [String] {
    var sentences = [
      "whether a consumer keeps a token outside of the registry. The purge waits for registered members only."
    ]
    if census.members?.contains(where: { $0.state == .active }) != true {
      sentences.append(
        "which processes read this store. No active member is registered, so the purge waits for none."
      )
    }
    return sentences
  }

  private static func foreign(_ census: HistoryCensus, _ place: String) -> [String] {
    let authors = census.mirrorAuthors
    let evidence =
      authors.isEmpty
      ? "the file has the mirror's tables" : "it writes as \(authors.joined(separator: ", "))"
    return [
      "whether every consumer has merged these transactions. Core Data keeps no list of consumers: "
        + "compare the token or date of each with \(place).",
      census.isMirrored
        ? "whether the CloudKit mirror has exported them (\(evidence)). Wait until its export has finished."
        : "whether a CloudKit mirror exports from this store. This history shows no sign of one; "
          + "if there is one, wait until its export has finished.",
    ]
  }

  /// The risks as lines, most important first.
  var lines: [String] {
    guard let expiry else { return [] }
    return ["This purge can lose data. Not known:"] + notKnown.map { "  - \($0)" } + [expiry]
  }
}
