import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct PurgeSafetyTests {
  private func violation(_ story: Story) -> Violation? {
    story.verdict(PurgeSafety.self).violation
  }

  @Test func `A purge of transactions that every member recorded is accepted`() throws {
    var story = try Story("app", "share", "widget")
    story.write("share", "1")
    story.pass("app", "1")
    story.pass("widget", "1")
    story.purge("widget", "1")
    #expect(story.verdict(PurgeSafety.self) == .valid)
  }

  @Test func `A purge of a transaction that a member has not merged is rejected`() throws {
    var story = try Story("app", "share", "widget")
    story.write("share", "2")
    story.pass("app", "2")
    story.write("share", "3")
    story.pass("widget", "2", "3")
    story.purge("widget", "2", "3")
    let found = try #require(violation(story))
    #expect(
      found.because
        == "share wrote #3; widget merged through #3 and purged #3 before app had merged it "
        + "(app had recorded #2)"
    )
    #expect(found.transaction == "3")
    #expect(story.events[found.at].kind == .purged(["2", "3"]))
  }

  @Test func `No member must merge the objects from before the plan`() throws {
    var story = try Story("app", "share")
    story.open("app", "1", ObjectName("Item", 1))
    var early = story
    early.purge("app", "1")
    #expect(early.verdict(PurgeSafety.self) == .valid)
    story.write("app", "2", .update("Item", 1, ["count": 2]))
    story.purge("app", "1", "2")
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `A record past a dead process's transaction covers all earlier ones`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.merge("app", "1")
    var certain = story
    let write = Action.write(PlannedWrite(actor: "share", changes: []))
    story.run(write, .unknown(SystemFailure(.crashed, "killed")))
    story.record("app", "2")
    story.purge("app", "1")
    #expect(violation(story) == nil)
    certain.record("app", "2")
    certain.purge("app", "1")
    #expect(violation(certain)?.transaction == "1")
  }

  @Test func `A trace without a purge is undecided`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.pass("app", "1")
    story.purge("app")
    #expect(story.verdict(PurgeSafety.self).isUnknown)
  }

  @Test func `A merge without a record does not permit a purge`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.merge("app", "1")
    story.purge("share", "1")
    #expect(
      violation(story)?.because
        == "share wrote #1; share purged #1 before app had recorded its merge "
        + "(app had recorded nothing)"
    )
  }

  @Test func `A crash reverts merges that were not recorded`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.merge("app", "1")
    story.crash("app")
    story.relaunch("app", at: nil)
    story.record("app", "1")
    story.purge("share", "1")
    #expect(violation(story)?.because.contains("merged it again after its crash") == true)
  }

  @Test func `A crash after the record reverts no merge`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.pass("app", "1")
    story.crash("app")
    story.purge("share", "1")
    #expect(story.verdict(PurgeSafety.self) == .valid)
  }

  @Test func `A cursor recorded below a transaction does not permit its purge`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.write("share", "2")
    story.merge("app", "1", "2")
    story.record("app", "1")
    story.purge("share", "1")
    #expect(story.verdict(PurgeSafety.self) == .valid)
    story.purge("share", "2")
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `A merge below a cursor that is already recorded counts at once`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.record("app", "1")
    story.merge("app", "1")
    story.purge("share", "1")
    #expect(story.verdict(PurgeSafety.self) == .valid)
  }

  @Test func `Transactions below a cursor count once merged and recorded`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.write("share", "2")
    story.merge("app", "2")
    story.record("app", "2")
    story.record("app", nil)
    story.merge("app", "1")
    story.record("app", "2")
    story.purge("share", "1", "2")
    #expect(story.verdict(PurgeSafety.self) == .valid)
  }

  @Test func `A late joiner need not merge earlier transactions`() throws {
    var story = try Story("app", "share", "late", launched: false)
    story.register("app")
    story.register("share")
    story.write("share", "1")
    story.register("late")
    story.pass("app", "1")
    story.purge("app", "1")
    #expect(story.verdict(PurgeSafety.self) == .valid)
    story.write("share", "2")
    story.pass("app", "2")
    story.purge("app", "2")
    #expect(violation(story)?.because.contains("before late had merged it") == true)
  }

  @Test func `A stopped member still retains history`() throws {
    var story = try Story("app", "share")
    story.stop("app")
    story.write("share", "1")
    story.purge("share", "1")
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `A retired member retains no history until it registers again`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.retire("app")
    story.purge("share", "1")
    #expect(story.verdict(PurgeSafety.self) == .valid)
    story.register("app")
    story.write("share", "2")
    story.purge("share", "2")
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `A second registration keeps the member's obligations`() throws {
    var story = try Story("app", "share")
    story.stop("app")
    story.write("share", "1")
    story.register("app")
    story.purge("share", "1")
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `Own batch and background writes must be merged, own view saves need not`() throws {
    for (context, mayPurge) in [("view", true), ("background", false), ("batch", false)] {
      var story = try Story("app")
      story.write("app", "1", context: context)
      story.purge("app", "1")
      #expect((violation(story) == nil) == mayPurge, "\(context)")
    }
  }

  @Test func `Two members of one author must merge each other's view saves`() throws {
    var story = try Story("app", "twin")
    story.write("app", "1", author: "same")
    story.purge("app", "1")
    #expect(violation(story)?.because.contains("before twin had merged it") == true)
  }

  @Test func `A transaction without author must be merged`() throws {
    var story = try Story("app", "share")
    story.run(.write(PlannedWrite(actor: "share", author: .absent, changes: []))) { story in
      story.tell(
        "share",
        .committed(
          CommittedTransaction(
            name: "1",
            author: nil,
            context: "view",
            writer: nil,
            timestamp: 0,
            changes: [.insert(1)]
          )
        )
      )
    }
    story.purge("share", "1")
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `Transactions by a non-member must be merged by the members that read them`() throws {
    var story = try Story("app")
    story.write("importer", "1", author: "importer")
    story.pass("app", "1")
    story.purge("app", "1")
    #expect(story.verdict(PurgeSafety.self) == .valid)
  }

  @Test func `A purge may delete an ignored author's transactions`() throws {
    var story = try Story("app", "share")
    story.header.actors[0].ignores = ["cloud"]
    story.write("share", "1", author: "cloud")
    story.purge("share", "1")
    #expect(story.verdict(PurgeSafety.self) == .valid)
    story.write("share", "2")
    story.purge("share", "2")
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `Equal timestamps do not change the verdict`() throws {
    var story = try Story("app", "share")
    story.write("share", "1", at: 5)
    story.write("share", "2", at: 5)
    story.pass("app", "1")
    story.purge("app", "1", "2")
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `With a retention limit, a lost member retains no history`() throws {
    var story = try Story("app", "share")
    story.header.retention = PlannedRetention(transactions: 1)
    story.write("share", "1")
    story.write("share", "2")
    story.tell("app", .lost)
    story.purge("share", "1", "2")
    story.tell("app", .expired)
    #expect(story.verdict(PurgeSafety.self) == .valid)
    story.tell("app", .resynced(cursor: "2"))
    story.write("share", "3")
    story.purge("share", "3")
    #expect(violation(story)?.transaction == "3")
  }

  @Test(arguments: [
    EventKind.lost, .expired, .ended(command: nil, .failed(SystemFailure(.expired, "gone"))),
  ])
  func `Without a retention limit, no member is cut off`(_ kind: EventKind) throws {
    var story = try Story("app", "share")
    story.tell("app", kind)
    #expect(violation(story)?.because.contains("no retention limit") == true)
  }

  @Test func `A transaction limit cuts off members that are further behind`() throws {
    for (limit, isRight) in [(1, true), (2, false)] {
      var story = try Story("app", "share")
      story.header.retention = PlannedRetention(transactions: limit)
      story.write("share", "1")
      story.write("share", "2")
      story.tell("app", .lost)
      #expect((violation(story) == nil) == isRight)
      if !isRight {
        #expect(
          violation(story)?.because == "app was cut off 2 transactions behind, where the limit is 2"
        )
      }
    }
  }

  /// The first two writes lie `gap` seconds apart, the others one.
  @Test(arguments: [
    (5.0, 4.0, nil, true), (5, 5, nil, false), (90_000, 3_600, nil, false), (5, 60, 2, true),
    (5, 60, 3, false), (-5, 4, nil, false),
  ])
  func `An age limit cuts off members that are further behind, days without writes excluded`(
    _ gap: Double,
    _ age: Double,
    _ transactions: Int?,
    _ isRight: Bool
  ) throws {
    var story = try Story("app", "share")
    story.header.retention = PlannedRetention(age: age, transactions: transactions)
    story.write("share", "1", at: 100)
    story.write("share", "2", at: 100 + gap)
    story.write("share", "3", at: 100 + gap)
    story.tell("app", .lost)
    #expect((violation(story) == nil) == isRight)
    if !isRight { #expect(violation(story)?.because.contains("seconds behind, where") == true) }
  }

  @Test func `A member lost only after the purge still retained history at the purge`() throws {
    var story = try Story("app", "share")
    story.header.retention = PlannedRetention(transactions: 1)
    story.write("share", "1")
    story.purge("share", "1")
    story.tell("app", .lost)
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `A consumer retains history until it has consumed it`() throws {
    var story = try Story("app")
    story.header.consumers = ["mirror"]
    story.tell("mirror", .registered(cursor: nil))
    story.write("app", "1")
    story.write("app", "2")
    story.tell("mirror", .consumed(["1"]))
    story.purge("app", "1")
    #expect(story.verdict(PurgeSafety.self) == .valid)
    story.purge("app", "2")
    #expect(violation(story)?.because.contains("before mirror had merged it") == true)
  }

  @Test func `A record of unknown outcome is assumed to have succeeded`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.merge("app", "1")
    story.run(.record("app"), .unknown(SystemFailure(.io, "disk")))
    story.purge("share", "1")
    #expect(story.verdict(PurgeSafety.self) == .valid)
  }

  @Test func `A transaction finished by a merge hook may be purged once that is recorded`() throws {
    for isRecorded in [true, false] {
      var story = try Story("app", "share")
      story.write("share", "1")
      story.run(.merge("app")) { $0.tell("app", .finished(["1"])) }
      if isRecorded { story.run(.record("app")) { $0.tell("app", .recorded(cursor: "1")) } }
      story.run(.purge("share")) { $0.tell("share", .purged(["1"])) }
      #expect((story.verdict(PurgeSafety.self) == .valid) == isRecorded)
    }
  }

  // MARK: Power-offs

  /// Turns the power off, which leaves the given transactions, and relaunches app.
  private func lose(_ story: inout Story, through last: TransactionName) {
    story.run(.fetch("app"), .unknown(SystemFailure(.crashed, ""))) { story in
      story.tell(nil, .recovered(through: last))
    }
    story.relaunch("app", at: last)
  }

  @Test func `With FULL, a registration after a delayed sync survives`() throws {
    var story = try Story("app")
    story.header.synchronous = .full
    story.header.actors.append(PlannedActor("late", author: "late"))
    story.run(.fetch("app")) { story in
      story.tell("app", .fault(PlannedFault(kind: .delay, file: .wal, call: .sync, k: 1)))
    }
    story.write("app", "1")
    lose(&story, through: "1")
    story.register("late")
    lose(&story, through: "1")
    story.write("app", "2")
    story.purge("app", "2")
    #expect(violation(story)?.because.contains("before late had merged it") == true)
  }

  @Test func `A member whose cut-off was certainly reverted still retains history`() throws {
    for last in ["3", "4"] as [TransactionName] {
      var story = try Story("app", "share")
      story.header.retention = PlannedRetention(transactions: 2)
      for name in ["1", "2", "3", "4"] as [TransactionName] { story.write("app", name) }
      story.tell("share", .lost)
      lose(&story, through: last)
      story.purge("app", "2")
      // If the last surviving transaction precedes the cut-off, the cut-off itself may have
      // survived.
      #expect((violation(story) == nil) == (last == "4"))
    }
  }

  @Test func `A resync after a cut-off survives a power-off if a later commit did`() throws {
    for last in ["4", "5"] as [TransactionName] {
      var story = try Story("app", "share")
      story.header.retention = PlannedRetention(transactions: 2)
      for name in ["1", "2", "3", "4"] as [TransactionName] { story.write("app", name) }
      story.tell("share", .lost)
      story.run(.resync("share")) { $0.tell("share", .resynced(cursor: "4")) }
      story.write("app", "5")
      lose(&story, through: last)
      story.write("app", "6")
      story.purge("app", "6")
      #expect((violation(story) == nil) == (last == "4"))
    }
  }
}
