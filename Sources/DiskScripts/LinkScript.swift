import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of many-to-many links, with an order on no side, one side or both sides.
///
/// Two contexts edit the links in turn. Plain arrays are the reference model.
struct LinkScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private var tables = LinkedObjects.all
  private var objects: [String: [ObjectID]] = [:]
  private var names: [ObjectID: String] = [:]
  private var merged: HistoryToken?

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private func draw(_ count: Int) -> Int { seed.draw(count) }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let entities = [
      Entity("Task", [Attribute("name", .string)]), Entity("Tag", [Attribute("name", .string)]),
    ]
    let model = try model(entities + tables.map(\.description))
    let path = folder.file("links")
    let contexts = [try context(path, "app", model), try context(path, "widget", model)]
    try fill(contexts[0])
    try merge(contexts)
    for operation in 0..<4 { try edit(operation, draw(tables.count), draw(2), contexts) }
    for _ in 0..<2 { try edit(draw(4), draw(tables.count), draw(2), contexts) }
    try appendBehindGreatest(contexts)
    try meet(contexts)
    try delete(contexts)
    let other = try context(folder.file("other"), "app", model)
    try refuse(in: contexts[draw(2)], other)
  }

  private func context(
    _ path: String,
    _ author: String,
    _ model: Model
  ) throws(HistoryError) -> ObjectContext {
    let store = try Store(path: path, model: model, configuration: configuration())
    return ObjectContext(
      store: store,
      author: author,
      name: "view",
      mergePolicy: .objectWins,
      retainsRegisteredObjects: draw(2) == 0
    )
  }

  /// Saves tasks and tags, and links of each link entity, each made from a random end of the link.
  private mutating func fill(_ context: ObjectContext) throws(HistoryError) {
    for entity in ["Task", "Tag"] {
      for _ in 0..<4 {
        let name = "n\(draw(4))"
        let object = try context.insert(entity, ["name": .string(name)])
        objects[entity, default: []].append(object.id)
        names[object.id] = name
      }
    }
    for number in tables.indices {
      for _ in 0..<3 {
        let side = draw(2)
        guard let (object, other) = try pick(number, side, context) else { continue }
        try object.link(to: other, by: tables[number].entity, as: tables[number].references[side])
        tables[number].link(side, object.id, other.id)
      }
      try compare(number, context, "before the first save")
    }
    try context.save()
  }

  /// Returns random objects for the two ends of a link, as seen from one side.
  private func pick(
    _ number: Int,
    _ side: Int,
    _ context: ObjectContext
  ) throws(HistoryError) -> (StoredObject, StoredObject)? {
    let ends = tables[number].ends
    let own = try context.object(seed.pick(objects[ends[side]] ?? []))
    let other = try context.object(seed.pick(objects[ends[1 - side]] ?? []))
    guard let own, let other else { return nil }
    return (own, other)
  }

  // MARK: Comparison

  /// Compares the links of random objects with the reference model, on both sides.
  private func compare(
    _ number: Int,
    _ context: ObjectContext,
    _ when: String
  ) throws(HistoryError) {
    for side in 0...1 {
      let id = seed.pick(objects[tables[number].ends[side]] ?? [])
      try compare(number, side, id, context, when)
    }
  }

  /// Checks that an object has the same links as in the reference model, as seen from one side.
  private func compare(
    _ number: Int,
    _ side: Int,
    _ id: ObjectID,
    _ context: ObjectContext,
    _ when: String
  ) throws(HistoryError) {
    let (table, wanted) = (tables[number], tables[number].objects(side, id))
    guard let object = try context.object(id) else {
      return faults.append("\(when), \(id) is missing")
    }
    // Some of the objects are read before, and stay registered.
    var read: [StoredObject] = []
    for id in wanted where draw(3) == 0 {
      if let object = try context.object(id) { read.append(object) }
    }
    let found = try object.objects(linkedBy: table.entity, as: table.references[side]).map(\.id)
    expect(
      found == wanted,
      "\(when), \(table.entity) links \(id) with \(found), not \(wanted)"
    )
    try comparePositions(table, side, object, when)
    guard draw(3) == 0 else { return }
    let byName = try object.objects(
      linkedBy: table.entity,
      as: table.references[side],
      sortedBy: [.descending("name")]
    )
    let sorted = wanted.sorted {
      let (left, right) = (names[$0] ?? "", names[$1] ?? "")
      return left == right ? $0.key < $1.key : left > right
    }
    expect(
      byName.map(\.id) == sorted,
      "\(when), linked objects sorted by name are \(byName.map(\.id))"
    )
    for object in read {
      let name = try object["name"]?.string
      expect(name == names[object.id], "\(when), \(object.id) has the name \(name ?? "null")")
    }
  }

  /// Checks that an object's links have all their positions, and are sorted by those of `side`.
  ///
  /// `side` is the index of the reference that leads to the object. If this side has no order, the
  /// links need not be sorted.
  private func comparePositions(
    _ table: LinkedObjects,
    _ side: Int,
    _ object: StoredObject,
    _ when: String
  ) throws(HistoryError) {
    let links = try object.objects(table.entity, referringBy: table.references[side])
    for name in table.positions.compactMap(\.self) {
      let values = try links.map { link throws(HistoryError) in try link[name]?.double }
      expect(
        !values.contains(nil),
        "\(when), a link has no \(name) in \(table.entity): \(values)"
      )
      let known = values.compactMap(\.self)
      expect(
        name != table.positions[side] || zip(known, known.dropFirst()).allSatisfy { $0 <= $1 },
        "\(when), the positions of links do not ascend: \(values)"
      )
    }
  }

  /// Merges all history into both contexts, then compares one of them with the reference model.
  ///
  /// At times, a new context is compared, too.
  private mutating func merge(_ contexts: [ObjectContext]) throws(HistoryError) {
    let page = try contexts[0].store.fetch(HistoryRequest(after: merged))
    merged = page.scannedThrough
    for context in contexts {
      try context.merge(page.transactions)
      if draw(4) == 0 { context.releaseAll() }
    }
    let number = draw(tables.count)
    try compare(number, contexts[draw(2)], "after a merge")
    if draw(4) == 0 {
      try compare(number, ObjectContext(store: contexts[0].store), "in a new context")
    }
  }

  // MARK: Edits

  /// Edits the links of one object in one context, saves, and merges.
  private mutating func edit(
    _ operation: Int,
    _ number: Int,
    _ side: Int,
    _ contexts: [ObjectContext]
  ) throws(HistoryError) {
    let (context, before) = (contexts[draw(2)], tables[number])
    guard let (object, picked) = try pick(number, side, context) else { return }
    var other = picked
    // The other object may be one of another context.
    if draw(2) == 0, let same = try contexts[draw(2)].object(other.id) { other = same }
    let (entity, reference) = (before.entity, before.references[side])
    // The first reference to the object's entity is the default.
    let attribute = side == 0 && draw(2) == 0 ? nil : reference
    let present = before.objects(side, object.id)
    switch operation {
    case 0:
      let link = try object.link(to: other, by: entity, as: attribute)
      tables[number].link(side, object.id, other.id)
      let again = try object.link(to: other, by: entity, as: attribute)
      expect(link == again, "linking two objects again creates a second link")
      let end = try link.destination(of: reference)
      expect(end == object, "a link refers to \(end.map { "\($0.id)" } ?? "no object")")
    case 1:
      if !present.isEmpty, let linked = try context.object(seed.pick(present)) { other = linked }
      try object.unlink(from: other, by: entity, as: attribute)
      tables[number].unlink(side, object.id, other.id)
    case 2 where before.positions[side] != nil:
      let index = draw(present.count { $0 != other.id } + 1)
      try object.link(to: other, at: index, by: entity, as: attribute)
      tables[number].link(side, object.id, other.id, at: index)
    default:
      try setObjects(number, side, object, attribute)
    }
    try compare(number, side, object.id, context, "after the operation \(operation)")
    let (saved, count) = (
      try context.save()?.count ?? 0, tables[number].changeCount(side, object.id, since: before)
    )
    expect(saved == count, "the operation \(operation) changes \(saved) links, not \(count)")
    try merge(contexts)
  }

  /// Links an object with random objects, in random order.
  private mutating func setObjects(
    _ number: Int,
    _ side: Int,
    _ object: StoredObject,
    _ attribute: String?
  ) throws(HistoryError) {
    let table = tables[number]
    let ids = (objects[table.ends[1 - side]] ?? []).filter { _ in draw(3) > 0 }
    var wanted: [StoredObject] = []
    for id in seed.shuffled(ids) {
      if let object = try object.context.object(id) { wanted.append(object) }
    }
    tables[number].set(side, object.id, wanted.map(\.id))
    // If an object is given twice, only its first place counts.
    if let first = wanted.first, draw(2) == 0 { wanted.append(first) }
    try object.setObjects(wanted, linkedBy: table.entity, as: attribute)
  }

  /// Appends a link after links whose position is infinite or the greatest finite `Double`.
  private mutating func appendBehindGreatest(
    _ contexts: [ObjectContext]
  ) throws(HistoryError) {
    let (context, number) = (contexts[0], 2)
    let task = try context.insert("Task")
    let tags = seed.shuffled(objects["Tag"] ?? [])
    objects["Task"]?.append(task.id)
    for (place, id) in tags.enumerated() {
      guard let tag = try context.object(id) else { continue }
      let link = try task.link(to: tag, by: "Labeling")
      tables[number].link(0, task.id, id)
      guard place < tags.count - 1 else { break }
      let isLast = place == tags.count - 2
      let position = isLast ? seed.pick([.greatestFiniteMagnitude, .infinity]) : Double(place)
      try link.set(.double(position), for: "position")
      try link.set(.double(.greatestFiniteMagnitude), for: "taskPosition")
    }
    try compare(number, 0, task.id, context, "behind the greatest position")
    guard let tag = try context.object(tags[0]) else { return }
    let other = try context.insert("Task")
    objects["Task"]?.append(other.id)
    try tag.link(to: other, by: "Labeling")
    tables[number].link(1, tag.id, other.id)
    try compare(number, 1, tag.id, context, "behind the greatest position")
    try context.save()
    try merge(contexts)
  }

  /// Links objects in both contexts before either one saves.
  ///
  /// Both contexts link one task to the same tag. Each also links a new tag of its own to the task,
  /// as the first one.
  private mutating func meet(_ contexts: [ObjectContext]) throws(HistoryError) {
    let number = 1 + draw(2)
    let entity = tables[number].entity
    let (id, shared) = (
      try contexts[0].insert("Task").id, try contexts[0].insert("Tag", ["name": "shared"]).id
    )
    objects["Task"]?.append(id)
    try contexts[0].save()
    try merge(contexts)
    var tags = [shared]
    var links: [ObjectID: StoredObject] = [:]
    for context in contexts {
      guard let task = try context.object(id), let same = try context.object(shared) else {
        continue
      }
      let tag = try context.insert("Tag", ["name": "new"])
      tags.append(tag.id)
      try task.link(to: same, by: entity)
      links[tag.id] = try task.link(to: tag, at: 0, by: entity)
    }
    for context in contexts { try context.save() }
    for tag in tags {
      tables[number].link(0, id, tag)
      names[tag] = tag == shared ? "shared" : "new"
    }
    objects["Tag"]?.append(contentsOf: tags)
    // Links with equal positions are in key order.
    let new = tags[1...].sorted { links[$0]?.id.key ?? 0 < links[$1]?.id.key ?? 0 }
    tables[number].sort(0, id, as: new + [shared])
    try merge(contexts)
    for context in contexts {
      try compare(number, 0, id, context, "after two contexts linked objects")
      try compare(number, 1, shared, context, "after two contexts linked objects")
    }
  }

  /// Deletes a tag that is linked to a task, and links the task to another tag in the same save.
  private mutating func delete(_ contexts: [ObjectContext]) throws(HistoryError) {
    let (context, number) = (contexts[draw(2)], 1 + draw(2))
    guard let (task, tag) = try pick(number, 0, context) else { return }
    try task.link(to: tag, at: 0, by: tables[number].entity)
    tables[number].link(0, task.id, tag.id, at: 0)
    try context.save()
    try merge(contexts)
    tag.delete()
    objects["Tag"]?.removeAll { $0 == tag.id }
    for number in tables.indices { tables[number].remove(tag.id) }
    try compare(number, 0, task.id, context, "after a deletion")
    let others = objects["Tag"] ?? []
    if let other = try context.object(seed.pick(others)) {
      let count = tables[number].objects(0, task.id).count { $0 != other.id }
      let index = seed.pick([0, count, draw(count + 1)])
      try task.link(to: other, at: index, by: tables[number].entity)
      tables[number].link(0, task.id, other.id, at: index)
    }
    try compare(number, 0, task.id, context, "after a deletion")
    try context.save()
    try merge(contexts)
    for context in contexts { try compare(number, 0, task.id, context, "after a deletion") }
  }
}
