import HistoryStore
import PersistentHistory

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a deleted object left behind.
struct TombstoneSample: Encodable, Hashable {
  let transaction: Int64
  let date: String
  /// Absent for transactions that name no author.
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

  /// The values, sorted by their names.
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
  /// How many are shown; the SQL table of changes has them all.
  static let countMax = 20

  /// The newest tombstones of a store, the very newest first.
  ///
  /// - Throws: ``HistoryError`` when the changes of a transaction cannot be read.
  /// - Complexity: a pass over the history, a page of it in memory.
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
