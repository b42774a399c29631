import HistoryTypes

/// A plain model of a context's edits, undo and redo: two stacks of whole states.
struct UndoReference {
  /// An unsaved edit of one object.
  enum Edit {
    case insert([Value])
    /// The values that were set, by the index of the attribute.
    case update([Int: Value])
    case delete
  }

  /// The committed rows, and the unsaved edits on top of them.
  struct State {
    var committed: [ObjectID: [Value]] = [:]
    var edits: [ObjectID: Edit] = [:]

    /// The values of an object, or `nil` if the context does not have the object.
    func row(_ id: ObjectID) -> [Value]? {
      switch edits[id] {
      case .insert(let values): return values
      case .delete: return nil
      case nil: return committed[id]
      case .update(let changed):
        guard var row = committed[id] else { return nil }
        for (index, value) in changed { row[index] = value }
        return row
      }
    }

    /// The objects of an entity in the context, in key order.
    func ids(_ entity: Int32) -> [ObjectID] {
      Set(committed.keys).union(edits.keys)
        .filter { $0.entity == entity && row($0) != nil }
        .sorted { $0.key < $1.key }
    }
  }

  /// The states before and after one edit or a group of edits.
  private struct Step {
    let before: State
    var after: State
  }

  private(set) var state = State()
  private(set) var levels = 0
  private var done: [Step] = []
  private var undone: [Step] = []
  private var depth = 0
  /// Whether the next edit belongs to the last step.
  private var isOpen = false

  var canUndo: Bool { !done.isEmpty }
  var canRedo: Bool { !undone.isEmpty }

  mutating func setLevels(_ count: Int) {
    levels = count
    done = done.suffix(count)
    undone = undone.suffix(count)
  }

  mutating func beginGroup() { depth += 1 }

  mutating func endGroup() {
    depth -= 1
    if depth == 0 { isOpen = false }
  }

  // MARK: Edits

  mutating func insert(_ id: ObjectID, _ values: [Value]) {
    record { $0.edits[id] = .insert(values) }
  }

  mutating func set(_ value: Value, _ index: Int, of id: ObjectID) {
    record { $0.set(value, index, of: id) }
  }

  mutating func delete(_ id: ObjectID) {
    record { $0.delete(id) }
  }

  private mutating func record(_ edit: (inout State) -> Void) {
    let before = state
    edit(&state)
    guard levels > 0 else { return }
    undone = []
    if isOpen {
      done[done.count - 1].after = state
    } else {
      done = (done + [Step(before: before, after: state)]).suffix(levels)
    }
    isOpen = depth > 0
  }

  // MARK: Undo and redo

  mutating func undo() -> Bool {
    guard let step = done.popLast() else { return false }
    undone.append(revert(step))
    return true
  }

  mutating func redo() -> Bool {
    guard let step = undone.popLast() else { return false }
    done.append(revert(step))
    return true
  }

  /// Reverts a step, and returns the opposite step.
  private mutating func revert(_ step: Step) -> Step {
    let before = state
    let (old, new) = (step.before, step.after)
    for id in Set(old.committed.keys).union(new.committed.keys).union(old.edits.keys)
      .union(new.edits.keys)
    {
      switch (new.row(id), old.row(id)) {
      case (nil, nil): break
      case (_?, nil): if state.row(id) != nil { state.delete(id) }
      case (nil, _?): state.restore(id, old.edits[id])
      case (_?, _?): state.revert(id, from: new, to: old)
      }
    }
    return Step(before: before, after: state)
  }

  private mutating func forgetSteps() {
    done = []
    undone = []
    isOpen = false
  }

  // MARK: Saves and merges

  mutating func rollback() {
    state.edits = [:]
    forgetSteps()
  }

  mutating func save() {
    var deleted: [ObjectID] = []
    for (id, edit) in state.edits {
      if case .delete = edit { deleted.append(id) }
      state.committed[id] = state.row(id)
    }
    state.edits = [:]
    if !deleted.isEmpty { forgetSteps() }
    for id in deleted { nullify(id) }
  }

  /// Applies a merged commit of another context: the object's new row, or `nil` for a delete.
  mutating func merge(_ id: ObjectID, _ row: [Value]?) {
    state.committed[id] = row
    guard row == nil else { return }
    state.edits[id] = nil
    nullify(id)
  }

  /// Makes the committed references to a deleted object null if the object is a `List`.
  private mutating func nullify(_ id: ObjectID) {
    guard id.entity == UndoScript.list else { return }
    for (task, row) in state.committed where task.entity == UndoScript.task {
      if row[UndoScript.reference] == Value(referringTo: id) {
        state.committed[task]?[UndoScript.reference] = .null
      }
    }
  }

  /// Whether an unsaved edit of a `Task` refers to a `List` that the context does not have.
  var isDangling: Bool {
    state.edits.contains { id, edit in
      guard id.entity == UndoScript.task else { return false }
      let value: Value? =
        switch edit {
        case .insert(let values): values[UndoScript.reference]
        case .update(let changed): changed[UndoScript.reference]
        case .delete: nil
        }
      guard case .int(let key)? = value else { return false }
      return state.row(ObjectID(entity: UndoScript.list, key: key)) == nil
    }
  }
}

extension UndoReference.State {
  fileprivate mutating func set(_ value: Value, _ index: Int, of id: ObjectID) {
    switch edits[id] {
    case .insert(var values):
      values[index] = value
      edits[id] = .insert(values)
    case .update(var changed):
      changed[index] = value
      edits[id] = .update(changed)
    case .delete: break
    case nil: edits[id] = .update([index: value])
    }
  }

  private func sets(_ index: Int, of id: ObjectID) -> Bool {
    switch edits[id] {
    case .insert: true
    case .update(let changed): changed[index] != nil
    case .delete, nil: false
    }
  }

  fileprivate mutating func delete(_ id: ObjectID) {
    if case .insert? = edits[id] { edits[id] = nil } else { edits[id] = .delete }
  }

  /// Restores a deleted object and its earlier edit, unless another context has deleted the object.
  fileprivate mutating func restore(_ id: ObjectID, _ edit: UndoReference.Edit?) {
    switch (edits[id], edit) {
    case (.delete?, _), (nil, .insert?): edits[id] = edit
    default: break
    }
  }

  /// Reverts a step for the attributes of one object.
  ///
  /// A step that sets an attribute to the value that it already has only adds the attribute to the
  /// object's unsaved edit. This is reverted, too. An attribute whose value has changed since the
  /// step keeps its new value.
  fileprivate mutating func revert(_ id: ObjectID, from after: Self, to before: Self) {
    guard let now = row(id), let old = before.row(id), let new = after.row(id) else { return }
    for index in old.indices {
      let (isSame, wasSet) = (old[index] == new[index], before.sets(index, of: id))
      guard !isSame || wasSet != after.sets(index, of: id), now[index] == new[index] else {
        continue
      }
      set(old[index], index, of: id)
      guard !isSame || !wasSet, case .update(var changed)? = edits[id],
        committed[id]?[index] == old[index]
      else { continue }
      changed[index] = nil
      edits[id] = changed.isEmpty ? nil : .update(changed)
    }
  }
}
