import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of ordered references: the objects that refer to one object have an order.
///
/// Two contexts edit the orders in turn. Plain arrays are the reference model.
struct OrderScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private var orders = [
    OrderedMembers(reference: "list", position: "position", owner: "List"),
    OrderedMembers(reference: "parent", position: "rank", owner: "Task"),
  ]
  private var tasks: [ObjectID] = []
  private var titles: [ObjectID: String] = [:]
  private var merged: HistoryToken?

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private func draw(_ count: Int) -> Int { seed.draw(count) }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    guard let model = try? OrderModels.model() else {
      return faults.append("the script's own model is refused")
    }
    let path = folder.file("orders")
    let contexts = [try context(path, "app", model), try context(path, "widget", model)]
    try fill(contexts[0])
    try merge(contexts)
    for operation in 0..<6 { try edit(operation, draw(2), contexts[draw(2)], contexts) }
    for _ in 0..<2 { try edit(draw(6), draw(2), contexts[draw(2)], contexts) }
    try move(contexts)
    try meet(contexts)
    try place(seed.pick(TightPositions.allCases), contexts)
    let other = try context(folder.file("other"), "app", model)
    try refuse(in: contexts[0], other)
    try delete(contexts)
    try refuseDeleted(in: contexts[0])
    if draw(2) == 0 { return try open(path) }
    for fault in OrderModels.faults(encoding: draw(1000)) { faults.append(fault) }
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
      retainsRegisteredObjects: draw(2) == 0
    )
  }

  private mutating func insert(into context: ObjectContext) throws(HistoryError) -> StoredObject {
    let title = "t\(draw(5))"
    let task = try context.insert("Task", ["title": .string(title)])
    tasks.append(task.id)
    titles[task.id] = title
    return task
  }

  /// Saves three lists and six tasks; the tasks are in the first list, appended in random order.
  private mutating func fill(_ context: ObjectContext) throws(HistoryError) {
    for _ in 0..<3 { orders[0].members[try context.insert("List").id] = [] }
    for _ in 0..<6 { _ = try insert(into: context) }
    for task in tasks[..<3] { orders[1].members[task] = [] }
    guard let list = try context.object(orders[0].owners[0]) else { return }
    for id in seed.shuffled(tasks) {
      guard let task = try context.object(id) else { continue }
      try list.append(task, referringBy: "list")
      orders[0].add(id, to: list.id, at: nil)
    }
    try compare(0, context, "before the first save")
    try context.save()
  }

  // MARK: Comparison

  /// Compares the orders of a relationship in a context with the reference model.
  private func compare(
    _ number: Int,
    _ context: ObjectContext,
    _ when: String
  ) throws(HistoryError) {
    let order = orders[number]
    for owner in order.owners { try compare(order, owner, context, when) }
    let task = seed.pick(tasks)
    let owner = try context.object(task)?.destination(of: order.reference)?.id
    expect(
      owner == order.owner(of: task),
      "\(when), \(task) refers to \(owner.map { "\($0)" } ?? "none")"
    )
  }

  /// Compares the objects that refer to one object, in their order, with the reference model.
  private func compare(
    _ order: OrderedMembers,
    _ id: ObjectID,
    _ context: ObjectContext,
    _ when: String
  ) throws(HistoryError) {
    let members = order.members[id] ?? []
    guard let owner = try context.object(id) else {
      return faults.append("\(when), \(id) is missing")
    }
    let found = try owner.objects("Task", referringBy: order.reference).map(\.id)
    expect(found == members, "\(when), the order of \(id) is \(found), not \(members)")
    guard draw(4) == 0 else { return }
    let byTitle = try owner.objects(
      "Task",
      referringBy: order.reference,
      sortedBy: [.descending("title")]
    )
    let wanted = members.sorted {
      let (left, right) = (titles[$0] ?? "", titles[$1] ?? "")
      return left == right ? $0.key < $1.key : left > right
    }
    expect(byTitle.map(\.id) == wanted, "\(when), objects sorted by title are \(byTitle)")
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
    let context = contexts[draw(2)]
    try compare(draw(2), context, "after a merge")
    if draw(8) == 0 {
      try compare(draw(2), ObjectContext(store: context.store), "in a new context")
    }
  }

  /// Saves the edits of one operation, and checks that they change as few objects as possible.
  ///
  /// `before` contains the orders before the operation; `nil` if the operation may change more.
  private mutating func save(
    _ context: ObjectContext,
    _ contexts: [ObjectContext],
    since before: [OrderedMembers]?
  ) throws(HistoryError) {
    let saved = try context.save()
    if let before {
      let count = zip(before, orders).reduce(0) { $0 + $1.1.changeCount(since: $1.0) }
      expect(
        saved?.count ?? 0 == count,
        "an edit of orders changes \(saved?.count ?? 0) objects, not \(count)"
      )
      if let saved { try checkChanges(context.store, saved.number, since: before) }
    }
    try merge(contexts)
  }

  /// Checks which attributes a transaction updates when objects move.
  ///
  /// A move within an owner must update only the position. A move to another owner, or to none, must
  /// update the reference.
  private func checkChanges(
    _ store: Store,
    _ number: TransactionNumber,
    since before: [OrderedMembers]
  ) throws(HistoryError) {
    guard let transaction = try store.transaction(number) else { return }
    for change in transaction.changes where change.type == .update {
      for (old, new) in zip(before, orders) where old.members != new.members {
        let stays = old.owner(of: change.objectID) == new.owner(of: change.objectID)
        let names = change.updatedProperties
        expect(
          stays ? names == [new.position] : names.contains(new.reference),
          "moving an object among others updates \(names)"
        )
      }
    }
  }

  // MARK: Edits

  /// Edits one relationship in one context, saves, and merges.
  private mutating func edit(
    _ operation: Int,
    _ number: Int,
    _ context: ObjectContext,
    _ contexts: [ObjectContext]
  ) throws(HistoryError) {
    let (before, id) = (orders, seed.pick(orders[number].owners))
    let members = orders[number].members[id] ?? []
    guard let owner = try context.object(id) else { return }
    let isRoomy = try orders[number].isRoomy(members, in: context)
    let task = try operation < 4 ? task(context, contexts, isSaved: draw(3) > 0) : nil
    let count = members.count { $0 != task?.id }
    let reference = orders[number].reference
    switch (operation, task) {
    case (0, let task?):
      try owner.append(task, referringBy: reference)
      orders[number].add(task.id, to: id, at: nil)
    case (1, let task?):
      let index = draw(count + 1)
      try owner.insert(task, at: index, referringBy: reference)
      orders[number].add(task.id, to: id, at: index)
    case (2, let task?):
      try context.object(task.id)?.setDestination(owner, of: reference)
      orders[number].add(task.id, to: id, at: nil)
      try orders[number].sort(id, in: context)
    case (3, let task?):
      try context.object(task.id)?.setDestination(nil, of: reference)
      orders[number].remove(task.id)
    default:
      try setObjects(number, owner)
    }
    // The reference model does not count an insert without a reference, or an update that sets the
    // present reference. The number of changes in such a save is therefore not checked.
    let isCounted =
      ![2, 3].contains(operation)
      || before[number].owner(of: task?.id) != orders[number].owner(of: task?.id)
    try compare(orders[number], id, context, "before a save")
    try save(context, contexts, since: isRoomy && isCounted ? before : nil)
  }

  /// Replaces the tasks that refer to an object with random tasks, in random order.
  private mutating func setObjects(
    _ number: Int,
    _ owner: StoredObject
  ) throws(HistoryError) {
    let wanted = seed.shuffled(tasks.filter { _ in draw(3) > 0 })
    var objects: [StoredObject] = []
    for id in wanted {
      if let object = try owner.context.object(id) { objects.append(object) }
    }
    // If an object is given twice, only its first place counts.
    if let first = objects.first, draw(2) == 0 { objects.append(first) }
    try owner.setObjects(objects, of: "Task", referringBy: orders[number].reference)
    for task in wanted { orders[number].remove(task) }
    orders[number].members[owner.id] = wanted
  }

  /// Inserts a task into `context`, or returns a saved task from a random one of `contexts`.
  private mutating func task(
    _ context: ObjectContext,
    _ contexts: [ObjectContext],
    isSaved: Bool
  ) throws(HistoryError) -> StoredObject? {
    isSaved ? try contexts[draw(2)].object(seed.pick(tasks)) : try insert(into: context)
  }

  /// Sets the objects of a list in reverse order, then moves some of them.
  private mutating func move(_ contexts: [ObjectContext]) throws(HistoryError) {
    let id = orders[0].owners[0]
    guard let list = try contexts[0].object(id) else { return }
    let wanted = Array(tasks[..<5])
    var objects: [StoredObject] = []
    for id in wanted { if let object = try contexts[0].object(id) { objects.append(object) } }
    try list.setObjects(objects.reversed(), of: "Task", referringBy: "list")
    for task in tasks[..<5] { orders[0].remove(task) }
    orders[0].members[id] = wanted.reversed()
    try save(contexts[0], contexts, since: nil)
    for index in [4, draw(4)] {
      let isRoomy = try orders[0].isRoomy(orders[0].members[id] ?? [], in: contexts[0])
      let (before, object) = (orders, objects[draw(5)])
      try list.move(object, to: index, referringBy: "list")
      orders[0].add(object.id, to: id, at: index)
      try save(contexts[0], contexts, since: isRoomy ? before : nil)
    }
    expect(.unknownObject, of: "to move an object of another list") { () throws(HistoryError) in
      guard let other = try contexts[0].object(orders[0].owners[1]) else { return }
      try other.move(objects[0], to: 0, referringBy: "list")
    }
    expect(!contexts[0].hasChanges, "a refused move leaves edits")
  }

  /// Inserts an object at the same index of a list in both contexts, and saves both.
  private mutating func meet(_ contexts: [ObjectContext]) throws(HistoryError) {
    let id = orders[0].owners[0]
    let members = orders[0].members[id] ?? []
    // Without room, both contexts would give new positions to the same objects: a conflict.
    guard try orders[0].isRoomy(members, in: contexts[0]) else { return }
    let index = draw(members.count + 1)
    for context in contexts {
      let task = try insert(into: context)
      try context.object(id)?.insert(task, at: index, referringBy: "list")
      orders[0].add(task.id, to: id, at: index)
    }
    for context in contexts { try context.save() }
    try orders[0].sort(id, in: ObjectContext(store: contexts[0].store))
    try merge(contexts)
    for context in contexts {
      try compare(orders[0], id, context, "after two contexts inserted at one place")
    }
  }

  /// Inserts and moves tasks in a new list whose original tasks have the given positions.
  ///
  /// Then sets the tasks of the list to the original ones again, in the order in which they were
  /// inserted or in reverse.
  private mutating func place(
    _ tight: TightPositions,
    _ contexts: [ObjectContext]
  ) throws(HistoryError) {
    let (context, list) = (contexts[0], try contexts[0].insert("List"))
    var order = OrderedMembers(reference: "list", position: "position", owner: "List")
    var members: [StoredObject] = []
    for position in tight.positions {
      let values = position.map { ["position": Value.double($0)] } ?? [:]
      let task = try context.insert("Task", values)
      members.append(task)
      try task.setDestination(list, of: "list")
    }
    order.members[list.id] = members.map(\.id)
    try order.sort(list.id, in: context)
    try context.save()
    for place in 0..<3 {
      let task = try draw(2) == 0 ? context.insert("Task") : seed.pick(members)
      let count = (order.members[list.id] ?? []).count { $0 != task.id }
      let index = place == 0 ? tight.index(count) : draw(count + 1)
      if index == count, draw(2) == 0 {
        try list.append(task, referringBy: "list")
      } else {
        try list.insert(task, at: index, referringBy: "list")
      }
      order.add(task.id, to: list.id, at: index)
      try compare(order, list.id, context, "with \(tight) positions")
    }
    try context.save()
    try compare(order, list.id, contexts[1], "in a second context, with \(tight) positions")
    let wanted = seed.pick([members, members.reversed()])
    try list.setObjects(wanted, of: "Task", referringBy: "list")
    order.members[list.id] = wanted.map(\.id)
    try compare(order, list.id, context, "with \(tight) positions")
    try context.save()
  }

  /// Deletes a list in one context, and in the other a task that no other task refers to.
  private mutating func delete(_ contexts: [ObjectContext]) throws(HistoryError) {
    let list = orders[0].owners[draw(2)]
    orders[0].members[list] = nil
    contexts[0].delete(list)
    try contexts[0].save()
    try merge(contexts)
    guard let task = tasks.last(where: { orders[1].members[$0] == nil }) else { return }
    contexts[1].delete(task)
    tasks.removeAll { $0 == task }
    for number in orders.indices { orders[number].remove(task) }
    try save(contexts[1], contexts, since: nil)
  }
}
