import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of live queries with hundreds of objects, limits, and tasks that await results.
///
/// Another context edits the objects. Each result is compared with plain code over all rows.
struct LargeListScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  /// The values that the objects of the entity `Item` must have, by key.
  private var rows: [Int64: ListRow] = [:]
  /// The keys of objects whose two texts are swapped in each edit; no edit deletes these objects.
  private var swapped: [Int64] = []
  /// The last transaction that the context of the live queries has merged.
  private var merged: HistoryToken?

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let model = try model([
      Entity("Item", ListRow.attributes), Entity("Short", ListRow.attributes, indexes: [["count"]]),
    ])
    let path = folder.file("lists")
    let saved = try Store(path: path, model: model, configuration: configuration())
    try follow(saved)
    try replace(saved)
    for reader in try wait(saved) {
      expect(reader.run().isOver, "a reader waits for a result of a released context")
    }
    try fail(model, folder)
  }

  private func context(_ store: Store, _ author: String, retains: Bool) -> ObjectContext {
    ObjectContext(
      store: store,
      author: author,
      mergePolicy: .objectWins,
      retainsRegisteredObjects: retains
    )
  }

  // MARK: Long lists

  /// Follows several live queries over hundreds of objects while another context edits them.
  private mutating func follow(_ saved: Store) throws(HistoryError) {
    for key in 1...(530 + seed.draw(40)) { rows[Int64(key)] = row() }
    let keys = rows.keys.sorted()
    let values = keys.map { rows[$0]?.values ?? [:] }
    let inserted = try saved.batchInsert(
      into: "Item",
      values,
      by: BatchAuthor("import"),
      result: .objectIDs
    )
    expect(inserted.objectIDs.map(\.key) == keys, "a batch inserts the keys \(inserted.objectIDs)")
    swapped = [keys[seed.draw(250)], keys[250 + seed.draw(250)]]
    let view = context(saved, "app", retains: false)
    let other = context(saved, "widget", retains: true)
    merged = try saved.currentToken()
    var lists: [ListCopy] = []
    for query in ListOrder.all(seed) {
      guard let list = try ListCopy(query, view) else { continue }
      lists.append(list)
    }
    for round in 0..<3 {
      if round > 0 {
        try edit(other)
        // After a reset, each query reads its whole list; after a merge, it evaluates the changes.
        if round == 1 { view.reset() } else { try merge(view) }
      }
      for number in lists.indices {
        if let fault = try lists[number].read(view) {
          faults.append("in round \(round), \(lists[number].query): \(fault)")
        }
      }
      compare(lists, view, "in round \(round)")
    }
  }

  private func row() -> ListRow {
    ListRow(count: Int64(seed.draw(200)), title: seed.draw(40), isSwapped: seed.draw(2) == 0)
  }

  /// Updates, deletes and inserts objects, and saves them in one transaction.
  private mutating func edit(_ other: ObjectContext) throws(HistoryError) {
    let keys = rows.keys.filter { !swapped.contains($0) }.sorted()
    for place in 0..<24 {
      let key = keys[place * 21 + seed.draw(21)]
      let id = ObjectID(entity: 1, key: key)
      switch place % 4 {
      case 0:
        other.delete(id)
        rows[key] = nil
      case 1:
        let new = row()
        rows[try other.insert("Item", new.values).id.key] = new
      default:
        guard let object = try other.object(id), let old = rows[key] else { continue }
        let new = row()
        for (name, value) in new.values where value != old.values[name] {
          try object.set(value, for: name)
        }
        rows[key] = new
      }
    }
    for key in swapped {
      rows[key]?.isSwapped.toggle()
      let object = try other.object(ObjectID(entity: 1, key: key))
      for name in ["first", "second"] {
        try object?.set(rows[key]?.values[name] ?? .null, for: name)
      }
    }
    let inserted = try other.save()
    expect(inserted != nil, "a save of edits makes no transaction")
  }

  private mutating func merge(_ view: ObjectContext) throws(HistoryError) {
    let page = try view.store.fetch(HistoryRequest(after: merged))
    try view.merge(page.transactions)
    merged = page.scannedThrough
  }

  /// Compares each list with the expected rows, and the lists' objects with the registered objects.
  private func compare(_ lists: [ListCopy], _ view: ObjectContext, _ when: String) {
    var listed: Set<ObjectID> = []
    for list in lists {
      let wanted = list.query.keys(rows)
      let found = list.ids.map(\.key)
      expect(found == wanted, "\(when), \(list.query) has \(found), not \(wanted)")
      for key in wanted where list.rows[key] != rows[key] {
        let (row, copy) = ("\(rows[key] as Any)", "\(list.rows[key] as Any)")
        expect(false, "\(when), a list reports \(key) as \(copy), not as \(row)")
      }
      listed.formUnion(list.ids)
    }
    var registered: Set<ObjectID> = []
    view.forEachRegistered { id, _ in registered.insert(id) }
    expect(
      registered == listed,
      "\(when), \(registered.count) objects are registered, but lists have \(listed.count)"
    )
  }

  // MARK: Limits

  /// Deletes objects from the result of a live query with a limit, one by one.
  ///
  /// The live query reads more objects than its limit: spare ones, half as many as the limit. As
  /// long as spare objects are left, one must replace a deleted object, without a query of the
  /// store. The next delete needs a query. The query must also find an insert that another context
  /// has saved and that is not merged yet. A new object at the end of the order must not replace a
  /// deleted object, because objects that were not read yet precede it.
  private mutating func replace(_ saved: Store) throws(HistoryError) {
    let limit = 6 + seed.draw(7)
    let view = context(saved, "app", retains: seed.draw(2) == 0)
    var rest: [ObjectID] = []
    for number in 0..<30 {
      rest.append(try view.insert("Short", ["count": .int(Int64(number))]).id)
    }
    try view.save()
    let live = try view.liveObjects("Short", sortedBy: ["count"], limit: limit)
    guard let reader = live.makeAsyncIterator().reader else { return }
    guard case .result(let first) = try reader.evaluate() else {
      return faults.append("a live query has no first result")
    }
    expect(first.objectIDs == Array(rest.prefix(limit)), "a limited list has other objects")
    let hidden = try context(saved, "widget", retains: true).insert("Short", ["count": -1])
    try hidden.context.save()
    rest.append(try view.insert("Short", ["count": 1000]).id)
    for deleted in 0...limit / 2 {
      view.delete(rest.remove(at: seed.draw(limit)))
      guard case .result(let result) = try reader.evaluate() else {
        return faults.append("a list does not change when one of its objects is deleted")
      }
      let isRead = deleted == limit / 2
      let wanted = Array(((isRead ? [hidden.id] : []) + rest).prefix(limit))
      expect(
        result.objectIDs == wanted,
        "after \(deleted + 1) deletes, a list of \(limit) is \(result.objectIDs), not \(wanted)"
      )
    }
    try view.save()
    try merge(view)
    guard case .unchanged = try reader.evaluate() else {
      return faults.append("a list changes by a merge of an insert that it has read")
    }
  }

  // MARK: Waiting

  /// Checks which results tasks receive from a live query after edits, saves and merges.
  ///
  /// One task is cancelled, and must end. The query's context is released when this function
  /// returns; the task of each returned reader must then end, if it has not ended before.
  private mutating func wait(_ saved: Store) throws(HistoryError) -> [WaitingReader] {
    let view = context(saved, "app", retains: false)
    let other = context(saved, "widget", retains: false)
    merged = try saved.currentToken()
    let live = try view.liveObjects("Short", where: .compare("count", .greater, 1000))
    let readers = [WaitingReader(live), WaitingReader(live)]
    func check(_ number: Int, _ wanted: [[ObjectID]], isOver: Bool = false, _ when: String) {
      let found = readers[number].run()
      expect(found.lists == wanted, "\(when), a waiting reader has read \(found), not \(wanted)")
      expect(found.isOver == isOver, "\(when), a waiting reader is at its end: \(found)")
    }
    check(0, [[]], "at first")
    try view.insert("Short", ["count": 7])
    check(0, [[]], "after an edit outside of the list")
    let first = try view.insert("Short", ["count": 1002]).id
    check(0, [[], [first]], "after an edit")
    try view.save()
    let second = try other.insert("Short", ["count": 1001]).id
    try other.save()
    check(0, [[], [first]], "after a save in another context")
    try merge(view)
    check(0, [[], [first], [first, second]], "after a merge")
    check(1, [[first, second]], "for a second reader")
    readers[0].task.cancel()
    check(0, [[], [first], [first, second]], isOver: true, "after a cancellation")
    view.delete(first)
    check(1, [[first, second], [second]], "after a delete")
    view.rollback()
    check(1, [[first, second], [second], [first, second]], "after a rollback")
    let failing = WaitingReader(try view.liveObjects("Short", where: .null("none")))
    let error = failing.run().error
    expect(error?.code == .unknownAttribute, "a query of a missing attribute gives \(error as Any)")
    expect(.unknownAttribute, of: "a live query sorted by a missing attribute") {
      () throws(HistoryError) in
      _ = try view.liveObjects("Short", sortedBy: ["none"])
    }
    return readers
  }

  // MARK: Failures

  /// Lets an evaluation fail after it has registered objects: the query must end, and release them.
  ///
  /// The evaluation reads the changed objects by their keys, and then the list by a damaged index.
  private mutating func fail(
    _ model: Model,
    _ folder: borrowing ScratchFolder
  ) throws(HistoryError) {
    let path = folder.file("damaged")
    let saved = try Store(path: path, model: model, configuration: configuration())
    let view = context(saved, "app", retains: false)
    let other = context(
      try Store(path: path, model: model, configuration: configuration()),
      "widget",
      retains: true
    )
    var objects: [StoredObject] = []
    for number in 0..<20 {
      objects.append(try other.insert("Short", ["count": .int(Int64(number)), "title": "here"]))
    }
    try other.save()
    merged = try saved.currentToken()
    let predicate = ObjectPredicate.compare("title", .notEqual, "gone")
    let plan = try view.explain("Short", where: predicate, sortedBy: ["count"], limit: 4)
    expect(plan.contains("INDEX"), "the list is not read by an index: \(plan)")
    let live = try view.liveObjects("Short", where: predicate, sortedBy: ["count"], limit: 4)
    guard let reader = live.makeAsyncIterator().reader, case .result = try reader.evaluate() else {
      return faults.append("a live query has no first result")
    }
    try damageIndex(path, folder)
    for object in objects.prefix(4) { try object.set("gone", for: "title") }
    for object in objects[4..<6] { try object.set("new", for: "title") }
    try other.save()
    try merge(view)
    expect(.sqlite, of: "an evaluation by a damaged index") { () throws(HistoryError) in
      _ = try reader.evaluate()
    }
    guard case .ended = try reader.evaluate() else {
      return faults.append("a live query continues after an error")
    }
    let registered = try view.registeredObjects("Short").map(\.id)
    expect(registered.isEmpty, "a live query that ended with an error keeps \(registered)")
  }

  private func damageIndex(
    _ path: String,
    _ folder: borrowing ScratchFolder
  ) throws(HistoryError) {
    let raw = try RawFile(path)
    // The pages must be in the file itself, not in the WAL.
    _ = try raw.number("PRAGMA wal_checkpoint(TRUNCATE)")
    let size = Int(try raw.number("PRAGMA page_size") ?? 0)
    let sql = "SELECT rootpage FROM sqlite_master WHERE type = 'index' AND sql LIKE '%\"count\"%'"
    guard let page = try raw.number(sql) else { return faults.append("the file has no index") }
    folder.overwrite("damaged", with: 0, count: size, at: (Int(page) - 1) * size)
  }
}
