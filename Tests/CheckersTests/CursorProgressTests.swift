import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct CursorProgressTests {
  private func opened(_ names: TransactionName...) throws -> Story {
    var story = try Story("app", "share")
    for name in names { story.write("share", name) }
    return story
  }

  private func violation(_ story: Story) -> Violation? {
    story.verdict(CursorProgress.self).violation
  }

  @Test func `A cursor that follows the merges is accepted`() throws {
    var story = try opened("1", "2")
    story.pass("app", "1")
    story.pass("app", "2")
    #expect(story.verdict(CursorProgress.self) == .valid)
  }

  @Test func `A record before the merge is rejected`() throws {
    var story = try opened("1", "2")
    story.merge("app", "1")
    story.record("app", "2")
    let found = try #require(violation(story))
    #expect(found.because == "share wrote #2; app recorded #2 before it had merged #2")
    #expect(found.transaction == "2")
  }

  @Test func `A record that skips a transaction is rejected`() throws {
    var story = try opened("1", "2")
    story.merge("app", "2")
    story.record("app", "2")
    #expect(violation(story)?.transaction == "1")
  }

  /// A pass that merges and records through some transactions, and reports those before its start.
  private func pass(
    _ merged: [TransactionName],
    recorded: String?,
    through: String?
  ) throws -> Story {
    var story = try opened("1", "2")
    story.run(.pass("app")) { story in
      story.tell("app", .merged(merged))
      story.tell("app", .recorded(cursor: recorded))
      story.tell("app", .passed(through: through))
    }
    return story
  }

  @Test func `A successful pass has merged and recorded all of history`() throws {
    #expect(try violation(pass(["1", "2"], recorded: "2", through: "2")) == nil)
    #expect(try violation(pass(["1"], recorded: "1", through: "1")) == nil)
    #expect(try violation(pass([], recorded: nil, through: nil)) == nil)
    #expect(
      try violation(pass(["1"], recorded: "1", through: "2"))?.because
        == "app ended a pass without merging #2, which was in history when it started"
    )
    #expect(
      try violation(pass(["1", "2"], recorded: "1", through: "2"))?.because
        == "app ended a pass without recording #2, which was in history when it started "
        + "(app had recorded #1)"
    )
  }

  @Test func `A pass that fails without a reason is rejected`() throws {
    var story = try opened("1")
    story.run(.pass("app"), .failed(SystemFailure(.failed, "no such table")))
    #expect(
      violation(story)?.because
        == "app's pass failed, and the plan does not explain why: failed: no such table"
    )
    var expired = try opened("1")
    expired.run(.pass("app"), .failed(SystemFailure(.superseded, "replaced")))
    #expect(violation(expired) == nil)
  }

  @Test func `A trace without records is undecided`() throws {
    var story = try opened("1")
    story.pass("app", "1")
    var still = try opened("1")
    still.merge("app", "1")
    #expect(story.verdict(CursorProgress.self) == .valid)
    #expect(still.verdict(CursorProgress.self).isUnknown)
    still.record("app", nil)
    #expect(still.verdict(CursorProgress.self).isUnknown)
    var idle = try Story("app", launched: false)
    idle.write("share", "1")
    idle.register("app")
    idle.record("app", "1")
    #expect(idle.verdict(CursorProgress.self).isUnknown)
  }

  @Test func `A cursor may pass transactions that the member need not merge`() throws {
    var story = try opened("1")
    story.merge("app", "1")
    story.write("app", "2")
    story.record("app", "2")
    #expect(story.verdict(CursorProgress.self) == .valid)
  }

  @Test func `A rewind is accepted only after a power-off removed transactions`() throws {
    for isPowerOff in [true, false] {
      var story = try Story("app", "share")
      story.write("share", "1")
      if isPowerOff { story.tell(nil, .recovered(through: nil)) }
      story.tell("app", .rewound)
      #expect((violation(story) == nil) == isPowerOff)
    }
  }

  @Test func `A cursor that moves back is rejected`() throws {
    var story = try opened("1", "2")
    story.pass("app", "1", "2")
    story.record("app", "1")
    #expect(violation(story)?.because == "app recorded #1 after #2: its cursor fell")
  }

  @Test func `A cursor below the registration is rejected`() throws {
    var story = try Story("app", "late", launched: false)
    story.register("app")
    story.write("app", "1")
    story.write("app", "2")
    story.register("late")
    story.record("late", "1")
    #expect(violation(story)?.because.contains("its cursor fell") == true)
  }

  @Test func `A cursor cannot pass the head`() throws {
    var story = try opened("1")
    story.merge("app", "1")
    story.record("app", "2")
    #expect(violation(story)?.because == "app recorded #2, which was never committed")
  }

  @Test func `A published reset is a cost, not a violation`() throws {
    var story = try opened("1", "2")
    story.pass("app", "1", "2")
    story.record("app", nil)
    story.merge("app", "1")
    story.record("app", "1")
    #expect(story.verdict(CursorProgress.self) == .valid)
  }

  @Test func `After a crash between merge and record, the merge must come first again`() throws {
    var story = try opened("1")
    story.merge("app", "1")
    story.crash("app")
    story.relaunch("app", at: nil)
    story.record("app", "1")
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `A launch below the recorded cursor is rejected`() throws {
    var story = try opened("1", "2")
    story.pass("app", "1", "2")
    story.stop("app")
    story.relaunch("app", at: "1")
    #expect(violation(story)?.because == "app was launched at #1 after #2: its cursor fell")
  }

  @Test func `A launch past unmerged transactions is rejected`() throws {
    var story = try opened("1", "2")
    story.pass("app", "1")
    story.crash("app")
    story.relaunch("app", at: "2")
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `A new registration starts at a new cursor`() throws {
    var story = try opened("1", "2")
    story.pass("app", "1")
    story.retire("app")
    story.register("app")
    story.write("share", "3")
    story.pass("app", "3")
    #expect(story.verdict(CursorProgress.self) == .valid)
  }

  @Test func `A power-off may revert records`() throws {
    var story = try opened("1", "2")
    story.pass("app", "1", "2")
    story.tell(nil, .recovered(through: "2"))
    story.relaunch("app", at: "1")
    #expect(story.verdict(CursorProgress.self) == .valid)
  }

  @Test func `A resync moves the cursor past lost transactions`() throws {
    var story = try opened("1", "2")
    story.tell("app", .resynced(cursor: "2"))
    story.write("share", "3")
    story.pass("app", "3")
    #expect(story.verdict(CursorProgress.self) == .valid)
  }

  @Test func `A second process must merge the transactions that the first did not record`() throws {
    for isRecorded in [true, false] {
      var story = try Story("app", "share")
      story.write("share", "1")
      story.run(.merge("app")) { $0.tell("app", .merged(["1"])) }
      if isRecorded { story.run(.record("app")) { $0.tell("app", .recorded(cursor: "1")) } }
      story.run(.launch("app")) { $0.tell("app", .launched(cursor: isRecorded ? "1" : nil)) }
      story.run(.belated("app", .record)) { $0.tell("app", .recorded(cursor: "1")) }
      #expect((story.verdict(CursorProgress.self) == .valid) == isRecorded)
    }
  }
}
