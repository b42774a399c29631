import Checkers
import HistoryTypes
import Testing
import Traces

/// app and share both know Item/1; share changes its title, and app has not merged that.
@Suite struct `Conflict policies in the checkers` {
  private static let item = ObjectName("Item", 1)

  private func opened() throws -> Story {
    var story = try Story("app", "share")
    story.write("share", "1", .insert("Item", 1, ["title": "a", "count": 1]))
    story.pass("app", "1")
    story.write("share", "2", .update("Item", 1, ["title": "b"]))
    return story
  }

  /// A save of one change by app under a policy, with the given response and resulting data.
  private func verdict(
    _ policy: PlannedPolicy,
    _ change: PlannedChange,
    merging: Bool = false,
    reported: CommittedChange?,
    left: Values?,
    refused: Bool = false
  ) throws -> Verdict {
    var story = try opened()
    if merging { story.pass("app", "2") }
    let write = PlannedWrite(actor: "app", changes: [change], policy: policy)
    let failure = SystemFailure(.conflict, "")
    story.run(.write(write), refused ? .failed(failure) : .ok) { story in
      if let reported { story.commit("app", "3", [reported]) }
    }
    let objects: Objects = left.map { [Self.item: $0] } ?? [:]
    story.pass("app", "2")
    if reported != nil { story.pass("share", "3") }
    story.close(data: objects)
    return story.verdict(Convergence.self)
  }

  private let both = PlannedChange.update("Item", 1, ["title": "c", "count": 2])

  @Test(
    arguments: [
      (.objectWins, ["title": "c", "count": 2]), (.storeWins, ["title": "b", "count": 2]),
      (.overwrite, ["title": "c", "count": 2]),
    ] as [(PlannedPolicy, Values)]
  )
  func `The result of each policy is known attribute by attribute`(
    _ policy: PlannedPolicy,
    _ expected: Values
  ) throws {
    #expect(try verdict(policy, both, reported: .update(1), left: expected) == .valid)
    let wrong: Values = ["title": expected["title"] == "b" ? "c" : "b", "count": 2]
    #expect(try verdict(policy, both, reported: .update(1), left: wrong).violation != nil)
    #expect(try verdict(policy, both, reported: nil, left: expected).violation != nil)
  }

  @Test func `Overwriting restores attributes that the write did not set`() throws {
    let count = PlannedChange.update("Item", 1, ["count": 2])
    let whole: Values = ["title": "a", "count": 2]
    #expect(try verdict(.overwrite, count, reported: .update(1), left: whole) == .valid)
    let partly: Values = ["title": "b", "count": 2]
    #expect(try verdict(.overwrite, count, reported: .update(1), left: partly).violation != nil)
    #expect(try verdict(.storeWins, count, reported: .update(1), left: partly) == .valid)
  }

  @Test func `Rollback, and a store that wins every attribute, change no data`() throws {
    let stored: Values = ["title": "b", "count": 1]
    let title = PlannedChange.update("Item", 1, ["title": "c"])
    #expect(try verdict(.rollback, both, reported: nil, left: stored) == .valid)
    #expect(try verdict(.rollback, both, reported: .update(1), left: stored).violation != nil)
    #expect(try verdict(.storeWins, title, reported: nil, left: stored) == .valid)
  }

  @Test func `A delete follows the conflict policy`() throws {
    let delete = PlannedChange.delete("Item", 1)
    let stored: Values = ["title": "b", "count": 1]
    for policy in [PlannedPolicy.storeWins, .rollback] {
      #expect(try verdict(policy, delete, reported: nil, left: stored) == .valid)
      #expect(try verdict(policy, delete, reported: .delete(1), left: nil).violation != nil)
    }
    for policy in [PlannedPolicy.objectWins, .overwrite] {
      #expect(try verdict(policy, delete, reported: .delete(1), left: nil) == .valid)
      #expect(try verdict(policy, delete, reported: nil, left: stored).violation != nil)
    }
  }

  @Test func `The policy error refuses conflicts only`() throws {
    let stored: Values = ["title": "b", "count": 1]
    let written: Values = ["title": "c", "count": 2]
    #expect(try verdict(.error, both, reported: nil, left: stored, refused: true) == .valid)
    let committed = try verdict(.error, both, reported: .update(1), left: written)
    #expect(committed.violation?.because.contains("which it does not make") == true)
    let merged = try verdict(.error, both, merging: true, reported: .update(1), left: written)
    #expect(merged == .valid)
    let unfounded = try verdict(
      .error,
      both,
      merging: true,
      reported: nil,
      left: stored,
      refused: true
    )
    #expect(unfounded.violation?.because.contains("was refused as a conflict") == true)
  }

  @Test func `After a failed command that may have read rows, the system's report counts`() throws {
    var story = try opened()
    story.run(.merge("app"), .failed(SystemFailure(.io, "")))
    let write = PlannedWrite(actor: "app", changes: [both], policy: .storeWins)
    story.run(.write(write)) { story in
      story.commit(
        "app",
        "3",
        [CommittedChange(.update, Self.item, values: ["title": "c", "count": 2])]
      )
    }
    story.pass("app", "2")
    story.pass("share", "3")
    story.close(data: [Self.item: ["title": "c", "count": 2]])
    #expect(story.verdict(Convergence.self) == .valid)
  }

  @Test func `A view that was just launched knows every row`() throws {
    var story = try opened()
    story.run(.crash("app")) { $0.crash("app") }
    story.run(.launch("app")) { $0.relaunch("app", at: "1") }
    let write = PlannedWrite(actor: "app", changes: [both], policy: .rollback)
    story.run(.write(write)) { $0.commit("app", "3", [.update(1)]) }
    story.pass("app", "2")
    story.pass("share", "3")
    story.close(data: [Self.item: ["title": "c", "count": 2]])
    #expect(story.verdict(Convergence.self) == .valid)
  }

  @Test func `An omitted insert rereads no row`() throws {
    var story = try Story("app", "share")
    story.write("share", "1", .insert("Item", 1, ["count": 1]))
    story.merge("app", "1")
    story.write("share", "2", .update("Item", 1, ["count": 2]))
    story.run(.write(PlannedWrite(actor: "app", changes: [.insert("Item", 1)]))) {
      $0.tell("app", .wroteNothing)
    }
    let update = PlannedChange.update("Item", 1, ["title": "x"])
    story.run(
      .write(PlannedWrite(actor: "app", changes: [update], policy: .error)),
      .failed(SystemFailure(.conflict, "changed"))
    )
    story.close()
    #expect(story.verdict(Convergence.self) == .valid)
  }
}
