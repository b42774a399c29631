import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of large batches by key and of their history, against plain Swift collections.
struct LargeBatchScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  /// The expected values of every object, by key.
  private var rows: [Int64: [Value]] = [:]
  /// The expected changes of every transaction as lines, sorted within a transaction.
  private var written: [[String]] = []
  private let by = BatchAuthor("app", contextName: "batch")

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private func draw(_ count: Int) -> Int { seed.draw(count) }

  private func text() -> String {
    let (first, step) = (draw(26), 1 + draw(25))
    return String(
      decoding: (0..<draw(160)).map { UInt8(97 + (first + $0 * step) % 26) },
      as: UTF8.self
    )
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let item = Entity(
      "Item",
      [
        Attribute("name", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("count", .int),
      ]
    )
    let model = try model([item])
    let path = folder.file("large")
    let writer = try Store(path: path, model: model, configuration: configuration())
    let reader = try Store(path: path, configuration: configuration())
    let view = ObjectContext.retaining(reader, author: "widget", name: "view")
    try insert(100 + draw(200), into: writer)
    let start = try view.loadAll()
    // The sort by key uses several digits; these keys need more than one digit.
    try insert(2_100 + draw(300), into: writer)
    for _ in 0..<3 {
      try failToDelete(writer)
      try update(writer)
      try delete(writer)
    }
    try save(writer)
    try compareRows(reader)
    try compareHistory(reader)
    try stream(reader)
    try merge(from: start, into: view)
    try deleteAll(writer)
    try expire(reader, by: writer)
    try purgeWithin(writer)
  }

  // MARK: Writing

  private mutating func insert(_ count: Int, into store: Store) throws(HistoryError) {
    let objects = (0..<count).map { _ in
      ["name": Value.string(text()), "count": draw(9) == 0 ? .null : .int(Int64(draw(1_000)))]
    }
    let result = try store.batchInsert(into: "Item", objects, by: by, result: .objectIDs)
    expect(result.count == count, "\(result.count) of \(count) objects were inserted")
    for (id, values) in zip(result.objectIDs, objects) {
      rows[id.key] = [values["name"] ?? .null, values["count"] ?? .null]
    }
    note(.insert, result.objectIDs.map(\.key))
  }

  private mutating func note(_ type: ChangeType, _ keys: [Int64]) {
    written.append(keys.map { "\(type) \($0)" }.sorted())
  }

  /// Returns random keys: neighboring, at intervals, repeated, in random order, or without an object.
  private func keys() -> [Int64] {
    let all = rows.keys.sorted()
    var keys: [Int64] = []
    for _ in 0..<(1 + draw(6)) where !all.isEmpty {
      let first = draw(all.count)
      switch draw(4) {
      case 0: keys += all[first..<min(first + 1 + draw(400), all.count)]
      case 1:
        keys += stride(from: first, to: all.count, by: 1 + draw(7)).prefix(draw(200)).map {
          all[$0]
        }
      case 2: keys += (0..<draw(40)).map { _ in all[draw(all.count)] }
      default: keys += [all[first], all[first], (all.last ?? 0) + Int64(draw(3))]
      }
    }
    return keys
  }

  private mutating func update(_ store: Store) throws(HistoryError) {
    let keys = keys()
    let setsBoth = draw(2) == 0
    var values: [[Value]] = []
    for key in keys {
      let next: [Value] = [draw(5) == 0 ? .null : .string(text()), .int(Int64(draw(1_000)))]
      values.append(next)
      guard let row = rows[key] else { continue }
      rows[key] = [setsBoth ? next[0] : row[0], next[1]]
    }
    var place = 0
    var refusals: [HistoryError.Code?] = []
    let names = setsBoth ? ["name", "count"] : ["count"]
    let result = try store.batchUpdate("Item", setting: names, by: by, result: .objectIDs) { row in
      guard place < keys.count else { return nil }
      defer { place += 1 }
      // A request within a batch must fail; the batch then continues.
      if place == 2 {
        do throws(HistoryError) {
          _ = try store.fetch(HistoryRequest(after: nil, transactionCountMax: 1))
          refusals.append(nil)
        } catch { refusals.append(error.code) }
      }
      if setsBoth { row.set(values[place][0], at: 0) }
      row.set(values[place][1], at: 1)
      return ObjectID(entity: 1, key: keys[place])
    }
    let changed = existing(keys)
    expect(!refusals.contains(nil), "a request within a batch is accepted")
    expect(
      result.objectIDs.map(\.key) == changed,
      "a batch update returns other objects than the \(changed.count) that it must update"
    )
    if !changed.isEmpty { note(.update, changed) }
    expect(
      .unknownAttribute,
      of: "a batch that sets an attribute which its list of attributes lacks"
    ) {
      () throws(HistoryError) in
      var rest = rows.keys.prefix(1)[...]
      _ = try store.batchUpdate("Item", setting: ["count"], by: by) { row in
        guard let key = rest.popFirst() else { return nil }
        row.set("x", at: 0)
        return ObjectID(entity: 1, key: key)
      }
    }
  }

  /// Returns the keys that have an object, without repetitions, in the given order.
  private func existing(_ keys: [Int64]) -> [Int64] {
    var known: Set<Int64> = []
    return keys.filter { rows[$0] != nil && known.insert($0).inserted }
  }

  /// Makes a batch delete fail after a few keys; it must then change nothing in the store.
  private mutating func failToDelete(_ store: Store) throws(HistoryError) {
    var rest = rows.keys.sorted().prefix(1 + draw(9))
    expect(.stopped, of: "a batch delete whose closure throws") { () throws(HistoryError) in
      try store.batchDelete("Item", by: by) {
        guard let key = rest.popFirst() else { throw Stop() }
        return ObjectID(entity: 1, key: key)
      }
    }
  }

  private struct Stop: Error {}

  private mutating func delete(_ store: Store) throws(HistoryError) {
    let keys = keys()
    var rest = keys.makeIterator()
    let result = try store.batchDelete("Item", by: by, result: .objectIDs) {
      rest.next().map { ObjectID(entity: 1, key: $0) }
    }
    let gone = existing(keys)
    expect(
      result.objectIDs.map(\.key) == gone,
      "a batch delete returns other objects than the \(gone.count) that it must delete"
    )
    if !gone.isEmpty { written.append(gone.map(deletion).sorted()) }
    for key in gone { rows[key] = nil }
  }

  /// Returns the expected change of a deleted row, with its tombstone.
  private func deletion(_ key: Int64) -> String {
    "\(ChangeType.delete) \(key) \(rows[key]?[0] ?? .null)"
  }

  /// Saves hundreds of edits of one context in one save.
  private mutating func save(_ store: Store) throws(HistoryError) {
    let context = ObjectContext.retaining(store, author: "app", name: "view")
    var changes: [String] = []
    for object in try context.objects("Item").prefix(300) {
      let key = object.id.key
      if draw(4) == 0 {
        object.delete()
        changes.append(deletion(key))
        rows[key] = nil
      } else {
        let value = Value.int(Int64(2_000 + draw(1_000)))
        try object.set(value, for: "count")
        rows[key]?[1] = value
        changes.append("\(ChangeType.update) \(key)")
      }
    }
    var fresh: [StoredObject] = []
    for _ in 0..<draw(300) { fresh.append(try context.insert("Item", ["name": .string(text())])) }
    let names = try fresh.map { (item) throws(HistoryError) in try item["name"] ?? .null }
    try context.save()
    for (object, name) in zip(fresh, names) {
      rows[object.id.key] = [name, .null]
      changes.append("\(ChangeType.insert) \(object.id.key)")
    }
    written.append(changes.sorted())
  }

  // MARK: Reading

  private mutating func compareRows(_ store: Store) throws(HistoryError) {
    let context = ObjectContext(store: store, author: nil, name: "query")
    try compare(try context.objects("Item"), "a fetch")
  }

  private mutating func compare(_ objects: [StoredObject], _ what: String) throws(HistoryError) {
    let count = rows.count
    expect(objects.count == count, "\(what) returns \(objects.count) of \(count) objects")
    for object in objects {
      let values = try object.values(of: ["name", "count"])
      let key = object.id.key
      if values != rows[key] {
        return expect(false, "\(what) returns wrong values for the object \(key)")
      }
    }
  }

  private func lines(_ changes: some Sequence<HistoryChange>) -> [String] {
    changes.map { change in
      let line = "\(change.type) \(change.objectID.key)"
      return change.type == .delete ? "\(line) \(change.tombstone?["name"] ?? .null)" : line
    }
  }

  private mutating func compareHistory(_ store: Store) throws(HistoryError) {
    let whole = try transactions(store)
    let found = whole.map { lines($0.changes).sorted() }
    expect(found == written, "the changes in history differ from those that were written")
    let changes = whole.flatMap { $0.changes.map(\.id) }
    let areInOrder = zip(changes, changes.dropFirst()).allSatisfy { $0 < $1 && !($1 < $0) }
    expect(areInOrder, "changes are not in the order of their IDs")
    expect(!changes.contains { $0 < $0 }, "a change's ID compares as less than itself")
  }

  private func transactions(_ store: Store) throws(HistoryError) -> [HistoryTransaction] {
    Array(try store.fetch(HistoryRequest(after: nil)).transactions)
  }

  /// Reads with page limits that split transactions, and compares the result with whole transactions.
  private mutating func stream(_ store: Store) throws(HistoryError) {
    let whole = try transactions(store)
    let positions: [HistoryToken?] = [nil, whole[draw(whole.count)].token]
    let filters: [HistoryFilter?] = [nil, .type(.update), .not(.type(.insert)), .author("app")]
    for token in positions {
      for contents in [HistoryContents.transactionsWithChanges, .changesOnly] {
        var request = HistoryRequest(after: token, filter: filters[draw(filters.count)])
        request.contents = contents
        let expected = try store.fetch(request).transactions.map { codes($0.changes) }
        request.changeCountMax = 1 + draw(700)
        var parts: [(number: TransactionNumber, codes: [Int64])] = []
        var reader = try store.reader(request)
        while parts.count < 20_000, let page = try reader.next() {
          for transaction in page.transactions {
            if parts.last?.number == transaction.number {
              parts[parts.count - 1].codes += codes(transaction.changes)
            } else {
              parts.append((transaction.number, codes(transaction.changes)))
            }
          }
        }
        expect(
          parts.map(\.codes) == expected,
          "pages of \(request.changeCountMax) changes differ from a fetch of whole transactions"
        )
      }
    }
  }

  /// Returns a number for each change, computed from its object and its type.
  private func codes(_ changes: some Sequence<HistoryChange>) -> [Int64] {
    changes.map { $0.objectID.key << 2 | Int64($0.type.rawValue) }
  }

  /// Merges all changes in one call; the result must report each object once.
  private mutating func merge(
    from token: HistoryToken,
    into view: ObjectContext
  ) throws(HistoryError) {
    let page = try view.store.fetch(HistoryRequest(after: token))
    let before = Set(try view.registeredObjects("Item").map(\.id.key))
    let delta = try view.merge(page.transactions)
    try compare(try view.registeredObjects("Item"), "a merged context")
    let now = Set(rows.keys)
    let keys = [delta.inserted, delta.updated, delta.deleted].map { $0.map(\.key) }
    expect(keys.allSatisfy { $0.count == Set($0).count }, "a merge reports an object twice")
    expect(Set(keys[0]) == now.subtracting(before), "a merge reports the wrong inserted objects")
    expect(
      before.intersection(now).isSuperset(of: keys[1]),
      "a merge reports the wrong updated objects"
    )
    expect(Set(keys[2]) == before.subtracting(now), "a merge reports the wrong deleted objects")
    try view.merge(page.transactions)
    try compare(try view.registeredObjects("Item"), "a context that has merged twice")
  }

  /// Purges a transaction while a reader has read only a part of that transaction.
  private mutating func expire(_ store: Store, by writer: Store) throws(HistoryError) {
    let whole = try transactions(store)
    var request = HistoryRequest(after: nil)
    request.changeCountMax = 50
    var reader = try store.reader(request)
    _ = try reader.next()
    let result = try writer.purge()
    expect(
      result.transactionCount == whole.count - 1,
      "\(result.transactionCount) transactions were purged, not \(whole.count - 1)"
    )
    expect(.expired, of: "to continue reading in a purged transaction") { () throws(HistoryError) in
      _ = try reader.next()
    }
    let left = try transactions(store).map(\.number)
    expect(
      left == [whole[whole.count - 1].number],
      "after a purge, history has the transactions \(left)"
    )
    expect(
      try writer.verify().allSatisfy { !$0.isWrong },
      "the verification of the file finds errors"
    )
  }

  /// Deletes every object in one transaction, and checks the reported lag of a member.
  ///
  /// The lag must be the size of this transaction in bytes.
  private mutating func deleteAll(_ store: Store) throws(HistoryError) {
    let member = try store.join("slow")
    let result = try store.batchDelete("Item", by: by, result: .objectIDs)
    expect(Set(result.objectIDs.map(\.key)) == Set(rows.keys), "not every object was deleted")
    guard layout == .packed else { return try store.retire(member) }
    let sizes = try store.query(
      """
      SELECT (SELECT 44 + ifnull(length(changes), 0) FROM history_transaction WHERE number = ?1)
        + (SELECT ifnull(sum(length(changes)), 0) FROM history_chunk WHERE id >> 20 = ?1)
      """,
      [.int(try store.currentToken().number)]
    )
    let lag = try store.members().first { $0.id == member.member }?.lag.byteCount ?? 0
    expect(
      sizes.rows == [[.int(Int64(lag))]],
      "a member's lag is \(lag) bytes, but the transactions have \(sizes.rows)"
    )
    try store.retire(member)
  }

  /// Purges before a transaction whose successor is stored in several chunks, then verifies the file.
  private mutating func purgeWithin(_ store: Store) throws(HistoryError) {
    for count in [5, 3, 9_000, 2] {
      let empty = Array(repeating: [String: Value](), count: count)
      try store.batchInsert(into: "Item", empty, by: by)
    }
    let tokens = try transactions(store).map(\.token)
    let result = try store.purge(before: tokens[tokens.count - 3])
    let rows = try store.query("SELECT count(*) FROM \(layout.transactions)").rows
    expect(
      result.transactionCount == tokens.count - 3 && rows == [[3]],
      "a purge of \(tokens.count) transactions leaves \(rows): \(result)"
    )
    let (left, wanted) = (
      try transactions(store).map(\.number.rawValue), tokens.suffix(3).map(\.number)
    )
    expect(left == wanted, "after a purge, history has the transactions \(left), not \(wanted)")
    expect(
      try store.verify().allSatisfy { !$0.isWrong },
      "the verification of the file finds errors after a purge"
    )
  }
}
