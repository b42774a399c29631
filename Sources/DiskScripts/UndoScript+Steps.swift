import HistoryStore
import HistoryTypes
import ObjectContexts

/// The steps that every run of an ``UndoScript`` takes.
extension UndoScript {
  /// Undoes one of two edits of a saved object: the next save writes only the other one.
  mutating func undoAttributes(_ view: ObjectContext) throws(HistoryError) {
    let task = seed.pick(plain.state.ids(Self.task))
    let number = Int64(100 + seed.draw(9))
    var edits: [(Int, Value)] = [(Self.title, text()), (Self.count, .int(number))]
    if seed.draw(2) == 0 { edits.reverse() }
    for (index, value) in edits { try set(value, index, of: task, view) }
    try undo(view)
    let before = try view.store.currentToken()
    let isSaved = seed.draw(2) == 0
    if isSaved { try save(view) }
    try undo(view)
    try redo(view)
    if !isSaved { try save(view) }
    let page = try view.store.fetch(HistoryRequest(after: before))
    let columns = page.changes.map(\.columnNumbers)
    expect(columns == [[edits[0].0]], "a save after an undo writes the attributes \(columns)")
    try undo(view)
    try undo(view)
    try save(view)
  }

  mutating func undoInserts(_ view: ObjectContext) throws(HistoryError) {
    try insert(Self.task, view)
    guard let id = known.last else { return }
    try set(text(), Self.title, of: id, view)
    for _ in 0..<2 { try undo(view) }
    for _ in 0..<2 { try redo(view) }
    if seed.draw(2) == 0 { try save(view) }
    for _ in 0..<2 { try undo(view) }
    try redo(view)
  }

  /// Undoes two deletes of a task: first of a released one, then of one with an unsaved edit.
  mutating func undoDeletes(_ view: ObjectContext) throws(HistoryError) {
    try save(view)
    view.releaseAll()
    let task = seed.pick(plain.state.ids(Self.task))
    plain.delete(task)
    view.delete(task)
    try undo(view)
    try set(text(), Self.title, of: task, view)
    try delete(task, view)
    expect(.unknownObject, of: "an edit of a deleted object") { () throws(HistoryError) in
      try StoredObject(context: view, id: task).set(.null, for: "title")
    }
    try undo(view)
    try redo(view)
    try undo(view)
  }

  mutating func useGroups(
    _ view: ObjectContext,
    _ other: ObjectContext
  ) throws(HistoryError) {
    try group(view, editCount: 3)
    try undo(view)
    try redo(view)
    try undo(view)
    // Edits of a group after a rollback are still undone together.
    plain.beginGroup()
    try view.undoGroup { () throws(HistoryError) in
      for _ in 0..<2 { try edit(view) }
      rollback(view)
      for _ in 0..<2 { try edit(view) }
    }
    plain.endGroup()
    try compare(view, "a group with a rollback")
    try undo(view)
    plain.beginGroup()
    expect(.unknownEntity, of: "an insert of an unknown entity") { () throws(HistoryError) in
      try view.undoGroup { () throws(HistoryError) in
        for _ in 0..<2 { try edit(view) }
        _ = try view.insert("Unknown")
      }
    }
    plain.endGroup()
    try compare(view, "a group that throws")
    try undo(view)
    expect(.negativeBound, of: "a negative number of levels") { () throws(HistoryError) in
      try view.setLevelsOfUndo(-1 - seed.draw(3))
    }
    try compare(view, "a negative number of levels")
    rollback(view)
    try edit(view)
    try undo(view)
  }

  /// Undoes edits of objects that another context has changed or deleted meanwhile.
  mutating func mergeMeanwhile(
    _ view: ObjectContext,
    _ other: ObjectContext
  ) throws(HistoryError) {
    rollback(view)
    try setLevels(6, view)
    for _ in 0..<3 { try insert(Self.task, view) }
    try save(view)
    let tasks = Array(known.suffix(3))
    try setLevels(0, view)
    try setLevels(6, view)
    for task in tasks { try set(text(), Self.title, of: task, view) }
    try delete(tasks[2], view)
    // The unsaved edit hides one changed attribute, and not the other.
    let row: [Value] = [text(), .int(-1), .null]
    try write(other, tasks[0], row)
    try write(other, tasks[1], nil)
    try write(other, tasks[2], row)
    try mergeAll(view)
    for _ in 0..<4 { try undo(view) }
    for _ in 0..<4 { try redo(view) }
    for _ in 0..<2 { try undo(view) }
    try save(view)
    try compareSaved(view)
  }

  /// Saves an insert that a duplicate from another context replaces.
  ///
  /// After this save, the context must have no step to undo or redo.
  func replaceDuplicate(
    _ view: ObjectContext,
    _ other: ObjectContext
  ) throws(HistoryError) {
    try other.insert("List", ["name": "same"])
    try other.save()
    let object = try view.insert("List", ["name": "same"])
    expect(view.canUndo, "an insert cannot be undone")
    try view.save()
    expect(!view.canUndo && !view.canRedo, "a replaced insert can be undone")
    expect(try !view.undo(), "an undo after a replaced insert has an effect")
    expect(try !view.redo(), "a redo after a replaced insert has an effect")
    expect(try object["name"] == "same", "a replaced insert has lost its value")
  }
}
