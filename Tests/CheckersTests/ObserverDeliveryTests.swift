import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct ObserverDeliveryTests {
  private func violation(_ story: Story) -> Violation? {
    story.verdict(ObserverDelivery.self).violation
  }

  /// A pass of app that notifies its observers.
  private func pass(_ story: inout Story, _ names: TransactionName..., reported: [TransactionName])
  {
    story.run(.pass("app")) { story in
      story.tell("app", .fetched(names))
      story.tell("app", .observed(reported))
      story.tell("app", .merged(names))
      story.tell("app", .recorded(cursor: names.last))
    }
  }

  private func opened() throws -> Story {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.write("share", "2")
    return story
  }

  @Test func `One notification per observer is accepted`() throws {
    var story = try opened()
    pass(&story, "1", "2", reported: ["1", "2"])
    story.close()
    #expect(story.verdict(ObserverDelivery.self) == .valid)
  }

  @Test func `A transaction without a notification is rejected`() throws {
    var story = try opened()
    pass(&story, "1", "2", reported: ["1"])
    story.close()
    #expect(
      violation(story)?.because == "share wrote #2; no observer of app was ever notified of it"
    )
  }

  @Test func `Only members whose plan has observers must notify them`()
    throws
  {
    var story = try opened()
    story.pass("app", "1", "2")
    story.close()
    #expect(story.verdict(ObserverDelivery.self).isUnknown)
    story.header.actors[0].hooks = ["observer"]
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `A truncated trace is undecided`() throws {
    var story = try opened()
    pass(&story, "1", reported: ["1"])
    #expect(story.verdict(ObserverDelivery.self).isUnknown)
  }

  @Test func `A recorded transaction is notified only once`() throws {
    var story = try opened()
    pass(&story, "1", "2", reported: ["1", "2"])
    pass(&story, "2", reported: ["2"])
    #expect(violation(story)?.because == "observers of app were notified of #2 again")
  }

  @Test func `A fetch notifies each observer at most once`() throws {
    var story = try opened()
    story.tell("app", .fetched(["1", "2"]))
    story.tell("app", .observed(["1", "2"]))
    story.tell("app", .observed(["2"]))
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `Observers are notified in commit order`() throws {
    var story = try opened()
    pass(&story, "1", "2", reported: ["2", "1"])
    #expect(violation(story)?.because.contains("#1 after one that was committed later") == true)
  }

  @Test func `Observers may be notified again after a crash before the record`() throws {
    var story = try opened()
    story.tell("app", .observed(["1", "2"]))
    story.crash("app")
    story.relaunch("app", at: nil)
    story.tell("app", .observed(["1", "2"]))
    story.merge("app", "1", "2")
    story.record("app", "2")
    story.close()
    #expect(story.verdict(ObserverDelivery.self) == .valid)
  }

  @Test func `Observers may be notified again after a failed pass`() throws {
    var story = try opened()
    story.run(.pass("app"), .failed(SystemFailure(.failed, "hook"))) { story in
      story.tell("app", .observed(["1", "2"]))
    }
    story.tell("app", .observed(["1", "2"]))
    #expect(violation(story) == nil)
  }

  @Test func `Observers may be notified again after a record of unknown outcome`() throws {
    var story = try opened()
    story.run(.pass("app"), .unknown(SystemFailure(.io, "disk"))) { story in
      story.tell("app", .observed(["1"]))
      story.tell("app", .merged(["1"]))
    }
    pass(&story, "1", "2", reported: ["1", "2"])
    #expect(violation(story) == nil)
  }

  @Test func `A reset and a power-off excuse repeats`() throws {
    var story = try opened()
    pass(&story, "1", reported: ["1"])
    var down = story
    story.record("app", nil)
    pass(&story, "1", "2", reported: ["1", "2"])
    #expect(violation(story) == nil)
    down.tell(nil, .recovered(through: "2"))
    down.relaunch("app", at: nil)
    pass(&down, "1", "2", reported: ["1", "2"])
    #expect(violation(down) == nil)
  }

  @Test func `A power-off excuses no missing notification of a new transaction`() throws {
    var story = try opened()
    pass(&story, "1", "2", reported: ["1", "2"])
    story.tell(nil, .recovered(through: "1"))
    story.relaunch("app", at: nil)
    story.write("share", "3")
    story.pass("app", "3")
    story.close()
    #expect(violation(story)?.transaction == "3")
  }

  @Test func `A reset excuses no repeats after a new registration`() throws {
    var story = try opened()
    pass(&story, "1", "2", reported: ["1", "2"])
    story.record("app", nil)
    story.retire("app")
    story.register("app")
    story.write("share", "3")
    pass(&story, "3", reported: ["3"])
    pass(&story, "3", reported: ["3"])
    #expect(violation(story)?.transaction == "3")
  }

  @Test func `A resync excuses the transactions that it skipped`() throws {
    var story = try opened()
    story.header.retention = PlannedRetention(transactions: 1)
    story.tell("app", .lost)
    story.tell("app", .resynced(cursor: "1"))
    pass(&story, "2", reported: ["2"])
    story.close()
    #expect(story.verdict(ObserverDelivery.self) == .valid)
  }
}
