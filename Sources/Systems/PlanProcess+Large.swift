import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

/// The request about transactions and batches of thousands of changes.
extension PlanProcess {
  /// Writes large batches into a store on disk, and reads, merges and purges their history in parts.
  ///
  /// - Returns: what was not as expected.
  func largeLines(seed: Int) throws(SystemFailure) -> [String] {
    let folder = try ScratchFolder()
    return try telling { () throws(HistoryError) in
      var course = LargeCourse(store: store, seed: seed)
      try course.run(folder)
      return course.faults
    }
  }
}

/// Batches by key and the history that they leave, compared with plain collections.
private struct LargeCourse: DiskCourse {
  let store: Store
  var faults: [String] = []
  private let random: RandomState
  /// The values of every object, by key.
  private var rows: [Int64: [Value]] = [:]
  /// The changes of every transaction, sorted.
  private var written: [[String]] = []
  private let by = BatchAuthor("app", contextName: "batch")

  init(store: Store, seed: Int) {
    self.store = store
    random = RandomState(UInt64(truncatingIfNeeded: seed))
  }

  private func draw(_ count: Int) -> Int { Int(random.next() % UInt64(max(count, 1))) }

  private func text() -> String {
    String((0..<draw(160)).map { _ in Character(Unicode.Scalar(UInt8(97 + draw(26)))) })
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let item = Entity(
      "Item",
      [
        Attribute("name", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("count", .int),
      ]
    )
    guard let model = try? Model([item]) else { return }
    let path = folder.file("large")
    let writer = try Store(path: path, model: model, configuration: configuration())
    let reader = try Store(path: path, configuration: configuration())
    let view = ObjectContext(store: reader, author: "widget", name: "view")
    try insert(100 + draw(200), into: writer)
    let start = try view.loadAll()
    try insert(500 + draw(500), into: writer)
    for _ in 0..<3 {
      try update(writer)
      try delete(writer)
    }
    try save(writer)
    try compareRows(reader)
    try compareHistory(reader)
    try stream(reader)
    try merge(from: start, into: view)
    try expire(reader, by: writer)
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

  /// Draws keys: runs of neighbors, single keys in any order, keys that come twice or are missing.
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
    let names = setsBoth ? ["name", "count"] : ["count"]
    let result = try store.batchUpdate("Item", setting: names, by: by) { row in
      guard place < keys.count else { return nil }
      defer { place += 1 }
      if setsBoth { row.set(values[place][0], at: 0) }
      row.set(values[place][1], at: 1)
      return ObjectID(entity: 1, key: keys[place])
    }
    let changed = Set(keys.filter { rows[$0] != nil })
    expect(result.count == changed.count, "\(result.count) of \(changed.count) were updated")
    if !changed.isEmpty { note(.update, Array(changed)) }
  }

  private mutating func delete(_ store: Store) throws(HistoryError) {
    let keys = keys()
    var rest = keys.makeIterator()
    let result = try store.batchDelete("Item", by: by) {
      rest.next().map { ObjectID(entity: 1, key: $0) }
    }
    let gone = Set(keys.filter { rows[$0] != nil })
    expect(result.count == gone.count, "\(result.count) of \(gone.count) were deleted")
    if !gone.isEmpty { written.append(gone.map(deletion).sorted()) }
    for key in gone { rows[key] = nil }
  }

  /// The change that deletes a row, with its tombstone.
  private func deletion(_ key: Int64) -> String {
    "\(ChangeType.delete) \(key) \(rows[key]?[0] ?? .null)"
  }

  /// Saves hundreds of edits of one context.
  private mutating func save(_ store: Store) throws(HistoryError) {
    let context = ObjectContext(store: store, author: "app", name: "view")
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
    let names = fresh.map { $0["name"] ?? .null }
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
    expect(objects.count == count, "\(what) has \(objects.count) of \(count) objects")
    let wrong = objects.first { [$0["name"] ?? .null, $0["count"] ?? .null] != rows[$0.id.key] }
    expect(wrong == nil, "\(what) has other values of \(wrong?.id.key ?? 0)")
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
    expect(found == written, "history has other changes than were written")
    let changes = whole.flatMap { $0.changes.map(\.id) }
    let areInOrder = zip(changes, changes.dropFirst()).allSatisfy { $0 < $1 && !($1 < $0) }
    expect(areInOrder, "changes are not in the order of their IDs")
    expect(!changes.contains { $0 < $0 }, "the ID of a change is less than itself")
  }

  private func transactions(_ store: Store) throws(HistoryError) -> [HistoryTransaction] {
    Array(try store.fetch(HistoryRequest(after: nil)).transactions)
  }

  /// Reads with limits that split transactions, and compares with reading them whole.
  private mutating func stream(_ store: Store) throws(HistoryError) {
    let whole = try transactions(store)
    let first = whole[draw(whole.count)]
    let positions: [HistoryToken?] = [nil, first.token]
    let filters: [HistoryFilter?] = [nil, .type(.update), .not(.type(.insert)), .author("app")]
    for token in positions {
      for filter in filters {
        for contents in [HistoryContents.transactionsWithChanges, .changesOnly] {
          var request = HistoryRequest(after: token, filter: filter)
          request.contents = contents
          let expected = try store.fetch(request).transactions.map { lines($0.changes) }
          request.changeCountMax = 1 + draw(700)
          var parts: [(number: TransactionNumber, lines: [String])] = []
          var reader = try store.reader(request)
          while parts.count < 20_000, let page = try reader.next() {
            for transaction in page.transactions {
              if parts.last?.number == transaction.number {
                parts[parts.count - 1].lines += lines(transaction.changes)
              } else {
                parts.append((transaction.number, lines(transaction.changes)))
              }
            }
          }
          expect(
            parts.map(\.lines) == expected,
            "a reader of \(request.changeCountMax) changes has others than a fetch"
          )
        }
      }
    }
  }

  private mutating func merge(
    from token: HistoryToken,
    into view: ObjectContext
  ) throws(HistoryError) {
    let page = try view.store.fetch(HistoryRequest(after: token))
    try view.merge(page.transactions)
    try compare(try view.registeredObjects("Item"), "a merged context")
    try view.merge(page.transactions)
    try compare(try view.registeredObjects("Item"), "a context that has merged twice")
  }

  /// Purges while a reader is within a transaction.
  private mutating func expire(_ store: Store, by writer: Store) throws(HistoryError) {
    let whole = try transactions(store)
    var request = HistoryRequest(after: nil)
    request.changeCountMax = 50
    var reader = try store.reader(request)
    _ = try reader.next()
    let result = try writer.purge()
    expect(result.transactionCount == whole.count - 1, "\(result.transactionCount) were purged")
    expect(.expired, of: "to go on in a purged transaction") { () throws(HistoryError) in
      _ = try reader.next()
    }
    let left = try transactions(store).map(\.number)
    expect(left == [whole[whole.count - 1].number], "after a purge there are \(left)")
    expect(try writer.verify().allSatisfy { !$0.isWrong }, "the file is wrong")
  }
}
