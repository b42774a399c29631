public import HistoryStore
import HistoryTypes

extension ObjectContext {
  /// The maximum number of edits, or groups of edits, that can be undone; the default is 0.
  ///
  /// Beyond this number, each further edit discards the oldest one. ``setLevelsOfUndo(_:)`` sets the
  /// number.
  ///
  /// Core Data: `UndoManager.levelsOfUndo` of `NSManagedObjectContext.undoManager`.
  public var levelsOfUndo: Int { state.withLock { $0.undo.levelCount } }

  /// Sets the maximum number of edits, or groups of edits, that can be undone.
  ///
  /// If more edits than the new number can be undone, the oldest are discarded immediately.
  ///
  /// - Throws: ``HistoryError/Code/negativeBound`` if `count` is negative; ``levelsOfUndo`` is then
  ///   unchanged.
  /// - Complexity: linear in the discarded edits; no query.
  public func setLevelsOfUndo(_ count: Int) throws(HistoryError) {
    guard count >= 0 else { throw .negativeBound("levelsOfUndo", count) }
    state.withLock { $0.undo.setLevelCount(count) }
  }

  /// A Boolean value that indicates whether an edit can be undone.
  public var canUndo: Bool { state.withLock { !$0.undo.done.isEmpty } }

  /// A Boolean value that indicates whether an undone edit can be done again.
  public var canRedo: Bool { state.withLock { !$0.undo.undone.isEmpty } }

  /// Runs a closure whose edits are undone and redone together.
  ///
  /// The group includes edits by other threads while the closure runs, and the edits of nested
  /// groups. If the closure throws, its edits so far remain, and can be undone.
  ///
  /// Core Data: `UndoManager.beginUndoGrouping()` and `endUndoGrouping()`.
  ///
  /// - Throws: The error of the closure.
  public func undoGroup<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    state.withLock { $0.undo.beginGroup() }
    defer { state.withLock { $0.undo.endGroup() } }
    return try body()
  }

  /// Reverts the last edit, or group of edits, that is not undone yet.
  ///
  /// An undo only adds, changes or removes unsaved edits, and never reverts what other contexts or
  /// processes have committed:
  ///
  /// - An attribute that a merge has changed since the edit keeps its value.
  /// - An object that a merge has deleted stays deleted.
  /// - An object whose deletion is undone returns with its current values in the store, and with its
  ///   earlier unsaved edits. No other object is affected, because delete rules are applied only by a
  ///   save.
  ///
  /// Saved edits can be undone as well; the next save then writes the reversal. A save that deletes
  /// an object, even by a delete rule or as a duplicate, discards everything that can be undone and
  /// redone: keys are never reused, so the object cannot return. ``rollback()``, ``reset()`` and
  /// ``loadAll()`` also discard everything that can be undone and redone.
  ///
  /// Core Data: `NSManagedObjectContext.undo()`, which would overwrite merged changes.
  ///
  /// - Returns: `false` if there is no edit to undo.
  /// - Throws: ``HistoryError/Code/sqlite``; the context is then unchanged.
  /// - Complexity: one query of one row for each edited object that the context has released.
  @discardableResult
  public func undo() throws(HistoryError) -> Bool {
    try revertLast(of: \.done, into: \.undone)
  }

  /// Reverts the last ``undo()``, by the same rules, unless the context was edited since.
  ///
  /// Core Data: `NSManagedObjectContext.redo()`.
  ///
  /// - Returns: `false` if there is no edit to do again.
  /// - Throws: ``HistoryError/Code/sqlite``; the context is then unchanged.
  /// - Complexity: one query of one row for each edited object that the context has released.
  @discardableResult
  public func redo() throws(HistoryError) -> Bool {
    try revertLast(of: \.undone, into: \.done)
  }

  private func revertLast(
    of from: WritableKeyPath<UndoStack, [UndoGroup]>,
    into to: WritableKeyPath<UndoStack, [UndoGroup]>
  ) throws(HistoryError) -> Bool {
    try state.withLock { state throws(HistoryError) in
      guard let group = state.undo[keyPath: from].last else { return false }
      for id in group.order { _ = try readReleased(id, &state) }
      state.undo[keyPath: from].removeLast()
      state.undo.closeGroup()
      let reverted = state.revert(group)
      state.undo[keyPath: to].append(reverted)
      state.releaseUnheld(group.order)
      return true
    }
  }
}

/// The edits of a context that can be undone and redone.
struct UndoStack: Sendable {
  fileprivate(set) var levelCount = 0
  fileprivate(set) var done: [UndoGroup] = []
  fileprivate(set) var undone: [UndoGroup] = []
  private var depth = 0
  private var isGroupOpen = false

  var isRecording: Bool { levelCount > 0 }

  fileprivate mutating func setLevelCount(_ count: Int) {
    levelCount = count
    trim()
  }

  fileprivate mutating func beginGroup() {
    depth += 1
    if depth == 1 { isGroupOpen = false }
  }

  fileprivate mutating func endGroup() {
    depth -= 1
    if depth == 0 { isGroupOpen = false }
  }

  /// Makes the next edit begin a group of its own, because the last group was undone.
  fileprivate mutating func closeGroup() { isGroupOpen = false }

  /// Adds an edit to the open group, or as a group of its own.
  fileprivate mutating func note(_ id: ObjectID, _ before: ObjectState, _ after: ObjectState) {
    undone = []
    if !isGroupOpen || done.isEmpty { done.append(UndoGroup()) }
    isGroupOpen = depth > 0
    done[done.count - 1].note(id, before, after)
    trim()
  }

  /// Discards everything that can be undone and redone.
  mutating func clear() {
    done = []
    undone = []
  }

  private mutating func trim() {
    if done.count > levelCount { done.removeFirst(done.count - levelCount) }
    if undone.count > levelCount { undone.removeFirst(undone.count - levelCount) }
  }
}

/// The objects that one group of edits changed, each with its state before and after the group.
struct UndoGroup: Sendable {
  fileprivate private(set) var order: [ObjectID] = []
  fileprivate private(set) var changes: [ObjectID: (before: ObjectState, after: ObjectState)] = [:]

  fileprivate mutating func note(_ id: ObjectID, _ before: ObjectState, _ after: ObjectState) {
    if changes[id] == nil { order.append(id) }
    changes[id] = (changes[id]?.before ?? before, after)
  }
}

/// An object's state in the context at one moment, such as before an edit that can be undone.
struct ObjectState: Sendable {
  /// The object's values, with unsaved edits; `nil` if the object was not in the context.
  fileprivate let row: [Value]?
  fileprivate let edit: PendingEdit?
}

extension ContextState {
  /// Runs a closure that edits one object, and records the edit if edits can be undone.
  mutating func recording(_ id: ObjectID, _ body: (inout ContextState) -> Void) {
    guard undo.isRecording else { return body(&self) }
    let before = objectState(id)
    body(&self)
    undo.note(id, before, objectState(id))
  }

  private func objectState(_ id: ObjectID) -> ObjectState {
    ObjectState(row: row(of: id).map(Array.init), edit: edits[id])
  }

  /// Reverts the changes of a group, and returns a group whose reversal restores the changes.
  fileprivate mutating func revert(_ group: UndoGroup) -> UndoGroup {
    var reverted = UndoGroup()
    for id in group.order.reversed() {
      guard let change = group.changes[id] else { continue }
      let before = objectState(id)
      switch (change.after.row, change.before.row) {
      case (_?, nil): if isHere(id) { delete(id) }
      case (nil, _?): restore(id, change.before.edit)
      case (_?, _?): revert(id, from: change.after, to: change.before)
      case (nil, nil): break
      }
      reverted.note(id, before, objectState(id))
    }
    return reverted
  }

  /// Undoes the deletion of an object in the context, unless the store has deleted the object.
  private mutating func restore(_ id: ObjectID, _ edit: PendingEdit?) {
    if edits[id]?.type == .delete {
      forgetEdits(of: id)
      if let edit { enter(id, edit) }
    } else if edits[id] == nil, let edit, edit.type == .insert {
      // The object was never saved, so its key was not used yet.
      enter(id, edit)
    }
  }

  /// Restores the attributes that an edit changed, except those that were changed again since.
  private mutating func revert(_ id: ObjectID, from after: ObjectState, to before: ObjectState) {
    guard let current = row(of: id), let old = before.row, let new = after.row else { return }
    for index in old.indices {
      let isSame = old[index].order(to: new[index]) == 0
      let wasSet = before.edit?.value(index) != nil
      // Setting an attribute to the value that it has is an edit, too.
      guard !isSame || wasSet != (after.edit?.value(index) != nil),
        current[current.startIndex + index].order(to: new[index]) == 0
      else { continue }
      set(old[index], index, of: id)
      if !isSame || !wasSet { withdraw(index, of: id) }
    }
  }

  /// Discards the edit of an attribute if the edited value equals the committed value.
  private mutating func withdraw(_ attribute: Int, of id: ObjectID) {
    guard var edit = edits[id], edit.type == .update, let value = edit.value(attribute),
      self[table: id.entity].value(attribute, of: id.key)?.order(to: value) == 0
    else { return }
    let column: UInt64 = 1 << UInt64(attribute)
    edit.values.remove(at: (edit.columns & (column - 1)).nonzeroBitCount)
    edit.columns &= ~column
    if edit.columns == 0 { forgetEdits(of: id) } else { enter(id, edit) }
  }
}
