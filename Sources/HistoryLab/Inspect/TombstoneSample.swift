import HistoryStore
import PersistentHistory

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The values that a deleted object left in the history.
struct TombstoneSample: Encodable, Hashable {
  let transaction: Int64
  let date: String
  /// `nil` for transactions without an author.
  let author: String?
  let object: String
  let values: [String: Value]

  init(_ change: HistoryChange, _ values: [String: Value]) {
    let transaction = change.transaction
    self.transaction = transaction.number
    date = InspectUnits.date(transaction.timestamp.timeIntervalSinceReferenceDate)
    author = transaction.author
    object = "\(change.entityName ?? "#\(change.objectID.entity)")/\(change.objectID.key)"
    self.values = values
  }

  /// The values as text, sorted by name.
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
