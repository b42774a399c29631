import Basics
import Commands
import HistoryStore
import HistoryTypes
import Workloads

/// Reads a history from a store file, for plans that repeat its writes.
enum PastHistoryFile {
  /// Returns the newest transactions of a file's history.
  ///
  /// With `isAnonymous`, numbered names replace the names of authors and entities.
  ///
  /// - Throws: a usage error for a file without a readable history or without a transaction.
  /// - Complexity: one pass over the history, and a query for each entity if values are read; memory for
  ///   the newest 100,000 transactions.
  static func read(
    _ path: String,
    isAnonymous: Bool,
    values choice: PastValueChoice = .none
  ) throws(LabError) -> PastHistory {
    try FilePath.checkReadable(path, for: "--history")
    var records: [PastRecord] = []
    do throws(HistoryError) {
      let store = try Store(reading: path, stopCheck: Interruption.stopCheck)
      var request = HistoryRequest(after: nil)
      var hasMore = true
      while hasMore {
        let page = try store.fetch(request)
        let readsValues = choice != .none
        records += page.transactions.map { record(of: $0, in: page, store.model, readsValues) }
        // Old records are removed only above twice the limit, because each removal is slow.
        if records.count > 2 * PastHistory.transactionCountMax { keepNewest(&records) }
        request = request.next(after: page)
        hasMore = page.hasMore
      }
      keepNewest(&records)
      if choice != .none {
        let key = choice == .hashed ? SipKey(store.id) : nil
        try PastValueReader(store).addValues(to: &records, hashedBy: key)
      }
    } catch {
      throw .usage("--history: \(error.message)")
    }
    guard !records.isEmpty else {
      throw .usage("--history: the history of \(path.quoted) is empty. Give a file with history.")
    }
    do throws(ModelError) { return try PastHistory(records, isAnonymous: isAnonymous) } catch {
      throw .usage("--history: \(path.quoted): \(error). Add --anonymous, which renames entities.")
    }
  }

  private static func keepNewest(_ records: inout [PastRecord]) {
    records.removeFirst(max(0, records.count - PastHistory.transactionCountMax))
  }

  /// Converts a transaction; with `readsValues`, each delete has the values of its tombstone.
  private static func record(
    of transaction: HistoryTransaction,
    in page: HistoryPage,
    _ model: Model,
    _ readsValues: Bool
  ) -> PastRecord {
    let changes = transaction.changes.prefix(PastHistory.changeCountMax)
    return PastRecord(
      number: transaction.number.rawValue,
      author: transaction.author,
      timestamp: transaction.timestamp.timeIntervalSinceReferenceDate,
      changes: changes.map { change in
        let number = change.objectID.entity
        let tombstone = readsValues && change.type == .delete ? change.tombstone : nil
        return PastRecord.Change(
          change.type,
          model.entity(number)?.name ?? "Entity\(number)",
          change.objectID.key,
          tombstone.flatMap { values in
            PastValues(values.sorted { $0.key < $1.key }.lazy.map(\.value))
          }
        )
      }
    )
  }
}

extension PastValueChoice {
  /// Returns the default choice if `--object-values` is not given: hashed values with
  /// `--anonymous`, otherwise no values.
  static func usual(anonymous: Bool) -> PastValueChoice { anonymous ? .hashed : .none }

  /// Checks that this choice does not reveal values that `--anonymous` must hide.
  ///
  /// - Throws: A usage error for ``kept`` (unchanged values) if `anonymous` is `true`.
  func check(anonymous: Bool) throws(LabError) {
    guard anonymous, self == .kept else { return }
    throw .usage(
      "--object-values kept and --anonymous exclude each other: values can name people, too. Use "
        + "--object-values hashed, which is the default with --anonymous, or none."
    )
  }
}

/// Reads the values of a history's objects from the store file.
struct PastValueReader {
  private struct Object: Hashable {
    let entity: String
    let key: Int64
  }

  private let store: Store

  init(_ store: Store) { self.store = store }

  /// Adds the known values of each object to one of its changes, and removes all other values.
  ///
  /// The values of an object that still exists are added to its last change. The tombstone's values of
  /// a deleted object are added to its last change before the deletion. If a key is given, hashes
  /// replace the values.
  func addValues(
    to records: inout [PastRecord],
    hashedBy key: SipKey?
  ) throws(HistoryError) {
    var known = try rows(of: records)
    for place in records.indices.reversed() {
      for index in records[place].changes.indices.reversed() {
        let change = records[place].changes[index]
        let object = Object(entity: change.entity, key: change.key)
        records[place].changes[index].values = nil
        if change.type == .delete {
          known[object] = change.values
        } else if let values = known.removeValue(forKey: object) {
          records[place].changes[index].values = key.map(values.hashed) ?? values
        }
      }
    }
  }

  /// Returns the values of the objects that still exist.
  private func rows(of records: [PastRecord]) throws(HistoryError) -> [Object: PastValues] {
    var keys: [String: Set<Int64>] = [:]
    for change in records.lazy.flatMap(\.changes) {
      keys[change.entity, default: []].insert(change.key)
    }
    let namesTables = try store.query(
      "SELECT 1 FROM pragma_table_info('Z_PRIMARYKEY') WHERE name = 'Z_SUPER'"
    )
    let hasTables = !namesTables.rows.isEmpty
    var found: [Object: PastValues] = [:]
    for (index, entity) in store.model.entities.enumerated() {
      guard let wanted = keys[entity.name] else { continue }
      var rows: [Row] = []
      if !entity.attributes.isEmpty {
        rows = try ownRows(of: Int32(index + 1), wanted.sorted())
      } else if hasTables {
        rows = try coreDataRows(of: Int64(index + 1))
      }
      for row in rows where wanted.contains(row.key) {
        found[Object(entity: entity.name, key: row.key)] = PastValues(row.values)
      }
    }
    return found
  }

  private typealias Row = (key: Int64, values: [Value])

  private func ownRows(of entity: Int32, _ keys: [Int64]) throws(HistoryError) -> [Row] {
    let batch = try store.rows(entity, sortedKeys: keys)
    return batch.map { ($0.key, $0.values) }
  }

  /// Reads the rows of an entity from its table, which has the name of the entity's root entity.
  private func coreDataRows(of entity: Int64) throws(HistoryError) -> [Row] {
    let tables = try store.query(
      """
      WITH RECURSIVE line(ent, super, name) AS (
        SELECT Z_ENT, Z_SUPER, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = ?1
        UNION SELECT Z_ENT, Z_SUPER, Z_NAME FROM Z_PRIMARYKEY JOIN line ON Z_ENT = super)
      SELECT m.name FROM line JOIN sqlite_master m ON m.name = 'Z' || upper(line.name)
      WHERE line.super = 0 AND m.type = 'table'
      """,
      [.int(entity)]
    )
    guard case .string(let table)? = tables.rows.first?.first else { return [] }
    let columns = try store.query(
      """
      SELECT name FROM pragma_table_info(?1)
      WHERE name NOT LIKE 'Z\\_%' ESCAPE '\\' AND type IN ('VARCHAR', 'INTEGER') ORDER BY cid
      """,
      [.string(table)]
    )
    let names = columns.rows.compactMap { row -> String? in
      guard case .string(let name)? = row.first else { return nil }
      return "\"" + name + "\""
    }
    guard !names.isEmpty else { return [] }
    let result = try store.query(
      "SELECT Z_PK, \(names.joined(separator: ", ")) FROM \"\(table)\" "
        + "WHERE Z_PK IN (SELECT ZENTITYPK FROM ACHANGE WHERE ZENTITY = ?1)",
      [.int(entity)]
    )
    return result.rows.compactMap { row in
      guard case .int(let key)? = row.first else { return nil }
      return (key, Array(row.dropFirst()))
    }
  }
}
