import HistoryStore
import HistoryTypes
import ObjectContexts

extension PinScript {
  /// Makes a save fail in a pinned context, which then stays at its snapshot.
  mutating func failToSave(_ saved: Store, _ other: ObjectContext) throws(HistoryError) {
    try write([.string("base"), 1, nil], to: try added(other), other)
    let view = ObjectContext(store: saved, author: "app")
    let token = try view.pin()
    let old = current
    let id = seed.pick(ids(Self.item) { old[$0] })
    let object = try view.object(id)
    try object?.set("mine", for: "name")
    try write([.string("theirs"), .int(Int64(10 + seed.draw(5))), nil], to: id, other)
    expect(.conflict, of: "a save of a pinned object that was changed") {
      () throws(HistoryError) in try view.save()
    }
    expect(view.pinnedAt == token, "a failed save moves the context")
    expect(view.hasChanges, "a failed save discards an edit")
    expect(try object?["name"] == "mine", "a failed save changes an edited value")
    view.rollback()
    try compare(view, after: "a failed save") { old[$0] }
    // The context has not read the object, so there is no conflict.
    view.unpin()
    view.releaseAll()
    let unread = try added(other)
    view.delete(unread)
    expect(try registered(view, Self.item)[unread] == nil, "a delete reads the object")
    try write([.string("late"), 1, nil], to: unread, other)
    try view.save()
    commit(unread, nil)
    try compare(view, after: "a delete of an unread object") { current[$0] }
  }

  /// Commits an item without values.
  mutating func added(_ other: ObjectContext) throws(HistoryError) -> ObjectID {
    let id = try other.insert("Item").id
    try other.save()
    current[id] = [.null, .null, .null]
    return id
  }

  /// Suspends and resumes the store of a pinned context, which must then lose its snapshot.
  ///
  /// Reads must fail until the context is pinned again, unpinned, refreshed or reset.
  mutating func suspend(_ saved: Store, _ other: ObjectContext) throws(HistoryError) {
    let view = ObjectContext(store: saved)
    try view.pin()
    try saved.suspend()
    expect(.suspended, of: "a read of a pinned context of a suspended store") {
      () throws(HistoryError) in _ = try view.objects("Item")
    }
    expect(.suspended, of: "to pin a context of a suspended store") { () throws(HistoryError) in
      _ = try ObjectContext(store: saved).pin()
    }
    try saved.resume()
    expect(.snapshotLost, of: "a read after a suspension") { () throws(HistoryError) in
      _ = try view.objects("Item")
    }
    expect(.snapshotLost, of: "a count after a suspension") { () throws(HistoryError) in
      _ = try view.count("Note")
    }
    try writeAny(other)
    switch seed.draw(4) {
    case 0: try view.pin()
    case 1: try view.refreshAll()
    case 2: view.reset()
    default: view.unpin()
    }
    try compare(view, after: "a suspension") { current[$0] }
  }

  /// Compares the rows that a store reads without a context with the committed rows.
  func compareRows(_ saved: Store) throws(HistoryError) {
    let limit = Int64(seed.draw(6))
    for predicate in [nil, ObjectPredicate.compare("count", .greater, .int(limit))] {
      let rows = try saved.rows(Self.item, where: predicate)
      let wanted = ids(Self.item) { current[$0] }.filter {
        guard predicate != nil else { return true }
        return current[$0]?[1].int.map { $0 > limit } ?? false
      }
      expect(rows.keys == wanted.map(\.key), "a store reads the rows \(rows.keys)")
    }
  }

  /// Pins contexts of a store that is open for reading, and of one without history.
  mutating func pinOtherStores(
    _ folder: borrowing ScratchFolder,
    _ path: String
  ) throws(HistoryError) {
    let reading = try Store(reading: path, copyingTo: folder.path)
    let reader = ObjectContext(store: reading)
    expect(.openForReading, of: "to pin a context of a store that is open for reading") {
      () throws(HistoryError) in _ = try reader.pin()
    }
    expect(reader.pinnedAt == nil, "a context of a store that is open for reading is pinned")
    expect(
      try reader.objects("Item").count == ids(Self.item) { current[$0] }.count,
      "a store that is open for reading has the wrong number of items"
    )

    let plain = try open(folder.file("plain"), tracksHistory: false)
    let (view, writer) = (ObjectContext(store: plain), ObjectContext(store: plain))
    try writer.insert("Note", ["text": "first"])
    try writer.save()
    expect(try view.pin() == nil, "a context without history is pinned at a position")
    try writer.insert("Note", ["text": "second"])
    try writer.save()
    expect(view.pinnedAt == nil, "a pinned context without history has a position")
    expect(try view.count("Note") == 1, "a pinned context without history reads a later commit")
    try view.refreshAll()
    expect(try view.count("Note") == 2, "a refreshed context without history reads an old commit")
  }

  /// Reads rows of over 2 MiB in total; a store lowers the limit of its page cache for such a read.
  func readLongRows(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let long = try open(folder.file("long"))
    let writer = ObjectContext.retaining(long, author: "app", name: "view")
    let lengths = (0..<24).map { 90_000 + $0 }
    for length in lengths {
      let text = String(decoding: [UInt8](repeating: 0x78, count: length), as: UTF8.self)
      try writer.insert("Item", ["name": .string(text)])
    }
    try writer.save()
    let view = ObjectContext(store: long)
    for isAgain in [false, true] {
      if isAgain { try view.refreshAll() } else { try view.loadAll() }
      let items = try view.registeredObjects("Item")
      let found = try items.map { item throws(HistoryError) in
        try item["name"]?.string?.utf8.count ?? 0
      }
      expect(found == lengths, "long rows are read with the lengths \(found)")
    }
  }
}
