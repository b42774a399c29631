import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct ConvergenceTests {
  private func violation(_ story: Story) -> Violation? {
    story.verdict(Convergence.self).violation
  }

  /// A story in which share inserted Item/1 and app merged it.
  private func opened() throws -> Story {
    var story = try Story("app", "share")
    story.write("share", "1", .insert("Item", 1, ["title": "a", "count": 1]))
    story.pass("app", "1")
    return story
  }

  @Test func `Views that equal the data are accepted`() throws {
    var story = try opened()
    story.write("app", "2", .update("Item", 1, ["count": 2]), .insert("Note", 4))
    story.pass("share", "2")
    story.close()
    #expect(story.verdict(Convergence.self) == .valid)
  }

  @Test func `A view that lacks an object is rejected`() throws {
    var story = try opened()
    story.close(views: ["app": [:]])
    let found = try #require(violation(story))
    #expect(
      found.because
        == "app's view lacks Item/1, which the store has (share last wrote it in #1)"
    )
    #expect(found.transaction == "1")
  }

  @Test func `A view that kept a deleted object is rejected`() throws {
    var story = try opened()
    let old = story.objects
    story.write("share", "2", .delete("Item", 1))
    story.pass("app", "2")
    story.close(views: ["app": old])
    #expect(violation(story)?.because.contains("still has Item/1") == true)
  }

  @Test func `A view with an old value is rejected`() throws {
    var story = try opened()
    let old = story.objects
    story.write("share", "2", .update("Item", 1, ["count": 2]))
    story.pass("app", "2")
    story.close(views: ["app": old])
    #expect(
      violation(story)?.because
        == "app's view says count = 1 for Item/1, the store says 2 (share last wrote it in #2)"
    )
  }

  @Test func `A write outside of commands may only insert objects from before the plan`() throws {
    var story = try Story("app", "share")
    story.open("app", "1", ObjectName("Item", 1))
    story.close()
    #expect(violation(story) == nil)
    story.header.objects = [:]
    #expect(violation(story)?.because.contains("which no command of the plan asked for") == true)
  }

  @Test func `A view in the middle of a plan may be behind`() throws {
    var story = try opened()
    for context in ["view", "background"] {
      story.run(.view("app", context: context)) { $0.tell("app", .viewed(context: context, [:])) }
    }
    story.close()
    #expect(story.verdict(Convergence.self) == .valid)
  }

  @Test func `A trace without foreign writes is undecided`() throws {
    var story = try Story("app", "share")
    story.stop("share")
    story.write("app", "1")
    story.close()
    #expect(story.verdict(Convergence.self).isUnknown)
  }

  @Test func `A trace without its last views or data is undecided`() throws {
    var story = try opened()
    #expect(story.verdict(Convergence.self).isUnknown)
    var viewed = story
    for actor: ActorID in ["app", "share"] {
      viewed.tell(actor, .viewed(context: "view", story.objects))
    }
    #expect(viewed.verdict(Convergence.self).isUnknown)
    story.tell(nil, .data(story.objects))
    #expect(story.verdict(Convergence.self).isUnknown)
  }

  @Test func `Data that differs from the model is rejected wherever it is read`() throws {
    var story = try opened()
    story.run(.data) { $0.tell(nil, .data([:])) }
    #expect(
      violation(story)?.because == "the store's data lacks Item/1, which the plan has"
    )
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `A system that reports no changes for a write with changes is rejected`() throws {
    var story = try Story("app", "share")
    story.run(.write(PlannedWrite(actor: "share", changes: [.insert("Item", 1)]))) {
      $0.tell("share", .wroteNothing)
    }
    story.close()
    #expect(
      violation(story)?.because
        == "share got the answer that its write changed nothing, but it makes an insert of Item/1"
    )
  }

  @Test func `A write without effect leaves no transaction or an empty one`() throws {
    var story = try opened()
    story.run(.write(PlannedWrite(actor: "share", changes: [.insert("Item", 1)]))) {
      $0.tell("share", .wroteNothing)
    }
    story.write("share", "2", .delete("Item", 8), reported: [])
    story.pass("app", "2")
    story.close()
    #expect(story.verdict(Convergence.self) == .valid)
  }

  @Test(arguments: [
    ([CommittedChange.update(1)], "insert of Item/2"),
    ([.update(1), .insert(2), .delete(3)], "reports a delete of Item/3"),
    ([.update(3), .insert(2)], "an update of Item/1"),
    ([.delete(1), .insert(1), .insert(2)], "reports a delete and an insert of Item/1"),
    ([.insert(1), .insert(2)], "reports an insert of Item/1"),
    ([.update(1), .update(1), .insert(2)], "reports an update and an update of Item/1"),
  ])
  func `A response with changes other than the write's is rejected`(
    reported: [CommittedChange],
    part: String
  ) throws {
    var story = try opened()
    story.write(
      "share",
      "2",
      .update("Item", 1, ["count": 9]),
      .insert("Item", 2),
      reported: reported
    )
    let because = try #require(violation(story)).because
    #expect(because.contains(part), "\(because)")
  }

  @Test func `The order of the changes in a response does not matter`() throws {
    var story = try opened()
    story.write(
      "share",
      "2",
      .insert("Item", 2),
      .update("Item", 1, ["count": 9]),
      reported: [.update(1), .insert(2)]
    )
    #expect(violation(story) == nil)
  }

  @Test func `A replaced object may be reported as one change or as two`() throws {
    for reported in [[CommittedChange.update(1)], [.delete(1), .insert(1)]] {
      var story = try opened()
      story.write("share", "2", .delete("Item", 1), .insert("Item", 1), reported: reported)
      #expect(violation(story) == nil)
    }
    var story = try opened()
    story.write("share", "2", .delete("Item", 1), .insert("Item", 1), reported: [.insert(1)])
    #expect(violation(story) != nil)
  }

  @Test func `An update that changes no value may be omitted, another update may not`() throws {
    var story = try opened()
    story.write("share", "2", .update("Item", 1, ["count": 1]), reported: [])
    #expect(violation(story) == nil)
    story.write("share", "3", .update("Item", 1, ["count": 2]), reported: [])
    #expect(violation(story)?.transaction == "3")
  }

  @Test func `A batch is checked against its conditions`() throws {
    var story = try opened()
    story.write("share", "2", .insert("Item", 2), .insert("Item", 3, ["count": 3]))
    let batch = PlannedBatch(
      actor: "share",
      type: .delete,
      entity: "Item",
      conditions: [PlannedCondition("count", .less, 3)]
    )
    var wrong = story
    story.run(.batch(batch)) { $0.commit("share", "3", [.delete(1)], "batch") }
    #expect(violation(story) == nil)
    wrong.run(.batch(batch)) { $0.commit("share", "3", [.delete(1), .delete(2)], "batch") }
    #expect(violation(wrong)?.because.contains("Item/2") == true)
  }

  @Test func `A transaction that no command requested is rejected`() throws {
    var story = try opened()
    story.run(.pass("app")) { $0.commit("app", "2", []) }
    #expect(violation(story)?.because.contains("no command of the plan asked for") == true)
  }

  @Test func `A second transaction for one write is rejected`() throws {
    var story = try opened()
    story.run(.write(PlannedWrite(actor: "app", changes: [.insert("Item", 5)]))) { story in
      story.commit("app", "2", [.insert(5)])
      story.commit("app", "3", [.insert(5)])
    }
    #expect(violation(story)?.because.contains("a second transaction for one write") == true)
    #expect(violation(story)?.transaction == "3")
  }

  @Test func `A staged write takes its effect when it is committed`() throws {
    var story = try opened()
    let staged = [PlannedChange.insert("Item", 2), .update("Item", 1, ["count": 5])]
    story.run(.begin(PlannedWrite(actor: "app", changes: staged)))
    story.write("share", "2", .delete("Item", 1))
    story.run(.commit("app")) { story in
      story.commit("app", "3", [.insert(2)])
      story.follow(staged)
    }
    story.pass("share", "3")
    story.pass("app", "2")
    story.close()
    #expect(story.verdict(Convergence.self) == .valid)
  }

  @Test func `A staged write is committed once`() throws {
    var story = try opened()
    story.run(.begin(PlannedWrite(actor: "app", changes: [.insert("Item", 2)])))
    story.run(.commit("app")) { $0.commit("app", "2", [.insert(2)]) }
    story.write("share", "3", .delete("Item", 2))
    story.run(.commit("app")) { $0.commit("app", "4", [.insert(2)]) }
    #expect(violation(story)?.transaction == "4")
  }

  @Test func `A crash discards staged writes`() throws {
    var story = try opened()
    story.run(.begin(PlannedWrite(actor: "app", changes: [.insert("Item", 2)])))
    story.crash("app")
    story.relaunch("app", at: "1")
    story.run(.commit("app")) { $0.commit("app", "2", [.insert(2)]) }
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `After a failed commit the staged write may or may not exist`() throws {
    var story = try opened()
    story.run(.begin(PlannedWrite(actor: "app", changes: [.insert("Item", 2)])))
    story.run(.commit("app"), .failed(SystemFailure(.busy, "locked")))
    var gone = story
    gone.run(.commit("app")) { $0.tell("app", .wroteNothing) }
    #expect(violation(gone) == nil)
    story.run(.commit("app")) { $0.commit("app", "2", [.insert(2)]) }
    #expect(violation(story) == nil)
  }

  @Test func `A failed write has no effect`() throws {
    var story = try opened()
    let write = Action.write(PlannedWrite(actor: "app", changes: [.delete("Item", 1)]))
    story.run(write, .failed(SystemFailure(.busy, "locked")))
    var liar = story
    story.close()
    #expect(story.verdict(Convergence.self) == .valid)
    liar.close(data: [:])
    #expect(violation(liar) != nil)
  }

  @Test func `A write cannot both fail and be committed`() throws {
    var story = try opened()
    let write = Action.write(PlannedWrite(actor: "app", changes: [.delete("Item", 1)]))
    story.run(write, .failed(SystemFailure(.io, "disk"))) { $0.commit("app", "2", [.delete(1)]) }
    let sentence = "got an error for its write, but it was committed"
    #expect(violation(story)?.because.contains(sentence) == true)
  }

  @Test func `After an unknown outcome both states are possible until a read resolves it`() throws {
    var story = try opened()
    let write = Action.write(PlannedWrite(actor: "app", changes: [.delete("Item", 1)]))
    let there = story.objects
    story.run(write, .unknown(SystemFailure(.io, "disk")))
    for data in [there, [:]] {
      var ending = story
      ending.close(data: data)
      #expect(ending.verdict(Convergence.self) == .valid)
    }
    story.run(.data) { $0.tell(nil, .data([:])) }
    var forgetful = story
    forgetful.close(data: there)
    #expect(violation(forgetful) != nil)
    story.write("share", "2", .insert("Item", 1))
    #expect(violation(story) == nil)
  }

  @Test func `A later write resolves an earlier unknown outcome`() throws {
    var story = try opened()
    let write = Action.write(PlannedWrite(actor: "app", changes: [.delete("Item", 1)]))
    story.run(write, .unknown(SystemFailure(.io, "disk")))
    story.write("share", "2", .insert("Item", 1))
    story.write("share", "3", .update("Item", 1, ["count": 4]))
    var right = story
    right.close(data: [ObjectName("Item", 1): ["count": 4]])
    #expect(right.verdict(Convergence.self) == .valid)
    story.close(data: [ObjectName("Item", 1): ["title": "a", "count": 4]])
    #expect(violation(story) != nil)
  }

  @Test func `Too many unknown outcomes make the verdict unknown`() throws {
    var story = try opened()
    for key in 10..<20 {
      story.run(
        .write(PlannedWrite(actor: "app", changes: [.insert("Item", Int64(key))])),
        .unknown(SystemFailure(.io, "disk"))
      )
    }
    story.close()
    #expect(story.verdict(Convergence.self).isUnknown)
  }

  @Test func `A member's view need not show changes by authors that it ignores`() throws {
    var story = try Story("app", "share", "third")
    story.header.actors[0].ignores = ["cloud"]
    story.write("share", "1", .insert("Item", 1), author: "cloud")
    story.write("share", "2", .insert("Item", 2))
    let without = [ObjectName("Item", 2): Values()]
    var other = story
    story.close(views: ["app": without])
    #expect(story.verdict(Convergence.self) == .valid)
    other.close(views: ["third": without])
    #expect(violation(other) != nil)
  }

  @Test func `Changes by ignored authors before the registration must be in the view`()
    throws
  {
    var story = try Story("app", "share", launched: false)
    story.header.actors[0].ignores = ["cloud"]
    story.register("share")
    story.write("share", "1", .insert("Item", 1), author: "cloud")
    story.register("app")
    story.write("share", "2", .insert("Item", 2))
    story.close(views: ["app": [ObjectName("Item", 2): [:]]])
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `An extra object is detected despite an omitted one`() throws {
    var story = try Story("app", "share")
    story.header.actors[0].ignores = ["cloud"]
    story.write("share", "1", .insert("Item", 1), author: "cloud")
    story.close(views: ["app": [ObjectName("Item", 9): [:]]])
    #expect(violation(story)?.because == "app's view still has Item/9, which the store does not")
  }

  @Test func `A member that reported its cut-off may show old data`() throws {
    var story = try Story("app", "share", "third")
    story.header.retention = PlannedRetention(transactions: 1)
    story.write("share", "1")
    story.tell("app", .lost)
    story.tell("app", .expired)
    story.close(views: ["app": [:]])
    #expect(story.verdict(Convergence.self) == .valid)
  }

  @Test func `A null attribute and an absent attribute are equal`() throws {
    var story = try opened()
    let data = [
      ObjectName("Item", 1): ["title": "a", "count": 1, "more": Value.null] as Values
    ]
    story.close(data: data)
    #expect(story.verdict(Convergence.self) == .valid)
  }

  @Test func `Text with the same letters in different bytes is a different value`() throws {
    var story = try opened()
    story.write("share", "2", .update("Item", 1, ["title": "\u{e9}"]))
    story.pass("app", "2")
    story.close(
      views: ["app": [ObjectName("Item", 1): ["title": "e\u{301}", "count": 1]]])
    #expect(violation(story) != nil)
  }

  @Test func `A power-off reverts the data to the last durable transaction`() throws {
    var story = try opened()
    let before = story.objects
    story.write("share", "2", .delete("Item", 1))
    story.tell(nil, .recovered(through: "1"))
    story.relaunch("app", at: "1")
    var wrong = story
    story.close(data: before)
    #expect(story.verdict(Convergence.self) == .valid)
    wrong.close(data: [:])
    #expect(violation(wrong) != nil)
  }

  @Test(arguments: [SystemFailure.Code.failed, .busy, .full, .io])
  func `A write that fails needs a reason`(_ code: SystemFailure.Code) throws {
    var story = try Story("app", "share")
    let write = PlannedWrite(actor: "app", changes: [PlannedChange(.insert, ObjectName("Item", 1))])
    story.run(.write(write), .failed(SystemFailure(code, "no")))
    let because = story.verdict(Convergence.self).violation?.because
    #expect(
      because
        == (code == .failed ? "app's write failed, and the plan does not explain why: no" : nil)
    )
  }

  // MARK: What a merge hook finishes

  /// A story in which share wrote Item/1 and Item/2, and a hook of app finished some of it.
  private func finished(_ names: TransactionName...) throws -> Story {
    var story = try Story("app", "share", "widget")
    story.write("share", "1", .insert("Item", 1, ["title": "a"]))
    story.write("share", "2", .insert("Item", 2, ["title": "b"]))
    story.run(.pass("app")) { story in
      story.tell("app", .finished(names))
      story.tell("app", .merged(["1", "2"].filter { !names.contains($0) }))
      story.tell("app", .recorded(cursor: "2"))
    }
    story.pass("widget", "1", "2")
    return story
  }

  /// The story's data without an object.
  private func objects(of story: Story, without key: Int64) -> Objects {
    story.objects.filter { $0.key != ObjectName("Item", key) }
  }

  @Test func `A transaction that a merge hook finished may be missing from its actor's view`()
    throws
  {
    var story = try finished("1")
    story.close(views: ["app": objects(of: story, without: 1)])
    #expect(story.verdict(Convergence.self) == .valid)
    #expect(story.verdict(NoLostTransaction.self) == .valid)
    #expect(story.verdict(CursorProgress.self) == .valid)
  }

  @Test func `A transaction that no merge hook finished may not be missing from the view`() throws {
    var story = try finished("1")
    story.close(views: ["app": objects(of: story, without: 2)])
    #expect(violation(story)?.because.contains("app's view lacks Item/2") == true)
  }

  @Test func `A transaction finished by one actor's hook may not be missing from another's view`()
    throws
  {
    var story = try finished("1")
    story.close(views: ["widget": objects(of: story, without: 1)])
    #expect(violation(story)?.because.contains("widget's view lacks Item/1") == true)
  }

  @Test func `A transaction finished by a hook may not be missing after the contexts are reloaded`()
    throws
  {
    var story = try finished("1")
    story.stop("app")
    story.relaunch("app", at: "2")
    story.close(views: ["app": objects(of: story, without: 1)])
    #expect(violation(story)?.because.contains("app's view lacks Item/1") == true)
  }

  @Test func `A transaction finished by a hook may not be missing after a later merge`() throws {
    var story = try finished("1")
    story.tell("app", .merged(["1"]))
    story.close(views: ["app": objects(of: story, without: 1)])
    #expect(violation(story)?.because.contains("app's view lacks Item/1") == true)
  }
}
