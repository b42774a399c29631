import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct LoudExpiryTests {
  private func violation(_ story: Story) -> Violation? {
    story.verdict(LoudExpiry.self).violation
  }

  /// A story in which what app has not merged was purged.
  private func opened() throws -> Story {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.write("share", "2")
    story.purge("share", "1")
    return story
  }

  @Test func `A member that is notified at its next fetch is accepted`() throws {
    var story = try opened()
    story.run(.fetch("app"), .failed(SystemFailure(.expired, "gone")))
    #expect(story.verdict(LoudExpiry.self) == .valid)
    var event = try opened()
    event.run(.fetch("app")) { $0.tell("app", .expired) }
    #expect(event.verdict(LoudExpiry.self) == .valid)
  }

  @Test func `A fetch that does not report a purged transaction is rejected`() throws {
    var story = try opened()
    story.run(.fetch("app")) { $0.tell("app", .fetched(["2"])) }
    #expect(
      violation(story)?.because
        == "#1 was purged before app had merged it, and app fetched again without an error"
    )
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `A pass that does not report a purged transaction is rejected`() throws {
    var story = try opened()
    story.run(.pass("app")) { $0.tell("app", .merged(["2"])) }
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `A fetch that does not report a cut-off is rejected`() throws {
    var story = try Story("app", "share")
    story.tell("app", .lost)
    story.run(.fetch("app")) { $0.tell("app", .fetched([])) }
    #expect(
      violation(story)?.because.contains("app was cut off by a retention limit, and app") == true
    )
  }

  @Test func `A member that was cut off and registers again without a report is rejected`() throws {
    for isReported in [true, false] {
      var story = try Story("app", "share")
      story.tell("app", .lost)
      story.stop("app")
      if isReported { story.tell("app", .expired) }
      story.register("app")
      #expect((violation(story) == nil) == isReported)
    }
  }

  @Test func `A trace in which no member lost history is undecided`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.pass("app", "1")
    story.purge("share", "1")
    story.pass("app")
    #expect(story.verdict(LoudExpiry.self).isUnknown)
  }

  @Test func `Transactions fetched before the purge may still be merged`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.run(.fetch("app")) { $0.tell("app", .fetched(["1"])) }
    story.purge("share", "1")
    story.merge("app", "1")
    story.run(.fetch("app")) { $0.tell("app", .fetched([])) }
    #expect(violation(story) == nil)
  }

  @Test func `One report of lost history is enough`() throws {
    var story = try opened()
    story.run(.fetch("app"), .failed(SystemFailure(.expired, "gone")))
    story.run(.fetch("app")) { $0.tell("app", .fetched(["2"])) }
    #expect(story.verdict(LoudExpiry.self) == .valid)
  }

  @Test func `A power-off may revert the loss`() throws {
    var story = try opened()
    story.tell("app", .lost)
    story.tell(nil, .recovered(through: "2"))
    story.relaunch("app", at: nil)
    story.run(.fetch("app")) { $0.tell("app", .fetched(["1", "2"])) }
    #expect(violation(story) == nil)
  }

  @Test func `A member that resyncs or registers again need not be notified`() throws {
    for kind in [EventKind.resynced(cursor: nil), .registered(cursor: "2")] {
      var story = try opened()
      story.tell("app", kind)
      story.run(.fetch("app")) { $0.tell("app", .fetched([])) }
      #expect(violation(story) == nil)
    }
  }
}
