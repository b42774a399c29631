import HistoryStore
import HistoryTypes
import ObjectContexts

extension PinScript {
  private static let names = ["name", "count", "note"]

  /// Compares a context's registered objects with those that must stay registered.
  ///
  /// Unsaved edits and the `StoredObject`s that the script keeps make objects stay registered.
  mutating func holdObjects(_ saved: Store, _ other: ObjectContext) throws(HistoryError) {
    for number in 0..<14 {
      try other.insert("Item", ["count": .int(Int64(number))])
    }
    try other.save()
    for object in try other.objects("Item") {
      current[object.id] = try object.values(of: Self.names)
    }
    let view = ObjectContext(store: saved, author: "app", mergePolicy: .objectWins)
    var held = HeldReferences(merged: try saved.currentToken())
    try endEdits(view, other, &held)
    for _ in 0..<20 where faults.lines.isEmpty {
      try step(view, other, &held)
      try compare(view, held)
    }
    view.rollback()
    held.rollback()
    held.dropAll()
    try compare(view, held)
    try insertUnsaved(view)
    try replaceHeld(view, other)
    try retain(saved)
  }

  // MARK: Fixed steps

  /// Ends the unsaved edits of two objects by rollback, save, refresh and undo.
  ///
  /// Only the object for which the script keeps a `StoredObject` must then stay registered.
  private mutating func endEdits(
    _ view: ObjectContext,
    _ other: ObjectContext,
    _ held: inout HeldReferences
  ) throws(HistoryError) {
    let all = ids(Self.item) { current[$0] }
    let (first, last) = (all[seed.draw(all.count - 1)], all[all.count - 1])
    for way in 0..<4 {
      try find(first, view, &held)
      try view.setLevelsOfUndo(way == 3 ? 2 : 0)
      for id in [first, last] { try edit(id, view, &held) }
      try compare(view, held)
      switch way {
      case 0: rollback(view, &held)
      case 1: try save(view, &held)
      case 2: for id in [first, last] { try refresh(id, keepingEdits: false, view, &held) }
      default:
        for _ in 0..<2 { try view.undo() }
        held.rollback()
      }
      try compare(view, held)
    }
    try view.setLevelsOfUndo(0)
    // The object with a reference shows its old values until the merge.
    for id in [first, last] { try write([.string("new"), 3, nil], to: id, other) }
    try compare(view, held)
    try merge(view, &held)
    // If so many references are dropped, the context releases their objects immediately.
    for _ in 0..<66 { try find(last, view, &held) }
    try compare(view, held)
    held.dropAll()
    try compare(view, held)
  }

  /// Lists the registered objects of one entity while another entity has unsaved inserts.
  private func insertUnsaved(_ view: ObjectContext) throws(HistoryError) {
    let note = try view.insert("Note").id
    expect(try view.registeredObjects("Item").isEmpty, "an inserted note is listed as an item")
    let items = try [view.insert("Item"), view.insert("Item")].map(\.id)
    let (notes, found) = (
      try view.registeredObjects("Note").map(\.id), try view.registeredObjects("Item").map(\.id)
    )
    expect(notes == [note], "the registered notes are \(notes), not \([note])")
    expect(found == items, "the registered items are \(found), not \(items)")
    expect(.unknownEntity, of: "to list an unknown entity") { () throws(HistoryError) in
      _ = try view.registeredObjects("Unknown")
    }
    view.rollback()
    expect(try view.registeredObjects("Note").isEmpty, "a rollback keeps an insert")
  }

  /// Saves two inserts that duplicate a stored object; the context replaces them with that object.
  ///
  /// The script keeps the inserted `StoredObject`s. As long as one is left, the stored object must
  /// stay registered.
  private func replaceHeld(
    _ view: ObjectContext,
    _ other: ObjectContext
  ) throws(HistoryError) {
    let kept = try other.insert("Note", ["text": "same"]).id
    try other.save()
    var objects: [StoredObject] = []
    for _ in 0..<2 {
      try objects.append(view.insert("Note", ["text": "same"]))
      try view.save()
    }
    for object in objects {
      expect(try view.object(object.id)?.id == kept, "\(object.id) is not replaced by \(kept)")
      expect(try object["text"] == "same", "a replaced object has other values")
    }
    for _ in 0..<2 {
      let found = try registered(view, Self.note)
      expect(found == [kept: ["same"]], "references to a replaced object register \(found)")
      objects.removeLast()
    }
    let left = try registered(view, Self.note)
    expect(left.isEmpty, "without references to replaced objects, \(left) are registered")
  }

  /// Checks a context that keeps the objects that it has read.
  private func retain(_ saved: Store) throws(HistoryError) {
    let view = ObjectContext.retaining(saved, author: nil, name: "all")
    let count = try view.objects("Item", limit: 3).count
    expect(try registered(view, Self.item).count == count, "a retaining context releases objects")
    guard let id = try view.objects("Item", limit: 1).first?.id else { return }
    expect(view.release(id), "a registered object is not released")
    expect(!view.release(id), "an object is released twice")
    expect(try registered(view, Self.item).count == count - 1, "a released object is registered")
    view.releaseAll()
    expect(try registered(view, Self.item).isEmpty, "releaseAll() keeps registered objects")
    try view.loadAll()
    expect(
      try registered(view, Self.item) == current.filter { $0.key.entity == Self.item },
      "loadAll() registers other rows"
    )
    expect(view.release(id) && !view.holdsAllObjects, "a context holds an object it has released")
  }

  // MARK: Random steps

  private mutating func step(
    _ view: ObjectContext,
    _ other: ObjectContext,
    _ held: inout HeldReferences
  ) throws(HistoryError) {
    let all = ids(Self.item) { current[$0] }
    guard !all.isEmpty else { return try writeAny(other) }
    let id = seed.pick(all)
    switch seed.draw(24) {
    case 0...2: try query(view, &held)
    case 3...5: try find(id, view, &held)
    case 6...9: held.drop(seed.draw(1000), isAll: seed.draw(3) == 0)
    case 10, 11: try edit(id, view, &held)
    case 12:
      view.delete(id)
      held.delete(id)
    case 13: try save(view, &held)
    case 14: rollback(view, &held)
    case 15: try refresh(id, keepingEdits: seed.draw(2) == 0, view, &held)
    case 16: try merge(view, &held)
    case 17, 18: expect(view.release(id) == held.release(id), "release() returns a wrong value")
    case 19: try read(&held)
    case 20 where seed.draw(4) == 0:
      view.reset()
      held.reset()
    case 20:
      view.releaseAll()
      held.releaseAll()
    default: try writeAny(other)
    }
  }

  /// Runs a query, which registers each object that it finds, with the stored row.
  ///
  /// If a found object is already registered, the stored row replaces its row, unless the object
  /// has unsaved edits.
  private func query(
    _ view: ObjectContext,
    _ held: inout HeldReferences
  ) throws(HistoryError) {
    let found = try view.objects("Item", limit: 1 + seed.draw(24), offset: seed.draw(4))
    held.add(found)
    for object in found where !held.edits.keys.contains(object.id) {
      held.register(object.id, current[object.id], isNew: true)
    }
  }

  private func find(
    _ id: ObjectID,
    _ view: ObjectContext,
    _ held: inout HeldReferences
  ) throws(HistoryError) {
    guard let object = try view.object(id) else {
      return expect(held.isDeleted(id), "\(id) is not found")
    }
    expect(!held.isDeleted(id), "\(id) is found after its delete")
    held.add([object], sharing: 1)
    held.register(id, current[id], isNew: false)
  }

  /// Reads an object through a reference, which registers the object again if it was released.
  private func read(_ held: inout HeldReferences) throws(HistoryError) {
    guard !held.references.isEmpty else { return }
    let object = seed.pick(held.references)
    let values = try object.values(of: Self.names)
    if !held.isDeleted(object.id) {
      held.register(object.id, current[object.id], isNew: false)
    }
    let row = held.row(object.id) ?? [.null, .null, .null]
    expect(values == row, "a reference to \(object.id) shows \(values), not \(row)")
  }

  private func edit(
    _ id: ObjectID,
    _ view: ObjectContext,
    _ held: inout HeldReferences
  ) throws(HistoryError) {
    let value = Value.string("e\(seed.draw(1_000_000_000))")
    guard let object = try view.object(id) else { return }
    try object.set(value, for: "name")
    held.register(id, current[id], isNew: false)
    held.set(value, 0, of: id)
  }

  private mutating func save(
    _ view: ObjectContext,
    _ held: inout HeldReferences
  ) throws(HistoryError) {
    try view.save()
    for (id, edit) in held.edits {
      guard let edit else {
        commit(id, nil)
        continue
      }
      guard current[id] != nil else { continue }
      for (index, value) in edit { current[id]?[index] = value }
    }
    held.save(current)
  }

  private func rollback(_ view: ObjectContext, _ held: inout HeldReferences) {
    view.rollback()
    held.rollback()
  }

  private func refresh(
    _ id: ObjectID,
    keepingEdits: Bool,
    _ view: ObjectContext,
    _ held: inout HeldReferences
  ) throws(HistoryError) {
    try view.refresh(id, keepingEdits: keepingEdits)
    held.refresh(id, current[id], keepingEdits: keepingEdits)
  }

  private func merge(
    _ view: ObjectContext,
    _ held: inout HeldReferences
  ) throws(HistoryError) {
    let page = try view.store.fetch(HistoryRequest(after: held.merged))
    try view.merge(page.transactions)
    held.merged = page.scannedThrough
    held.merge(current)
  }

  // MARK: Comparisons

  /// Returns the rows that a context has registered, without unsaved edits.
  func registered(
    _ view: ObjectContext,
    _ entity: Int32
  ) throws(HistoryError) -> Rows {
    var rows: Rows = [:]
    view.forEachRegistered { id, row in if id.entity == entity { rows[id] = Array(row) } }
    return rows
  }

  private func compare(
    _ view: ObjectContext,
    _ held: HeldReferences
  ) throws(HistoryError) {
    let rows = try registered(view, Self.item)
    let (keys, wanted) = (Set(rows.keys.map(\.key)), Set(held.registered.keys.map(\.key)))
    expect(keys == wanted, "the items \(keys.sorted()) are registered, not \(wanted.sorted())")
    expect(keys != wanted || rows == held.registered, "the registered items have other values")
    let listed = try view.registeredObjects("Item").map(\.id)
    expect(listed == held.listed, "registeredObjects() returns \(listed), not \(held.listed)")
    let references = held.references.filter { held.registered[$0.id] != nil }
    for _ in 0..<min(references.count, 3) {
      let object = seed.pick(references)
      let values = try object.values(of: Self.names)
      let row = held.row(object.id) ?? [.null, .null, .null]
      expect(values == row, "a reference to \(object.id) shows \(values), not \(row)")
    }
  }
}
