import HistoryStore
import HistoryTypes
import ObjectContexts

extension OrderScript {
  /// Checks the errors of requests that must not change an order.
  ///
  /// `other` is a context of another store.
  func refuse(in context: ObjectContext, _ other: ObjectContext) throws(HistoryError) {
    let (list, task) = (try context.insert("List"), try context.insert("Task"))
    let (note, member) = (try context.insert("Note"), try context.insert("Task"))
    try list.append(member, referringBy: "list")
    try context.save()
    let foreign = (list: try other.insert("List"), task: try other.insert("Task"))
    try other.save()
    let unsaved = try ObjectContext(store: context.store).insert("Task")
    expectErrors(
      .indexOutOfRange,
      in: context,
      [
        { try list.insert(task, at: 2, referringBy: "list") },
        { try list.insert(task, at: -1, referringBy: "list") },
        { try list.insert(member, at: 1, referringBy: "list") },
        { try list.move(member, to: 1, referringBy: "list") },
        { try list.move(member, to: -1, referringBy: "list") },
      ]
    )
    expectErrors(
      .unknownAttribute,
      in: context,
      [
        { try list.append(note, referringBy: "list") },
        { try list.append(task, referringBy: "title") },
        { try list.append(task, referringBy: "xyzzy") },
        { try task.insert(member, at: 0, referringBy: "list") },
        { try list.move(member, to: 0, referringBy: "parent") },
        { try list.setObjects([], of: "Note", referringBy: "list") },
        { _ = try task.objects("Task", referringBy: "list") },
        { _ = try list.objects("Task", referringBy: "title") },
        { _ = try task.destination(of: "title") },
        { try task.setDestination(list, of: "xyzzy") },
      ]
    )
    expectErrors(
      .unknownEntity,
      in: context,
      [
        { try list.setObjects([], of: "Xyzzy", referringBy: "list") },
        { _ = try list.objects("Xyzzy", referringBy: "list") },
      ]
    )
    expectErrors(
      .unfitValue,
      in: context,
      [
        { try list.setObjects([task, note], of: "Task", referringBy: "list") },
        { try task.setDestination(note, of: "list") },
      ]
    )
    expectErrors(
      .unknownObject,
      in: context,
      [
        { try list.move(task, to: 0, referringBy: "list") },
        { try list.append(foreign.task, referringBy: "list") },
        { try list.insert(unsaved, at: 0, referringBy: "list") },
        { try list.setObjects([task, foreign.task], of: "Task", referringBy: "list") },
        { try task.setDestination(foreign.list, of: "list") },
      ]
    )
    expect(
      try list.objects("Task", referringBy: "list") == [member],
      "requests that were refused have changed the order"
    )
  }

  /// Checks the errors of requests with deleted objects.
  func refuseDeleted(in context: ObjectContext) throws(HistoryError) {
    let (list, task) = (try context.insert("List"), try context.insert("Task"))
    let (gone, rest) = (try context.insert("List"), try context.insert("Task"))
    try list.append(task, referringBy: "list")
    try gone.append(rest, referringBy: "list")
    try context.save()
    task.delete()
    gone.delete()
    expect(try list.objects("Task", referringBy: "list").isEmpty, "a deleted object is in a list")
    expect(try task.destination(of: "list") == nil, "a deleted object refers to another one")
    expect(try rest.destination(of: "list") == nil, "an object refers to a deleted one")
    let requests: [() throws -> Void] = [
      { try list.append(task, referringBy: "list") },
      { try gone.append(rest, referringBy: "list") },
      { try list.setObjects([task], of: "Task", referringBy: "list") },
      { try task.setDestination(list, of: "list") },
    ]
    for request in requests {
      expectError(.unknownObject, of: "an order of deleted objects", request)
    }
    context.rollback()
    expect(
      try list.objects("Task", referringBy: "list") == [task],
      "an order is not restored by a rollback"
    )
  }

  /// Opens the file with models in which another attribute, or none, orders the tasks of a list.
  ///
  /// A file does not record which attribute orders a reference, so each model's order must apply.
  func open(_ path: String) throws(HistoryError) {
    for position in [nil, "place"] {
      guard let model = try? OrderModels.model(orderedBy: position) else {
        return faults.append("the model ordered by \(position ?? "none") is refused")
      }
      let opened = try Store(path: path, model: model, configuration: configuration())
      let context = ObjectContext(store: opened)
      let list = try context.insert("List")
      let tasks = try [3.0, 1, 2].map { place throws(HistoryError) in
        let values: [String: Value] = ["place": .double(place), "position": .double(-place)]
        let task = try context.insert("Task", values)
        try task.setDestination(list, of: "list")
        return task
      }
      let wanted = position == nil ? [0, 1, 2] : [1, 2, 0]
      for state in ["before", "after"] {
        expect(
          try list.objects("Task", referringBy: "list") == wanted.map { tasks[$0] },
          "\(state) a save, objects are not in the order of \(position ?? "their keys")"
        )
        try context.save()
      }
      expect(try opened.verify().filter(\.isWrong).isEmpty, "a file with orders is not intact")
    }
  }
}

extension DiskScript {
  /// Runs requests that must fail with an error code, and must leave the context without edits.
  func expectErrors(
    _ code: HistoryError.Code,
    in context: ObjectContext,
    _ requests: [() throws -> Void]
  ) {
    for (number, request) in requests.enumerated() {
      expectError(code, of: "the invalid request \(number)", request)
      expect(!context.hasChanges, "the invalid request \(number) leaves edits")
      context.rollback()
    }
  }

  /// Runs a request that must fail with an error code.
  func expectError(
    _ code: HistoryError.Code,
    of what: String,
    _ request: () throws -> Void
  ) {
    expect(code, of: what) { () throws(HistoryError) in
      do { try request() } catch { throw HistoryError(error) }
    }
  }
}
