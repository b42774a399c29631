import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of undo and redo in one context, while another context edits the same objects.
///
/// After each step, the objects of the context are compared with an ``UndoReference``.
struct UndoScript: DiskScript {
  /// The numbers of the entities `List` and `Task`.
  static let (list, task): (Int32, Int32) = (1, 2)
  /// The indexes of the attributes of `Task`.
  static let (title, count, reference) = (0, 1, 2)
  private static let attributes = [list: ["name"], task: ["title", "count", "list"]]

  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  let seed: ScriptRandom
  var plain = UndoReference()
  /// The last transaction that the context has merged.
  private var merged: HistoryToken?
  /// All objects that existed, also those whose insert was undone.
  private(set) var known: [ObjectID] = []

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let entities = [
      Entity("List", [Attribute("name", .string)], uniquenessConstraints: [["name"]]),
      Entity(
        "Task",
        [Attribute("title", .string), Attribute("count", .int), Attribute("list", to: "List")]
      ),
    ]
    let model = try model(entities)
    let path = folder.file("undone")
    let saved = try Store(path: path, model: model, configuration: configuration())
    let view = ObjectContext(
      store: saved,
      author: "app",
      mergePolicy: .objectWins,
      retainsRegisteredObjects: seed.draw(2) == 0
    )
    let other = ObjectContext(store: saved, author: "widget", mergePolicy: .objectWins)
    try setLevels(0, view)
    for _ in 0..<3 {
      try insert(Self.list, view)
      try insert(Self.task, view)
    }
    try save(view)
    try setLevels(6, view)
    try undoAttributes(view)
    try undoInserts(view)
    try undoDeletes(view)
    try useGroups(view, other)
    for _ in 0..<25 where faults.lines.isEmpty { try step(view, other) }
    try mergeMeanwhile(view, other)
    try replaceDuplicate(view, other)
  }

  // MARK: Random steps

  private mutating func step(
    _ view: ObjectContext,
    _ other: ObjectContext
  ) throws(HistoryError) {
    switch seed.draw(24) {
    case 0: try setLevels(seed.draw(5), view)
    case 1...3: try group(view, editCount: seed.draw(4))
    case 4...8: try undo(view)
    case 9...12: try redo(view)
    case 13...14: try save(view)
    case 15: seed.draw(3) == 0 ? rollback(view) : view.releaseAll()
    case 16...17: try writeAny(other, view)
    case 18 where seed.draw(3) == 0:
      try view.loadAll()
      plain.rollback()
      try mergeAll(view)
    default: try edit(view)
    }
    try compare(view, "a random step")
  }

  func text() -> Value { .string("t\(seed.draw(1_000_000))") }

  private func values(_ entity: Int32) -> [Value] {
    guard entity == Self.task else { return [text()] }
    return [text(), .int(Int64(seed.draw(4))), reference()]
  }

  private func reference() -> Value {
    let lists = plain.state.ids(Self.list)
    return seed.draw(3) == 0 || lists.isEmpty ? .null : Value(referringTo: seed.pick(lists))
  }

  mutating func edit(_ view: ObjectContext) throws(HistoryError) {
    let entity = seed.draw(4) == 0 ? Self.list : Self.task
    let ids = plain.state.ids(entity)
    guard !ids.isEmpty, seed.draw(4) > 0 else { return try insert(entity, view) }
    let id = seed.pick(ids)
    if seed.draw(5) == 0 { return try delete(id, view) }
    let index = seed.draw(plain.state.row(id)?.count ?? 1)
    try set(values(entity)[index], index, of: id, view)
  }

  /// Makes edits that are undone together, some of them in a nested group.
  mutating func group(_ view: ObjectContext, editCount: Int) throws(HistoryError) {
    plain.beginGroup()
    try view.undoGroup { () throws(HistoryError) in
      for _ in 0..<editCount { try edit(view) }
      plain.beginGroup()
      try view.undoGroup { () throws(HistoryError) in try edit(view) }
      plain.endGroup()
      if editCount > 1 { try edit(view) }
    }
    plain.endGroup()
    try compare(view, "a group")
  }

  // MARK: Steps of the context and the reference

  mutating func insert(_ entity: Int32, _ view: ObjectContext) throws(HistoryError) {
    let row = values(entity)
    let names = Self.attributes[entity] ?? []
    let object = try view.insert(
      entity == Self.list ? "List" : "Task",
      Dictionary(zip(names, row)) { $1 }
    )
    known.append(object.id)
    plain.insert(object.id, row)
  }

  mutating func set(
    _ value: Value,
    _ index: Int,
    of id: ObjectID,
    _ view: ObjectContext
  ) throws(HistoryError) {
    guard let object = try view.object(id), let name = Self.attributes[id.entity]?[index] else {
      return faults.append("\(id) does not exist")
    }
    if name == "list", case .int(let key) = value, seed.draw(2) == 0 {
      let list = try view.object(ObjectID(entity: Self.list, key: key))
      try object.setDestination(list, of: name)
    } else {
      try object.set(value, for: name)
    }
    plain.set(value, index, of: id)
  }

  mutating func delete(_ id: ObjectID, _ view: ObjectContext) throws(HistoryError) {
    view.delete(id)
    plain.delete(id)
    expect(try view.object(id) == nil, "\(id) is found after its delete")
  }

  mutating func undo(_ view: ObjectContext) throws(HistoryError) {
    let isDone = try view.undo()
    expect(plain.undo() == isDone, "an undo returns \(isDone)")
    try compare(view, "an undo")
  }

  mutating func redo(_ view: ObjectContext) throws(HistoryError) {
    let isDone = try view.redo()
    expect(plain.redo() == isDone, "a redo returns \(isDone)")
    try compare(view, "a redo")
  }

  mutating func rollback(_ view: ObjectContext) {
    view.rollback()
    plain.rollback()
  }

  mutating func setLevels(_ count: Int, _ view: ObjectContext) throws(HistoryError) {
    try view.setLevelsOfUndo(count)
    plain.setLevels(count)
  }

  /// Saves the edits, or discards them if the store would refuse a reference.
  mutating func save(_ view: ObjectContext) throws(HistoryError) {
    guard !plain.isDangling else { return rollback(view) }
    try view.save()
    plain.save()
    try compare(view, "a save")
    if seed.draw(3) == 0 { try compareSaved(view) }
  }

  // MARK: The other context

  private mutating func writeAny(
    _ other: ObjectContext,
    _ view: ObjectContext
  ) throws(HistoryError) {
    let ids = plain.state.committed.keys.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    guard !ids.isEmpty else { return }
    let id = seed.pick(ids)
    var row = plain.state.committed[id] ?? []
    let index = seed.draw(min(row.count, 2))
    row[index] = values(id.entity)[index]
    try write(other, id, seed.draw(4) == 0 ? nil : row)
    try mergeAll(view)
  }

  /// Commits new values of an object, or its delete.
  mutating func write(
    _ other: ObjectContext,
    _ id: ObjectID,
    _ row: [Value]?
  ) throws(HistoryError) {
    if let row, let object = try other.object(id) {
      for (name, value) in zip(Self.attributes[id.entity] ?? [], row) {
        try object.set(value, for: name)
      }
    } else {
      other.delete(id)
    }
    try other.save()
    plain.merge(id, row)
  }

  mutating func mergeAll(_ view: ObjectContext) throws(HistoryError) {
    let page = try view.store.fetch(HistoryRequest(after: merged))
    try view.merge(page.transactions)
    merged = page.scannedThrough
  }

  // MARK: Comparisons

  func compare(_ view: ObjectContext, _ step: String) throws(HistoryError) {
    let levels = view.levelsOfUndo
    expect(
      levels == plain.levels,
      "after \(step), there are \(levels) levels of undo, not \(plain.levels)"
    )
    expect(view.canUndo == plain.canUndo, "after \(step), canUndo is \(view.canUndo)")
    expect(view.canRedo == plain.canRedo, "after \(step), canRedo is \(view.canRedo)")
    expect(
      view.hasChanges == !plain.state.edits.isEmpty,
      "after \(step), hasChanges is \(view.hasChanges)"
    )
    try compare(view, after: step) { plain.state.row($0) }
  }

  /// Compares the store with the committed rows.
  func compareSaved(_ view: ObjectContext) throws(HistoryError) {
    let fresh = ObjectContext(store: view.store)
    try compare(fresh, after: "a save, in the store") { plain.state.committed[$0] }
  }

  func compare(
    _ context: ObjectContext,
    after step: String,
    _ row: (ObjectID) -> [Value]?
  ) throws(HistoryError) {
    for (entity, name) in [(Self.list, "List"), (Self.task, "Task")] {
      let expected = known.filter { $0.entity == entity && row($0) != nil }
      let found = try context.objects(name)
      expect(
        found.map(\.id) == expected,
        "after \(step), the objects are \(found.map(\.id)), not \(expected)"
      )
      for object in found {
        let values = try object.values(of: Self.attributes[entity] ?? [])
        let wanted = row(object.id)
        expect(values == wanted, "after \(step), \(object.id) is \(values), not \(wanted ?? [])")
      }
    }
    let id = seed.pick(known)
    let object = try context.object(id)
    expect((object == nil) == (row(id) == nil), "after \(step), \(id) is wrongly found or missing")
  }
}
