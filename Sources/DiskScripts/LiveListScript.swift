import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of live queries in one context; this and another context edit tasks with tags.
///
/// Whenever the script reads a live query's result, and the context has merged all history, the
/// result is compared with that of a new query.
struct LiveListScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private var lists: [CopiedList] = []
  /// The last transaction that the context of the live queries has merged.
  private var merged: HistoryToken?

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("lists")
    let (view, other) = (try context(path, "app"), try context(path, "widget"))
    for number in 0..<8 { try insert(into: number < 6 ? other : view) }
    try other.save()
    try view.save()
    for query in ListQuery.all {
      if let list = try CopiedList(query, view) { lists.append(list) }
    }
    for _ in 0..<50 {
      try step(view, other)
      if seed.draw(2) == 0 { try read(seed.draw(lists.count), view) }
    }
    try save(view)
    try merge(view)
    for number in lists.indices { try read(number, view) }
    for task in try view.objects("Task") { try compareLinks(of: task) }
  }

  private func context(_ path: String, _ author: String) throws(HistoryError) -> ObjectContext {
    let entities = [
      Entity(
        "Task",
        [Attribute("title", .string), Attribute("count", .int)],
        indexes: [["count"]]
      ),
      Entity("Tag", [Attribute("name", .string)]),
      Entity("Tagging", linking: ("task", to: "Task"), with: ("tag", to: "Tag")),
    ]
    let model = try model(entities)
    return ObjectContext(
      store: try Store(path: path, model: model, configuration: configuration()),
      author: author,
      name: "view",
      mergePolicy: .objectWins
    )
  }

  // MARK: Random edits

  private mutating func step(_ view: ObjectContext, _ other: ObjectContext) throws(HistoryError) {
    switch seed.draw(16) {
    case 0: try insert(into: view)
    case 1...3: try edit(view)
    case 4: try pick("Task", in: view)?.delete()
    case 5: try save(view)
    case 6: view.rollback()
    case 7: try insert(into: other)
    case 8...9: try edit(other)
    case 10: try pick(seed.draw(3) == 0 ? "Tag" : "Task", in: other)?.delete()
    case 11...12: try link(view)
    default: return try merge(view)
    }
    if other.hasChanges {
      try save(other)
      other.releaseAll()
    }
  }

  private func pick(
    _ entity: String,
    in context: ObjectContext
  ) throws(HistoryError)
    -> StoredObject?
  {
    let objects = try context.objects(entity)
    return objects.isEmpty ? nil : seed.pick(objects)
  }

  private func insert(into context: ObjectContext) throws(HistoryError) {
    let number = Int64(seed.draw(6))
    try context.insert("Task", ["title": .string("t\(number)"), "count": .int(number)])
    if try context.count("Tag") < 3 { try context.insert("Tag", ["name": .string("#\(number)")]) }
  }

  private func edit(_ context: ObjectContext) throws(HistoryError) {
    let number = Int64(seed.draw(6))
    guard let task = try pick("Task", in: context) else { return }
    if seed.draw(4) == 0 {
      try task.set(.string("t\(number)"), for: "title")
    } else {
      try task.set(.int(number), for: "count")
    }
  }

  /// Saves the edits of a context.
  ///
  /// If an edit refers to an object that the other context has deleted, discards the edits instead.
  private func save(_ context: ObjectContext) throws(HistoryError) {
    do throws(HistoryError) {
      try context.save()
    } catch {
      guard error.code == .danglingReference else { throw error }
      context.rollback()
    }
  }

  private mutating func merge(_ view: ObjectContext) throws(HistoryError) {
    // After this, only the live query knows its objects, which the context has released.
    if seed.draw(3) == 0 { view.releaseAll() }
    let page = try view.store.fetch(HistoryRequest(after: merged))
    try view.merge(page.transactions)
    merged = page.scannedThrough
  }

  // MARK: Links

  private func link(_ view: ObjectContext) throws(HistoryError) {
    guard let task = try pick("Task", in: view), let tag = try pick("Tag", in: view) else { return }
    switch seed.draw(3) {
    case 0:
      let link = try task.link(to: tag, by: "Tagging")
      expect(
        try tag.link(to: task, by: "Tagging") == link,
        "linking two objects again creates a second link"
      )
      expect(try task.objects(linkedBy: "Tagging").contains(tag), "a new link is not found")
    case 1:
      try tag.unlink(from: task, by: "Tagging")
      expect(try !task.objects(linkedBy: "Tagging").contains(tag), "a deleted link is still found")
    default:
      let tags = try view.objects("Tag").filter { _ in seed.draw(2) == 0 }
      try task.setObjects(tags, linkedBy: "Tagging")
      expect(try task.objects(linkedBy: "Tagging") == tags, "the links are not those that were set")
    }
    try compareLinks(of: task)
  }

  /// Checks the search for the tags that are linked to a task.
  ///
  /// The search must find the tags to which the task's `Tagging` objects refer, sorted by name.
  private func compareLinks(of task: StoredObject) throws(HistoryError) {
    var expected: [StoredObject] = []
    for link in try task.objects("Tagging", referringBy: "task") {
      if let tag = try link.destination(of: "tag") { expected.append(tag) }
    }
    let found = try task.objects(linkedBy: "Tagging", sortedBy: ["name"])
    expect(
      Set(found) == Set(expected) && found.count == expected.count,
      "\(task.id) has links to \(expected.map(\.id)), but a search finds \(found.map(\.id))"
    )
    let names = try found.map { object throws(HistoryError) in try object["name"]?.string ?? "" }
    expect(names == names.sorted(), "linked objects are not in the order of their names: \(names)")
  }

  // MARK: Lists

  /// Reads a list's next results; if all history is merged, compares the list with a new query.
  private mutating func read(_ number: Int, _ view: ObjectContext) throws(HistoryError) {
    if let fault = try lists[number].read(view) { faults.append("list \(number): \(fault)") }
    guard try view.store.currentToken() == merged else { return }
    if let fault = try lists[number].difference(from: view) {
      faults.append("list \(number): \(fault)")
    }
  }
}

/// The parameters of a live query for `Task` objects.
private struct ListQuery {
  var predicate: ObjectPredicate?
  var orders: [ObjectOrder] = []
  var section: ObjectOrder?
  var limit: Int?
  var offset = 0

  static let all = [
    Self(predicate: .compare("count", .less, 4), orders: ["count"], limit: 3),
    Self(orders: [.descending("count"), "title"], limit: 2, offset: 2),
    Self(predicate: .not(.compare("count", .less, 2)), section: "count"),
    Self(predicate: .compare("count", .equal, 2), limit: 1, offset: 1),
  ]
}

/// A copy of a live query's results, kept current only by the differences that the query reports.
private struct CopiedList {
  private let query: ListQuery
  private let reader: LiveReader
  private var ids: [ObjectID] = []
  private var rows: [ObjectID: [Value?]] = [:]
  private var sections: [LiveSection] = []

  init?(_ query: ListQuery, _ view: ObjectContext) throws(HistoryError) {
    self.query = query
    let live = try view.liveObjects(
      "Task",
      where: query.predicate,
      sortedBy: query.orders,
      sectionedBy: query.section,
      limit: query.limit,
      offset: query.offset
    )
    guard let reader = live.makeAsyncIterator().reader else { return nil }
    self.reader = reader
  }

  /// Applies the query's next result, if it has one; returns a description of an error, else `nil`.
  mutating func read(_ view: ObjectContext) throws(HistoryError) -> String? {
    guard case .result(let result) = try reader.evaluate() else { return nil }
    guard let next = ids.applying(result.difference), next == result.objectIDs else {
      return "\(result.difference) does not lead from \(ids) to \(result.objectIDs)"
    }
    ids = next
    let inserted = result.difference.insertions.compactMap { change in
      if case .insert(_, let id, _) = change { id } else { nil }
    }
    for id in inserted + result.updated { rows[id] = try Self.row(view.object(id)) }
    sections = result.sections
    return nil
  }

  /// Returns how the copied results differ from those of a new query, as a clause; `nil` if equal.
  func difference(from view: ObjectContext) throws(HistoryError) -> String? {
    let fresh = try view.objects(
      "Task",
      where: query.predicate,
      sortedBy: (query.section.map { [$0] } ?? []) + query.orders,
      limit: query.limit,
      offset: query.offset
    )
    guard fresh.map(\.id) == ids else {
      return "it has the objects \(ids), but a new query finds \(fresh.map(\.id))"
    }
    for object in fresh {
      let row = try Self.row(object)
      guard rows[object.id] == row else {
        return "\(object.id) has the values \(row), but the list has others"
      }
    }
    guard let section = query.section else { return nil }
    let listed = sections.flatMap { section in section.range.map { _ in section.value } }
    let values = try fresh.map { object throws(HistoryError) in
      try object[section.attribute] ?? .null
    }
    return listed == values ? nil : "its sections are \(listed), not \(values)"
  }

  private static func row(_ object: StoredObject?) throws(HistoryError) -> [Value?] {
    [try object?["title"], try object?["count"]]
  }
}
