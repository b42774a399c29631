import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of pinned contexts, which read one snapshot while another context writes.
///
/// The script also checks which objects a context keeps registered, with their values in memory.
struct PinScript: DiskScript {
  typealias Rows = [ObjectID: [Value]]

  /// The numbers of the entities.
  static let (note, item): (Int32, Int32) = (1, 2)
  private static let attributes = [note: ["text"], item: ["name", "count", "note"]]

  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  let seed: ScriptRandom
  /// The committed rows.
  var current: Rows = [:]
  /// The rows and the position of the pinned snapshot; `nil` if the context is not pinned.
  private var pinned: (rows: Rows, at: HistoryToken)?
  /// The rows that the context had read when it edited them, and the values that it has set.
  private var edits: [ObjectID: (base: [Value], changed: [Int: Value])] = [:]
  private var merged: HistoryToken?

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("pinned")
    let saved = try open(path)
    let view = ObjectContext(store: saved, author: "app", mergePolicy: .objectWins)
    let writer = seed.draw(2) == 0 ? saved : try open(path)
    let other = ObjectContext(store: writer, author: "widget", mergePolicy: .objectWins)
    for _ in 0..<2 { try insert(Self.note, other) }
    for _ in 0..<4 { try insert(Self.item, other) }
    try moveByEach(view, other)
    for _ in 0..<15 where faults.lines.isEmpty { try step(view, other) }
    try save(view)
    view.unpin()
    pinned = nil
    try failToSave(saved, other)
    try suspend(saved, other)
    try compareRows(saved)
    try pinOtherStores(folder, path)
    try holdObjects(saved, other)
    if seed.draw(6) == 0 { try readLongRows(folder) }
  }

  func open(_ path: String, tracksHistory: Bool = true) throws(HistoryError) -> Store {
    let entities = [
      Entity("Note", [Attribute("text", .string)], uniquenessConstraints: [["text"]]),
      Entity(
        "Item",
        [Attribute("name", .string), Attribute("count", .int), Attribute("note", to: "Note")]
      ),
    ]
    var configuration = configuration()
    configuration.tracksHistory = tracksHistory
    let model = try model(entities)
    return try Store(path: path, model: model, configuration: configuration)
  }

  // MARK: Ways to move a pinned context

  /// Moves a pinned context to the current state by each request that can do so.
  ///
  /// Until a request moves the context, it must stay at its snapshot while another context writes.
  private mutating func moveByEach(
    _ view: ObjectContext,
    _ other: ObjectContext
  ) throws(HistoryError) {
    expect(view.pinnedAt == nil, "a new context is pinned")
    for way in 0..<6 {
      if way % 2 == 0 { try move(view, 0) }
      try writeAny(other)
      try compare(view, "a write")
      if way == 1 { try edit(view) }
      try move(view, way)
    }
    try writeAny(other)
    view.unpin()
    pinned = nil
    try compare(view, "an unpin")
  }

  private mutating func move(_ view: ObjectContext, _ way: Int) throws(HistoryError) {
    switch way {
    case 0:
      let token = try view.pin()
      pinned = (current, try view.store.currentToken())
      expect(token == pinned?.at, "pin() returns a wrong position")
    case 1: return try save(view)
    case 2: view.reset()
    case 3: try view.refreshAll()
    case 4: try mergeAll(view)
    default:
      expect(try view.loadAll() == view.store.currentToken(), "loadAll() returns a wrong position")
      expect(view.holdsAllObjects, "a context does not hold all objects that it has loaded")
      let loaded = try view.registeredObjects("Item").map(\.id)
      expect(loaded == ids(Self.item) { current[$0] }, "loadAll() registers \(loaded)")
      view.releaseAll()
    }
    if way == 2 || way > 4 { edits = [:] }
    try noteMove(view)
    try compare(view, "move \(way)")
  }

  /// Updates the expected state after the context `view` has moved to the newest rows.
  ///
  /// The newest rows become the rows of the snapshot, if `view` is pinned, and the base of its
  /// edits. Edits of deleted objects end.
  private mutating func noteMove(_ view: ObjectContext) throws(HistoryError) {
    if pinned != nil { pinned = (current, try view.store.currentToken()) }
    for id in edits.keys {
      if let row = current[id] { edits[id]?.base = row } else { edits[id] = nil }
    }
  }

  private mutating func mergeAll(_ view: ObjectContext) throws(HistoryError) {
    let page = try view.store.fetch(HistoryRequest(after: merged))
    try view.merge(page.transactions)
    merged = page.scannedThrough
  }

  // MARK: Random steps

  private mutating func step(
    _ view: ObjectContext,
    _ other: ObjectContext
  ) throws(HistoryError) {
    switch seed.draw(20) {
    case 0...8: try writeAny(other)
    case 9, 10: try move(view, 0)
    case 11:
      view.unpin()
      pinned = nil
    case 12...14: try edit(view)
    case 15: try move(view, 1 + seed.draw(5))
    case 16: try save(view)
    case 17:
      view.rollback()
      edits = [:]
    default: view.releaseAll()
    }
    try compare(view, "a random step")
  }

  private func values(_ entity: Int32) -> [Value] {
    let text = Value.string("t\(seed.draw(1_000_000))")
    guard entity == Self.item else { return [text] }
    let notes = ids(Self.note) { current[$0] }
    let isNull = notes.isEmpty || seed.draw(3) == 0
    let note = isNull ? .null : Value(referringTo: seed.pick(notes))
    return [text, .int(Int64(seed.draw(9))), note]
  }

  private mutating func insert(_ entity: Int32, _ other: ObjectContext) throws(HistoryError) {
    let row = values(entity)
    let names = Self.attributes[entity] ?? []
    let name = entity == Self.note ? "Note" : "Item"
    let id = try other.insert(name, Dictionary(zip(names, row)) { $1 }).id
    try other.save()
    current[id] = row
  }

  /// Commits an insert, new values or a delete.
  mutating func writeAny(_ other: ObjectContext) throws(HistoryError) {
    let entity = seed.draw(4) == 0 ? Self.note : Self.item
    let all = ids(entity) { current[$0] }
    guard !all.isEmpty, seed.draw(4) > 0 else { return try insert(entity, other) }
    try write(seed.draw(5) == 0 ? nil : values(entity), to: seed.pick(all), other)
  }

  mutating func write(
    _ row: [Value]?,
    to id: ObjectID,
    _ other: ObjectContext
  ) throws(HistoryError) {
    if let row, let object = try other.object(id) {
      for (name, value) in zip(Self.attributes[id.entity] ?? [], row) {
        try object.set(value, for: name)
      }
    } else {
      other.delete(id)
    }
    try other.save()
    commit(id, row)
  }

  /// Sets the expected committed row of an object; `nil` for a deleted object.
  ///
  /// The delete of a note sets the expected references to the note to null.
  mutating func commit(_ id: ObjectID, _ row: [Value]?) {
    current[id] = row
    guard row == nil, id.entity == Self.note else { return }
    for (item, row) in current where item.entity == Self.item {
      if row[2] == Value(referringTo: id) { current[item]?[2] = .null }
    }
  }

  private mutating func edit(_ view: ObjectContext) throws(HistoryError) {
    let all = ids(Self.item, row)
    guard !all.isEmpty else { return }
    let (id, index) = (seed.pick(all), seed.draw(2))
    let base = edits[id]?.base ?? row(id)
    guard let object = try view.object(id), let base else {
      return faults.append("\(id) is missing in its context")
    }
    let value = values(Self.item)[index]
    try object.set(value, for: Self.attributes[Self.item]?[index] ?? "")
    edits[id, default: (base, [:])].changed[index] = value
    expect(!view.release(id), "an edited object is released")
  }

  private mutating func save(_ view: ObjectContext) throws(HistoryError) {
    guard !edits.isEmpty else { return }
    try view.save()
    for (id, edit) in edits where current[id] != nil {
      for (index, value) in edit.changed { current[id]?[index] = value }
    }
    edits = [:]
    try noteMove(view)
    try compare(view, "a save")
  }

  // MARK: Comparisons

  /// Returns the expected values of an object in the context.
  private func row(_ id: ObjectID) -> [Value]? {
    guard let edit = edits[id] else { return (pinned?.rows ?? current)[id] }
    var row = edit.base
    for (index, value) in edit.changed { row[index] = value }
    return row
  }

  func ids(_ entity: Int32, _ row: (ObjectID) -> [Value]?) -> [ObjectID] {
    Set(current.keys).union(pinned?.rows.keys ?? [:].keys).union(edits.keys)
      .filter { $0.entity == entity && row($0) != nil }
      .sorted { $0.key < $1.key }
  }

  private func compare(_ view: ObjectContext, _ step: String) throws(HistoryError) {
    expect(view.pinnedAt == pinned?.at, "after \(step), the context is pinned at a wrong position")
    try compare(view, after: step, row)
  }

  /// Compares a context's queries, aggregates and followed references with the expected rows.
  func compare(
    _ context: ObjectContext,
    after step: String,
    _ row: (ObjectID) -> [Value]?
  ) throws(HistoryError) {
    let items = try context.objects("Item")
    let wanted = ids(Self.item, row)
    expect(
      items.map(\.id) == wanted,
      "after \(step), the items are \(items.map(\.id)), not \(wanted)"
    )
    for item in items {
      let values = try item.values(of: Self.attributes[Self.item] ?? [])
      expect(values == row(item.id), "after \(step), \(item.id) is \(values)")
      // An edited item may refer to a note that was deleted since the item was read.
      let note = values[2].int.map { ObjectID(entity: Self.note, key: $0) }
      let found = try item.destination(of: "note")?.id
      expect(
        found == note.flatMap { row($0) == nil ? nil : $0 },
        "after \(step), the destination of \(item.id) is \(found?.key ?? 0)"
      )
    }
    let counts = wanted.compactMap { row($0)?[1] }
    let sum = counts.reduce(0) { $0 + ($1.int ?? 0) }
    expect(try context.sum(of: "count", in: "Item") == .int(sum), "after \(step), the sum is wrong")
    expect(
      try context.count("Item", where: .compare("count", .less, 4))
        == counts.filter { ($0.int ?? 9) < 4 }.count,
      "after \(step), the count of items is wrong"
    )
    let notes = try context.objects("Note", sortedBy: ["text"])
    let texts = ids(Self.note, row).compactMap { row($0)?[0].string }.sorted()
    let found = try notes.map { note throws(HistoryError) in try note["text"]?.string }
    expect(found == texts, "after \(step), the notes are \(found)")
  }
}
