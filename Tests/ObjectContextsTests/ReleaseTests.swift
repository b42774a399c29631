import HistoryStore
import HistoryTypes
import ObjectContexts
import PropertyTesting
import PropertyTraits
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `An object without references` {
  let file: StoreFile
  let context: ObjectContext
  let other: ObjectContext
  let ids: [ObjectID]

  init() throws {
    file = try StoreFile()
    context = try file.context(retains: false)
    other = try file.context("widget", .objectWins)
    let rows = (0..<40).map { ["title": Value.string("t\($0)"), "count": .int(Int64($0))] }
    ids = try other.store.batchInsert(
      into: "Item",
      rows,
      by: BatchAuthor("import"),
      result: .objectIDs
    ).objectIDs
  }

  /// The registered objects, in key order.
  private var registered: [ObjectID] { registered(context) }

  private func registered(_ context: ObjectContext) -> [ObjectID] {
    var ids: [ObjectID] = []
    context.forEachRegistered { id, _ in ids.append(id) }
    return ids.sorted()
  }

  @Test func `It is released when the last reference is gone`() throws {
    var references = [try #require(try context.object(ids[0]))]
    references += [references[0], try #require(try context.object(ids[0]))]
    #expect(registered == [ids[0]])
    try other.save("changed", for: "title", of: ids[0])
    while references.count > 1 {
      references.removeFirst()
      #expect(try registered == [ids[0]] && references[0]["title"] == "t0")
    }
    references.removeAll()
    #expect(try registered.isEmpty && context.object(ids[0])?["title"] == "changed")
  }

  @Test func `A reference to one of a query's objects keeps at most sixteen registered`() throws {
    var found = try context.objects("Item")
    #expect(registered == ids)
    let kept = found[20]
    found = []
    #expect(registered.contains(kept.id) && registered.count <= 16)
    withExtendedLifetime(kept) {}
  }

  @Test func `Objects that two queries return stay while one result exists`() throws {
    let first = try context.objects("Item", limit: 10)
    var second = try context.objects("Item", sortedBy: [.descending("count")], limit: 35)
    #expect(registered == ids)
    second = []
    #expect(registered == Array(ids[..<10]))
    withExtendedLifetime((first, second)) {}
  }

  @Test func `It stays registered while it has unsaved edits`() throws {
    try context.object(ids[0])?.set(-1, for: "count")
    try context.object(ids[1])?.set(-1, for: "count")
    context.delete(ids[2])
    #expect(registered == Array(ids[..<2]))
    try other.save(7, for: "count", of: ids[0])
    #expect(throws: HistoryError.conflict([ids[0]])) { try context.save() }
    try context.refresh(ids[0])
    #expect(try context.save()?.count == 3 && registered.isEmpty)
    try context.object(ids[3])?.set(-1, for: "count")
    context.rollback()
    #expect(registered.isEmpty)
    try context.object(ids[3])?.set(-1, for: "count")
    try context.refresh(ids[3], keepingEdits: false)
    #expect(registered.isEmpty)
  }

  @Test func `An undo leaves nothing registered but edited objects`() throws {
    try context.setLevelsOfUndo(10)
    try context.object(ids[0])?.set(-1, for: "count")
    try context.object(ids[1])?.set(-1, for: "count")
    #expect(try context.undo() && registered == [ids[0]])
    #expect(try context.undo() && registered.isEmpty)
    #expect(try context.redo() && registered == [ids[0]] && context.item(ids[0])?[1] == -1)
  }

  @Test func `An inserted object stays after its save if it is referred to`() throws {
    let kept = try context.insert("Item", ["title": "kept"])
    try context.insert("Item", ["title": "dropped"])
    let query = try context.objects("Item", where: .compare("title", .equal, "kept"))
    try context.save()
    #expect(registered == [kept.id])
    #expect(try query.map(\.id) == [kept.id] && kept["title"] == "kept")
  }

  @Test func `A merge leaves out a released object`() throws {
    let kept = try #require(try context.object(ids[0]))
    _ = try context.object(ids[1])
    let start = try other.store.currentToken()
    for id in ids[..<2] { try other.save(-1, for: "count", of: id) }
    let page = try other.store.fetch(HistoryRequest(after: start))
    #expect(try context.merge(page.transactions).updated == [ids[0]])
    #expect(try kept["count"] == -1)
  }

  @Test func `A context that retains registered objects, or holds all, releases none by itself`()
    throws
  {
    let retaining = ObjectContext(store: context.store, retainsRegisteredObjects: true)
    #expect(retaining.retainsRegisteredObjects && !context.retainsRegisteredObjects)
    for id in ids[..<3] { _ = try retaining.object(id) }
    #expect(try retaining.registeredObjects("Item").map(\.id) == Array(ids[..<3]))
    _ = try context.objects("Item")
    try context.loadAll()
    _ = try context.objects("Item")
    #expect(registered == ids)
  }

  @Test func `Threads that take and drop references leave nothing registered`() async {
    await withTaskGroup(of: Bool.self) { group in
      for thread in 0..<4 {
        group.addTask { [context, ids] in
          (0..<200).allSatisfy { round in
            let object = try? context.object(ids[(thread * 7 + round) % ids.count])
            let found = try? context.objects("Item", sortedBy: ["count"], limit: 20)
            return (try? object?["count"]?.int) == Int64((thread * 7 + round) % ids.count)
              && found?.map(\.id) == Array(ids[..<20])
          }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
    #expect(registered.isEmpty)
  }

  @Test func `An object that was released by hand goes with its last reference`() throws {
    var object = try context.object(ids[0])
    context.releaseAll()
    #expect(try object?["count"] == 0 && registered == [ids[0]])
    object = nil
    #expect(registered.isEmpty && object == nil)
  }

  @Test func `Objects in the result of a live query stay as long as the query`() throws {
    let lists = try context.liveObjects("Item", sortedBy: ["count"], limit: 3)
    var reader = lists.makeAsyncIterator().reader
    _ = try reader?.evaluate()
    #expect(registered == Array(ids[..<3]))
    let start = try other.store.currentToken()
    try other.save(100, for: "count", of: ids[1])
    try context.merge(try other.store.fetch(HistoryRequest(after: start)).transactions)
    var results: [LiveResult] = []
    if case .result(let result)? = try reader?.evaluate() { results.append(result) }
    #expect(results.first?.objectIDs == [ids[0], ids[2], ids[3]])
    #expect(try results.first?.map { try $0["count"] } == [0, 2, 3])
    #expect(registered == [ids[0], ids[2], ids[3]])
    reader = nil
    #expect(registered.isEmpty)
  }

  @Test
  func `An object of a live result stays while it is referred to, although it leaves the result`()
    throws
  {
    let lists = try context.liveObjects("Item", sortedBy: ["count"], limit: 3)
    let reader = lists.makeAsyncIterator().reader
    _ = try reader?.evaluate()
    var entered: StoredObject?
    for (count, place) in [(100, 3), (1, 1)] as [(Int64, Int)] {
      let start = try other.store.currentToken()
      try other.save(.int(count), for: "count", of: ids[1])
      try context.merge(try other.store.fetch(HistoryRequest(after: start)).transactions)
      guard case .result(let result)? = try reader?.evaluate() else { return #expect(Bool(false)) }
      #expect(result.objectIDs.contains(ids[3]) == (place == 3))
      if place == 3 { entered = result[2] }
      #expect(try entered?["count"] == 3)
    }
    #expect(registered == Array(ids[..<4]) && entered?.id == ids[3])
    entered = nil
    #expect(registered == Array(ids[..<3]))
  }

  @Test func `References that end while an insert is undone keep nothing registered`() throws {
    try context.setLevelsOfUndo(5)
    var object: StoredObject? = try context.insert("Item", ["title": "new"])
    #expect(try context.undo() && object?["title"] == nil)
    object = nil
    #expect(try context.redo() && context.save()?.count == 1)
    #expect(registered.isEmpty && object == nil)
  }

  @Test func `The object that replaced a duplicate stays as long as a reference to the duplicate`()
    throws
  {
    let tag = Entity("Tag", [Attribute("name", .string)], uniquenessConstraints: [["name"]])
    let path = file.folder.path("unique.store")
    let stores = try (0..<2).map { _ in try Store(path: path, model: Model([tag])) }
    let first = try ObjectContext(store: stores[0]).insert("Tag", ["name": "a"])
    try first.context.save()
    let context = ObjectContext(store: stores[1], mergePolicy: .storeWins)
    var inserted: StoredObject? = try context.insert("Tag", ["name": "a"])
    try context.insert("Tag", ["name": "b"])
    try context.save()
    #expect(registered(context) == [first.id])
    #expect(try inserted?["name"] == "a")
    inserted = nil
    #expect(registered(context).isEmpty && inserted == nil)
  }
}

struct `Releasing objects as a model` {
  @Test(.property(cases: 100, seed: 1))
  func `Exactly the referenced and the edited objects are registered, with stable values`()
    async throws
  {
    try await property { source in
      var machine = try ReleaseMachine()
      try source.perform(on: &machine)
    }
  }
}

/// A context whose objects are referred to and forgotten, beside one that writes.
private struct ReleaseMachine: CommandMachine {
  enum Command {
    case refer(Int)
    case forget(Int)
    case insert(isReferred: Bool)
    case set(Int, Int64)
    case delete(Int)
    case save
    case rollback
    case merge
    case release(Int)
    case releaseAll
    case reset
    case otherSet(Int, Int64)
  }

  struct Difference: Error { let text: String }

  static let rules: [CommandRule<ReleaseMachine>] = [
    CommandRule("refer", weight: 4) { .refer(place($0, &$1)) },
    CommandRule("forget", weight: 3) { .forget(place($0, &$1)) },
    CommandRule("insert") { .insert(isReferred: $1.bool(label: "referred")) },
    CommandRule("set", weight: 2) { .set(place($0, &$1), count(&$1)) },
    CommandRule("delete") { .delete(place($0, &$1)) },
    CommandRule("save") { _, _ in .save },
    CommandRule("rollback") { _, _ in .rollback },
    CommandRule("merge") { _, _ in .merge },
    CommandRule("release") { .release(place($0, &$1)) },
    CommandRule("releaseAll") { _, _ in .releaseAll },
    CommandRule("reset") { _, _ in .reset },
    CommandRule("otherSet", weight: 2) { .otherSet(place($0, &$1), count(&$1)) },
  ]

  private static func count(_ source: inout ChoiceSource) -> Int64 {
    Int64(source.int(in: 0...9, label: "count"))
  }

  private static func place(_ machine: ReleaseMachine, _ source: inout ChoiceSource) -> Int {
    source.int(in: 0...machine.ids.count - 1, label: "object")
  }

  private let context: ObjectContext
  private let other: ObjectContext
  private var ids: [ObjectID]
  private var references: [ObjectID: [StoredObject]] = [:]
  /// The unsaved edits: the new count, or `nil` for a delete.
  private var edits: [ObjectID: Int64?] = [:]
  private var inserted: Set<ObjectID> = []
  /// The counts in the store.
  private var stored: [ObjectID: Int64] = [:]
  /// The counts that the context read, of its registered objects.
  private var read: [ObjectID: Int64] = [:]
  private var merged: HistoryToken

  init() throws {
    let file = try StoreFile()
    context = try file.context("app", .objectWins, retains: false)
    let other = try file.context("widget", .objectWins)
    ids = try (0..<6).map { try other.savedItem("t\($0)", count: Int64($0)) }
    self.other = other
    for (count, id) in ids.enumerated() { stored[id] = Int64(count) }
    merged = try context.store.currentToken()
  }

  mutating func perform(_ command: Command) throws {
    switch command {
    case .refer(let place): try refer(ids[place])
    case .forget(let place): _ = references[ids[place]]?.popLast()
    case .insert(let isReferred):
      let object = try context.insert("Item", ["count": 1])
      ids.append(object.id)
      inserted.insert(object.id)
      edits[object.id] = 1
      if isReferred { references[object.id] = [object] }
    case .set(let place, let count):
      guard let object = try context.object(ids[place]) else { break }
      try object.set(.int(count), for: "count")
      if read[object.id] == nil { read[object.id] = stored[object.id] }
      edits[object.id] = count
    case .delete(let place):
      guard try context.object(ids[place]) != nil else { break }
      context.delete(ids[place])
      let wasInserted = inserted.remove(ids[place]) != nil
      if wasInserted { edits[ids[place]] = nil } else { edits[ids[place]] = .some(nil) }
    case .save: try save()
    case .rollback:
      context.rollback()
      edits = [:]
      inserted = []
    case .merge:
      let page = try context.store.fetch(HistoryRequest(after: merged))
      try context.merge(page.transactions)
      merged = page.scannedThrough
      for id in read.keys { read[id] = stored[id] }
    case .release(let place):
      let isReleased = context.release(ids[place])
      if isReleased { read[ids[place]] = nil }
    case .releaseAll:
      context.releaseAll()
      read = read.filter { edits[$0.key] != nil }
    case .reset:
      context.reset()
      edits = [:]
      inserted = []
      read = [:]
    case .otherSet(let place, let count):
      guard stored[ids[place]] != nil else { break }
      try other.save(.int(count), for: "count", of: ids[place])
      stored[ids[place]] = count
    }
    try check()
  }

  mutating func finish() throws {
    context.rollback()
    edits = [:]
    inserted = []
    references = [:]
    try check()
  }

  private mutating func refer(_ id: ObjectID) throws {
    let object = try context.object(id)
    let isDeleted = edits[id].map { $0 == nil } ?? (stored[id] == nil)
    guard (object == nil) == isDeleted else {
      throw Difference(text: "\(id) exists: \(object != nil)")
    }
    guard let object else { return }
    references[id, default: []].append(object)
    if read[id] == nil, !inserted.contains(id) { read[id] = stored[id] }
  }

  private mutating func save() throws {
    try context.save()
    for (id, count) in edits {
      stored[id] = count
      read[id] = count
    }
    edits = [:]
    inserted = []
  }

  /// Compares the registered objects and the values of those with references.
  private mutating func check() throws {
    let referred = Set(references.filter { !$0.value.isEmpty }.keys)
    read = read.filter { referred.contains($0.key) || edits[$0.key] != nil }
    var registered: Set<ObjectID> = []
    context.forEachRegistered { id, _ in registered.insert(id) }
    let deleted = Set(edits.filter { $0.value == nil }.keys)
    guard registered.subtracting(deleted) == Set(read.keys).subtracting(deleted) else {
      throw Difference(text: "registered \(registered.sorted()), not \(read.keys.sorted())")
    }
    for id in referred where !deleted.contains(id) {
      // An object that was released by hand is read again.
      if read[id] == nil, !inserted.contains(id) { read[id] = stored[id] }
      let expected = edits[id].map { $0 } ?? read[id]
      guard try references[id]?.last?["count"]?.int == expected else {
        throw Difference(text: "\(id) does not have the count \(expected ?? -1)")
      }
    }
  }
}
