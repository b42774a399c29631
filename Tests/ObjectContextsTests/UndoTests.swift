import HistoryStore
import HistoryTypes
import ObjectContexts
import PropertyTesting
import PropertyTraits
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct `An undo of a context` {
  let file: StoreFile
  let context: ObjectContext
  let other: ObjectContext
  let ids: [ObjectID]

  init() throws {
    file = try StoreFile()
    context = try file.context("app", .objectWins)
    other = try file.context("widget", .objectWins)
    let other = other
    ids = try ["a", "b"].map { try other.savedItem($0) }
    try context.setLevelsOfUndo(10)
  }

  private func merge(after start: HistoryToken) throws {
    try context.merge(try context.store.fetch(HistoryRequest(after: start)).transactions)
  }

  @Test func `An undo of an edit that changed nothing leaves no unsaved edit`() throws {
    try context.object(ids[0])?.set("a", for: "title")
    #expect(try context.hasChanges && context.undo() && !context.hasChanges)
    #expect(try context.redo() && context.hasChanges)
    try context.undoGroup {
      try context.object(ids[1])?.set("x", for: "title")
      try context.object(ids[1])?.set("b", for: "title")
    }
    while try context.undo() {}
    #expect(try !context.hasChanges && context.save() == nil)
  }

  @Test func `An undo within a group ends the group's edits so far`() throws {
    try context.undoGroup {
      try context.object(ids[0])?.set("x", for: "title")
      #expect(try context.undo())
      try context.object(ids[0])?.set("y", for: "title")
      context.delete(ids[1])
      try context.setLevelsOfUndo(0)
      try context.setLevelsOfUndo(5)
      try context.object(ids[0])?.set("z", for: "title")
    }
    #expect(try context.undo() && context.item(ids[0]) == ["y", 0] && !context.canUndo)
  }

  @Test func `Inserts, updates and deletes are undone and redone`() throws {
    let new = try context.insert("Item", ["title": "new"])
    try context.object(ids[0])?.set("x", for: "title")
    context.delete(ids[1])
    #expect(try context.undo() && context.item(ids[1]) == ["b", 0])
    #expect(try context.undo() && context.item(ids[0]) == ["a", 0])
    #expect(try context.undo() && context.object(new.id) == nil && !context.canUndo)
    #expect(try !context.hasChanges && !context.undo())
    while try context.redo() {}
    #expect(try context.item(ids[0]) == ["x", 0] && context.object(ids[1]) == nil)
    #expect(try new["title"] == "new" && !context.canRedo)
    #expect(try context.save()?.count == 3 && !context.canUndo)
  }

  @Test func `A group is undone as one, and a new edit ends what can be redone`() throws {
    try context.undoGroup {
      try context.object(ids[0])?.set("x", for: "title")
      try context.undoGroup { try context.object(ids[0])?.set("y", for: "title") }
      context.delete(ids[0])
      context.delete(ids[1])
    }
    try context.undo()
    #expect(try context.item(ids[0]) == ["a", 0] && context.item(ids[1]) == ["b", 0])
    #expect(!context.canUndo && context.canRedo && !context.hasChanges)
    try context.object(ids[1])?.set(1, for: "count")
    #expect(!context.canRedo)
  }

  @Test func `Only as many edits as levels can be undone, by default none`() throws {
    try context.setLevelsOfUndo(2)
    for count in 1...4 { try context.object(ids[0])?.set(.int(Int64(count)), for: "count") }
    while try context.undo() {}
    #expect(try context.item(ids[0]) == ["a", 2])
    try context.setLevelsOfUndo(1)
    #expect(try context.redo() && !context.redo() && context.item(ids[0]) == ["a", 3])
    try other.object(ids[0])?.set(1, for: "count")
    #expect(other.levelsOfUndo == 0 && !other.canUndo)
  }

  @Test func `A negative number of levels is an error, and the edits can still be undone`() throws {
    try context.object(ids[0])?.set("x", for: "title")
    let error = #expect(throws: HistoryError.negativeBound("levelsOfUndo", -1)) {
      try context.setLevelsOfUndo(-1)
    }
    #expect(error?.message == "The number of levels of undo is -1, which is negative.")
    #expect(context.levelsOfUndo == 10)
    #expect(try context.undo() && context.item(ids[0]) == ["a", 0])
    try context.setLevelsOfUndo(0)
    try context.object(ids[0])?.set("x", for: "title")
    #expect(!context.canUndo)
  }

  @Test func `Saved edits are undone by further edits, until a save deletes an object`() throws {
    let new = try context.insert("Item", ["title": "new"])
    try context.object(ids[0])?.set("x", for: "title")
    try context.save()
    #expect(try context.undo() && context.undo() && context.hasChanges)
    #expect(try context.item(ids[0]) == ["a", 0] && context.object(new.id) == nil)
    #expect(try context.redo() && new["title"] == "new")
    #expect(try context.undo() && context.save()?.count == 2)
    #expect(!context.canUndo && !context.canRedo)
    #expect(try other.store.rows(1, sortedKeys: [ids[0].key, new.id.key]).keys == [ids[0].key])
  }

  @Test func `What others have committed since is not undone`() throws {
    let item = try #require(try context.object(ids[0]))
    try context.undoGroup {
      try item.set("x", for: "title")
      try item.set(1, for: "count")
    }
    try context.save()
    try context.object(ids[1])?.set("y", for: "title")
    context.delete(ids[1])
    let start = try other.store.currentToken()
    try other.refresh(ids[0])
    try other.save(7, for: "count", of: ids[0])
    other.delete(ids[1])
    try other.save()
    try merge(after: start)
    #expect(try context.undo() && context.object(ids[1]) == nil && !context.hasChanges)
    #expect(try context.undo() && context.object(ids[1]) == nil)
    #expect(try context.undo() && context.item(ids[0]) == ["a", 7])
    #expect(try context.save()?.count == 1)
    try other.refresh(ids[0])
    #expect(try other.item(ids[0]) == ["a", 7])
  }

  @Test func `An undone delete restores the edits and shows what was merged`() throws {
    try context.object(ids[0])?.set("x", for: "title")
    context.delete(ids[0])
    let start = try other.store.currentToken()
    try other.save(7, for: "count", of: ids[0])
    try merge(after: start)
    #expect(try context.undo() && context.item(ids[0]) == ["x", 7])
    #expect(try context.undo() && context.item(ids[0]) == ["a", 7] && !context.hasChanges)
  }

  @Test func `A released object is read again for an undo`() throws {
    try context.object(ids[0])?.set("x", for: "title")
    try context.save()
    context.releaseAll()
    #expect(try context.undo() && context.item(ids[0]) == ["a", 0])
  }

  @Test(arguments: ["rollback", "reset", "loadAll"])
  func `A rollback, a reset and a load end what can be undone`(_ name: String) throws {
    for _ in 0..<2 { try context.object(ids[0])?.set("x", for: "title") }
    try context.undo()
    switch name {
    case "rollback": context.rollback()
    case "reset": context.reset()
    default: try context.loadAll()
    }
    #expect(!context.canUndo && !context.canRedo && !context.hasChanges)
  }

  @Test func `A live query follows an undo`() async throws {
    var lists = try context.liveObjects("Item").makeAsyncIterator()
    _ = try await lists.next()
    context.delete(ids[0])
    #expect(try await lists.next()?.count == 1)
    try context.undo()
    #expect(try await lists.next()?.objectIDs == ids)
  }
}

struct `Undo as a model` {
  @Test(.property(cases: 25, seed: 1))
  func `Undoing and redoing all edits leads through the same states`() async throws {
    try await property { source in
      let file = try StoreFile()
      let context = try file.context("app", .objectWins)
      var ids = try ["a", "b", "c"].map { try context.savedItem($0) }
      try context.setLevelsOfUndo(.max)
      var states = [try state(context, ids)]
      for _ in 0..<source.int(in: 0...12, label: "edits") {
        let place = source.int(in: 0...ids.count - 1, label: "object")
        switch source.int(in: 0...4, label: "edit") {
        case 0: context.delete(ids[place])
        case 1: ids.append(try context.insert("Item", ["title": "new"]).id)
        case let kind:
          let value = Int64(source.int(in: 0...3, label: "value"))
          try context.object(ids[place])?
            .set(kind == 2 ? .int(value) : .string("\(value)"), for: kind == 2 ? "count" : "title")
        }
        if source.int(in: 0...5, label: "save") == 5, !context.hasDeletes(ids) {
          try context.save()
        }
        let now = try state(context, ids)
        if now != states.last { states.append(now) }
      }
      var walked: [[[Value?]]] = []
      walk(&walked, try state(context, ids))
      while try context.undo() { walk(&walked, try state(context, ids)) }
      #expect(Array(walked.reversed()) == states.map { pad($0, ids.count) })
      var again: [[[Value?]]] = []
      walk(&again, try state(context, ids))
      while try context.redo() { walk(&again, try state(context, ids)) }
      #expect(again == states.map { pad($0, ids.count) })
    }
  }

  private func walk(_ states: inout [[[Value?]]], _ state: [[Value?]]) {
    if states.last != state { states.append(state) }
  }

  private func pad(_ state: [[Value?]], _ count: Int) -> [[Value?]] {
    state + Array(repeating: [], count: count - state.count)
  }

  private func state(_ context: ObjectContext, _ ids: [ObjectID]) throws -> [[Value?]] {
    try ids.map { try context.item($0) ?? [] }
  }
}

extension ObjectContext {
  /// Whether the next save would delete an object.
  fileprivate func hasDeletes(_ ids: [ObjectID]) -> Bool {
    ids.contains { id in (try? object(id)) == nil }
  }
}
