import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct `Writes to a model with relations` {
  /// Lists have unique names; an item, a note and a share refer to one, each with another rule.
  static let entities = [
    Entity(
      "List",
      [
        Attribute("name", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("rank", .int),
      ],
      uniquenessConstraints: [["name"]]
    ), Entity("Item", [Attribute("title", .string), Attribute("list", to: "List")]),
    Entity(
      "Note",
      [
        Attribute("text", .string),
        Attribute("item", to: "Item", deleteRule: .cascade, isOptional: false),
        Attribute(
          "list",
          to: "List",
          deleteRule: .cascade,
          preservesValueInHistoryOnDeletion: true
        ),
      ]
    ), Entity("Share", [Attribute("list", to: "List", deleteRule: .deny)]),
    Entity("Page", [Attribute("next", to: "Page")]),
    Entity("Reply", [Attribute("note", to: "Note", deleteRule: .cascade)]),
  ]

  /// A story with the lists `home` and `work`, and an item and a note of `home`.
  private func opened() throws -> Story {
    var story = try Story("app", "widget", launched: false)
    story.header.model = try Model(Self.entities)
    story.register("app")
    story.register("widget")
    story.write(
      "widget",
      "1",
      .insert("List", 1, ["name": "home", "rank": 1]),
      .insert("List", 2, ["name": "work", "rank": 2]),
      .insert("Item", 1, ["title": "a", "list": 1]),
      .insert("Note", 1, ["item": 1, "list": 1])
    )
    story.pass("app", "1")
    return story
  }

  /// Saves changes in a background context, and returns why the result is rejected.
  private func fault(
    _ changes: PlannedChange...,
    context: String = "background",
    policy: PlannedPolicy = .objectWins,
    reported: [CommittedChange] = [],
    refused code: SystemFailure.Code? = nil
  ) throws -> String? {
    var story = try opened()
    story.header.foreignWrites = .captured
    let write = PlannedWrite(
      actor: "app",
      context: context,
      changes: changes,
      policy: policy
    )
    let outcome = code.map { Outcome.failed(SystemFailure($0, "refused")) } ?? .ok
    story.run(.write(write), outcome) { story in
      if code == nil, !reported.isEmpty { story.commit("app", "2", reported, "background") }
    }
    return story.verdict(Convergence.self).violation?.because
  }

  private func change(
    _ type: ChangeType,
    _ object: String,
    _ columns: String...
  ) -> CommittedChange {
    let parts = object.split(separator: "/")
    let name = ObjectName(String(parts[0]), Int64(parts[1]) ?? 0)
    return CommittedChange(type, name, columns: columns)
  }

  @Test func `Delete rules change and delete other objects`() throws {
    let all = [
      change(.delete, "List/1"), change(.update, "Item/1", "list"), change(.delete, "Note/1"),
    ]
    #expect(try fault(.delete("List", 1), reported: all) == nil)
    for missing in all.indices.dropFirst() {
      var some = all
      let left = some.remove(at: missing)
      let because = try fault(.delete("List", 1), reported: some)
      #expect(because?.contains("\(left.object)") == true, "\(because ?? "accepted")")
    }
    let item = [change(.delete, "Item/1"), change(.delete, "Note/1")]
    #expect(try fault(.delete("Item", 1), reported: item) == nil)
  }

  @Test func `A rule comes before the other edits of a save`() throws {
    let moved = [
      change(.delete, "List/1"), change(.update, "Item/1", "list"), change(.delete, "Note/1"),
    ]
    #expect(
      try fault(.update("Item", 1, ["list": 2]), .delete("List", 1), reported: moved) == nil
    )
    #expect(
      try fault(.insert("Note", 2, ["item": 1, "list": 1]), .delete("List", 1), reported: moved)
        == nil
    )
  }

  @Test func `An insert below a left-out insert is left out too`() throws {
    let changes = [
      PlannedChange.insert("Reply", 1, ["note": 2]), .insert("Note", 2, ["item": 1, "list": 1]),
    ]
    let moved = [
      change(.delete, "List/1"), change(.update, "Item/1", "list"), change(.delete, "Note/1"),
    ]
    let list = PlannedChange.delete("List", 1)
    #expect(try fault(changes[0], changes[1], list, reported: moved) == nil)
    let inserted = try fault(
      changes[0],
      changes[1],
      list,
      reported: moved + [change(.insert, "Reply/1")]
    )
    #expect(inserted?.contains("Reply/1") == true, "\(inserted ?? "accepted")")
    let refused = try fault(changes[0], changes[1], list, refused: .dangling)
    #expect(refused != nil)
  }

  @Test(arguments: [false, true])
  func `An inserted object that denies the delete has a dangling reference`(
    _ movesAnother: Bool
  ) throws {
    let share = PlannedChange.insert("Share", 1, ["list": 1])
    let item = PlannedChange.update("Item", 1, movesAnother ? ["list": 2] : ["title": "b"])
    let list = PlannedChange.delete("List", 1)
    #expect(try fault(share, item, list, refused: .dangling) == nil)
    #expect(try fault(share, item, list, refused: .denied) != nil)
  }

  @Test func `Plain SQL applies no delete rule, and is refused if a reference is left`() throws {
    let sql = PlannedWrite.plainSQL
    let items = [PlannedChange.delete("Note", 1), .delete("Item", 1)]
    let gone = [change(.delete, "Item/1"), change(.delete, "Note/1")]
    #expect(try fault(items[0], items[1], context: sql, reported: gone) == nil)
    #expect(try fault(items[1], context: sql, refused: .dangling) == nil)
    let accepted = try fault(items[1], context: sql, reported: gone)
    #expect(accepted?.contains("refer") == true, "\(accepted ?? "accepted")")
    // Statements run in their order: a name is free after the delete, and not before.
    let home = PlannedChange.insert("List", 3, ["name": "work"])
    let moved = [change(.delete, "List/2"), change(.insert, "List/3")]
    #expect(try fault(.delete("List", 2), home, context: sql, reported: moved) == nil)
    #expect(try fault(home, .delete("List", 2), context: sql, refused: .duplicate) == nil)
    // The key of an object that is inserted later is not known yet.
    let early = [PlannedChange.insert("Item", 2, ["list": 3]), .insert("List", 3, ["name": "x"])]
    #expect(try fault(early[0], early[1], context: sql, refused: .dangling) == nil)
    let late = [change(.insert, "Item/2"), change(.insert, "List/3")]
    #expect(try fault(early[1], early[0], context: sql, reported: late) == nil)
    #expect(try fault(.update("Note", 1, ["item": .null]), context: sql, refused: .missing) == nil)
    #expect(try fault(.insert("Page", 1, ["next": 1]), context: sql, refused: .dangling) == nil)
  }

  @Test func `A write is refused for the reason of the plan`() throws {
    let share = PlannedChange.insert("Share", 1, ["list": 2])
    #expect(try fault(share, .delete("List", 1), .delete("List", 2), refused: .dangling) == nil)
    #expect(try fault(.insert("Item", 2, ["list": 9]), refused: .dangling) == nil)
    #expect(try fault(.insert("Note", 2), refused: .missing) == nil)
    #expect(
      try fault(.insert("List", 3, ["name": "home"]), policy: .error, refused: .duplicate) == nil
    )
    var story = try opened()
    story.run(
      .batch(
        PlannedBatch(
          actor: "app",
          type: .update,
          entity: "Note",
          conditions: [.among("text", [])],
          values: ["item": .null]
        )
      ),
      .failed(SystemFailure(.missing, "refused"))
    )
    #expect(story.verdict(Convergence.self).violation == nil)
    for code in [SystemFailure.Code.dangling, .missing, .duplicate, .denied, .conflict] {
      let because = try fault(.insert("Item", 2, ["list": 1]), refused: code)
      #expect(because?.isEmpty == false, "\(code)")
    }
    let accepted = try fault(
      .insert("Item", 2, ["list": 9]),
      reported: [change(.insert, "Item/2")]
    )
    #expect(
      accepted
        == "app's write #2 succeeded, but the store must refuse it: an object would refer to one that does not exist"
    )
  }

  @Test func `An object that stays denies the delete`() throws {
    var story = try opened()
    story.write("widget", "2", .insert("Share", 1, ["list": 1]))
    story.run(
      .batch(PlannedBatch(actor: "app", type: .delete, entity: "List", conditions: [])),
      .failed(SystemFailure(.denied, "refused"))
    )
    #expect(story.verdict(Convergence.self).violation == nil)
    story.run(
      .batch(PlannedBatch(actor: "app", type: .delete, entity: "Share", conditions: [])),
      .failed(SystemFailure(.denied, "refused"))
    )
    #expect(story.verdict(Convergence.self).violation?.because.contains("does not explain") == true)
  }

  @Test(arguments: [
    (PlannedPolicy.objectWins, ["List/1 rank,name"]), (.overwrite, ["List/1 rank,name"]),
    (.storeWins, []), (.rollback, []),
  ])
  func `An inserted object becomes its duplicate, and references follow`(
    _ policy: PlannedPolicy,
    _ updates: [String]
  ) throws {
    let changes = [
      PlannedChange.insert("List", 3, ["name": "home", "rank": 3]),
      .insert("Item", 2, ["list": 3]),
    ]
    var reported = [change(.insert, "Item/2")]
    if !updates.isEmpty { reported.append(change(.update, "List/1", "name", "rank")) }
    #expect(try fault(changes[0], changes[1], policy: policy, reported: reported) == nil)
    #expect(
      try fault(changes[0], changes[1], policy: policy, reported: [change(.insert, "List/3")])
        != nil
    )
  }

  @Test func `The duplicate of an updated object gives way with its references`() throws {
    let removed = [
      change(.update, "List/2", "name"), change(.delete, "List/1"),
      change(.update, "Item/1", "list"), change(.delete, "Note/1"),
    ]
    #expect(try fault(.update("List", 2, ["name": "home"]), reported: removed) == nil)
    let kept = try fault(.update("List", 2, ["name": "home"]), policy: .storeWins)
    #expect(kept == nil)
    #expect(
      try fault(.update("List", 2, ["name": "home"]), policy: .storeWins, reported: removed) != nil
    )
  }

  @Test func `A partial view is compared in the objects that it holds`() throws {
    func verdict(_ view: Objects) throws -> Verdict {
      var story = try opened()
      story.header.actors[0].isPartial = true
      story.close(views: ["app": view])
      return story.verdict(Convergence.self)
    }
    let item: Values = ["title": "a", "list": 1]
    #expect(try verdict([:]) == .valid)
    #expect(try verdict([ObjectName("Item", 1): item]) == .valid)
    #expect(try verdict([ObjectName("Item", 1): ["title": "a"]]).violation != nil)
    #expect(try verdict([ObjectName("Item", 2): item]).violation != nil)
  }
}
