import HistoryTypes
import Testing
import Traces

@testable import Systems

@Suite struct `Writes of the tracker's processes` {
  let rig: Rig

  init() throws { rig = try Rig(TrackerSystem()) }

  @Test func `A write is reported with its name, author, context, writer, time and changes`() throws
  {
    let events = try rig.write("app", insert(1, "milk", 2), insert(2))
    let expected = CommittedTransaction(
      name: "1",
      author: "app",
      context: "view",
      writer: "app/view",
      timestamp: PlanClock.start + 1,
      changes: [
        CommittedChange(.insert, item(1), values: values("milk", 2)),
        CommittedChange(.insert, item(2)),
      ]
    )
    #expect(events == [.committed(expected)])
    let second = try #require(try rig.write("app", update(1, "bread"), delete(2)).committed)
    #expect(
      second.changes == [
        CommittedChange(.update, item(1), columns: ["title"], values: values("bread", nil)),
        CommittedChange(.delete, item(2)),
      ]
    )
    #expect(try rig.objects(.data) == [item(1): values("bread", 2)])
  }

  @Test func `An existing object is not inserted, a missing one is not changed`() throws {
    #expect(try rig.write("app", update(1, "x"), delete(2)) == [.wroteNothing])
    try rig.write("app", insert(1, "milk"))
    #expect(try rig.write("widget", insert(1, "x"), update(3, "x")) == [.wroteNothing])
    let mixed = try #require(try rig.write("widget", insert(1, "x"), insert(2)).committed)
    #expect(mixed.changes.map(\.object) == [item(2)] && mixed.name == "2")
    try rig.write("widget", delete(1))
    // The app's view still shows the object, but the store does not have it.
    #expect(try rig.objects(.view("app", context: "view"))?[item(1)] != nil)
    #expect(try rig.write("app", update(1, "x")) == [.wroteNothing])
    #expect(try rig.write("app", insert(1, "again")).committed?.name == "4")
    #expect(try rig.write("app") == [.wroteNothing])
  }

  @Test func `Edits of one object within a write are one change`() throws {
    try rig.write("app", insert(1, "milk"), insert(2), insert(3))
    let written = try #require(
      try rig.write(
        "app",
        insert(4, "new"),
        update(4, nil, 4),
        update(1, "a"),
        update(1, "b", 1),
        update(2, "x"),
        delete(2),
        insert(5),
        delete(5)
      ).committed
    )
    #expect(
      written.changes == [
        CommittedChange(.insert, item(4), values: values("new", 4)),
        CommittedChange(
          .update,
          item(1),
          columns: ["count", "title"],
          values: values("b", 1)
        ),
        CommittedChange(.delete, item(2)),
      ]
    )
    #expect(try rig.write("app", insert(6), delete(6)) == [.wroteNothing])
  }

  @Test func `A delete and an insert replace the object`() throws {
    try rig.write("app", insert(1, "old", 1))
    let written = try #require(try rig.write("app", delete(1), insert(1, "new")).committed)
    #expect(written.changes.map(\.type) == [.delete, .insert])
    #expect(written.changes.map(\.object) == [item(1), item(1)])
    #expect(try rig.objects(.data) == [item(1): values("new", nil)])
    #expect(try rig.objects(.view("app", context: "view")) == [item(1): values("new", nil)])
  }

  @Test func `A stale view shows an object next to its replacement`() throws {
    try rig.write("app", insert(1, "old"))
    try rig.perform(.pass("widget"))
    try rig.write("app", delete(1))
    try rig.write("app", insert(1, "newer"))
    #expect(try rig.objects(.view("widget", context: "view")) == [item(1): values("old", nil)])
    // An insert of an existing object reads it into the view; the next pass removes the old one.
    #expect(try rig.write("widget", insert(1)) == [.wroteNothing])
    let both = [item(1): values("newer", nil), item(-1): values("old", nil)]
    #expect(try rig.objects(.view("widget", context: "view")) == both)
    try rig.write("app", delete(1))
    try rig.write("app", insert(1, "newest"))
    #expect(try rig.write("widget", insert(1)) == [.wroteNothing])
    let three = [
      item(1): values("newest", nil), item(-1): values("newer", nil),
      item(-1001): values("old", nil),
    ]
    #expect(try rig.objects(.view("widget", context: "view")) == three)
    try rig.perform(.pass("widget"))
    let one = [item(1): values("newest", nil)]
    #expect(try rig.objects(.view("widget", context: "view")) == one)
  }

  @Test func `A failed write changes neither data nor names`() throws {
    try rig.write("app", insert(1, "milk"))
    let wrong = PlannedChange(.insert, item(2), ["size": .int(1)])
    for context in ["view", "background"] {
      #expect(throws: SystemFailure.self) {
        try rig.write("app", delete(1), insert(1, "new"), wrong, context: context)
      }
    }
    #expect(throws: SystemFailure.self) { try rig.write("app", insert(3), wrong, context: "batch") }
    #expect(try rig.objects(.data) == [item(1): values("milk", nil)])
    #expect(try rig.write("app", update(1, "bread")).committed?.name == "2")
    #expect(try rig.objects(.data) == [item(1): values("bread", nil)])
  }

  @Test func `A background write reaches the view with the next pass`() throws {
    let written = try #require(try rig.write("app", insert(1), context: "background").committed)
    #expect(written.context == "background" && written.writer == "app/background")
    #expect(try rig.objects(.view("app", context: "view")) == [:])
    #expect(try rig.perform(.pass("app")).first == .merged(["1"]))
    #expect(try rig.objects(.view("app", context: "view")) == [item(1): [:]])
  }

  @Test func `Inserts of the batch context are a batch request`() throws {
    let batch = try #require(
      try rig.write("app", insert(1, "a"), insert(2), insert(1, "b"), context: "batch").committed
    )
    #expect(batch.context == "batch" && batch.writer == "app/batch")
    #expect(
      batch.changes == [
        CommittedChange(.insert, item(1), values: values("a", nil)),
        CommittedChange(.insert, item(2)),
      ]
    )
    #expect(try rig.write("app", insert(1), insert(2), context: "batch") == [.wroteNothing])
  }

  @Test func `Changes by key of the batch context are a batch request`() throws {
    try rig.write("widget", insert(1, "a", 1), insert(2, "b", 2), insert(3, "c", 3))
    let updated = try #require(
      try rig.write(
        "app",
        update(2, "x", 7),
        update(9, "gone", 7),
        update(1, "y", 8),
        update(2, "z", 9),
        context: "batch"
      ).committed
    )
    #expect(updated.context == "batch" && updated.writer == "app/batch")
    #expect(updated.changes.map(\.object) == [item(1), item(2)])
    #expect(updated.changes.map(\.values) == [values("y", 8), values("z", 9)])
    #expect(updated.changes.allSatisfy { $0.columns == ["count", "title"] })
    let deleted = try #require(
      try rig.write("app", delete(3), delete(9), delete(3), delete(1), context: "batch").committed
    )
    #expect(deleted.changes == [item(1), item(3)].map { CommittedChange(.delete, $0) })
    #expect(try rig.objects(.data) == [item(2): values("z", 9)])
    #expect(try rig.write("app", delete(3), delete(1), context: "batch") == [.wroteNothing])
    // The batch request is not a save of any view, so the app merges it as well.
    #expect(try rig.perform(.pass("app")).first == .merged(["1", "2", "3"]))
    #expect(try rig.objects(.view("app", context: "view")) == [item(2): values("z", 9)])
  }

  @Test func `Changes that no single batch request supports are a save in the batch context`()
    throws
  {
    try rig.write("app", insert(1, "a", 1), insert(2, "b", 2))
    let mixed: [[PlannedChange]] = [
      [update(1, "x"), delete(2)],
      [update(1, "y"), PlannedChange(.update, item(1), ["count": 3])],
      [insert(3), update(1, "z")],
    ]
    for changes in mixed {
      #expect(KeyedBatch(changes) == nil)
      let write = PlannedWrite(actor: "app", context: "batch", changes: changes)
      let saved = try #require(try rig.perform(.write(write)).committed)
      #expect(saved.writer == "app/batch")
    }
    #expect(KeyedBatch([]) == nil)
    #expect(KeyedBatch([PlannedChange(.update, item(1))]) == nil)
  }

  @Test func `A write may name another author, or none`() throws {
    let absent = try rig.write("app", insert(1), author: .absent).committed
    let other = try rig.write("app", insert(2), author: .other("widget")).committed
    let batch = try rig.write("app", insert(3), context: "batch", author: .absent).committed
    #expect(absent?.author == nil && other?.author == "widget" && batch?.author == nil)
    // The app saved two of them in its view, whatever their authors.
    #expect(try rig.perform(.pass("app")).first == .merged(["3"]))
    #expect(try rig.perform(.pass("widget")).first == .merged(["1", "2", "3"]))
  }

  @Test func `A batch request changes the matching objects, in the order of names`() throws {
    try rig.write("widget", insert(3, "c", 5), insert(1, "a", 5))
    try rig.write("app", insert(2, "b", 5), insert(4, "d", 1))
    let condition = PlannedCondition("count", .greater, .int(2))
    let batch = PlannedBatch(
      actor: "app",
      author: .absent,
      type: .update,
      entity: "Item",
      conditions: [condition, PlannedCondition("title", .notEqual, .string("c"))],
      values: values("x", nil)
    )
    let written = try #require(try rig.perform(.batch(batch)).committed)
    #expect(written.author == nil && written.context == "batch" && written.name == "3")
    let change = CommittedChange(
      .update,
      item(1),
      columns: ["title"],
      values: values("x", nil)
    )
    var second = change
    second = CommittedChange(.update, item(2), columns: change.columns, values: change.values)
    #expect(written.changes == [change, second])
    var removal = batch
    removal.type = .delete
    removal.conditions = [condition]
    removal.author = .own
    let removed = try #require(try rig.perform(.batch(removal)).committed)
    #expect(removed.author == "app" && removed.changes.allSatisfy { $0.type == .delete })
    #expect(removed.changes.map(\.object) == [item(1), item(2), item(3)])
    #expect(try rig.perform(.batch(removal)) == [.wroteNothing])
    #expect(try rig.objects(.data) == [item(4): values("d", 1)])
  }

  @Test func `A started write lets others write before it commits`() throws {
    let write = PlannedWrite(actor: "app", changes: [insert(1, "late")])
    #expect(try rig.perform(.begin(write)).isEmpty)
    #expect(try rig.write("widget", insert(2)).committed?.name == "1")
    let written = try #require(try rig.perform(.commit("app")).committed)
    #expect(written.name == "2" && written.changes.map(\.object) == [item(1)])
    #expect(throws: SystemFailure.self) { try rig.perform(.commit("app")) }
  }

  @Test func `A crash discards the started write`() throws {
    try rig.perform(.begin(PlannedWrite(actor: "app", changes: [insert(1)])))
    #expect(try rig.perform(.crash("app")) == [.crashed])
    try rig.perform(.launch("app"))
    #expect(throws: SystemFailure(.failed, "app has no open write.")) {
      try rig.perform(.commit("app"))
    }
    #expect(try rig.objects(.data) == [:])
  }
}
