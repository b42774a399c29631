import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct ReclaimTests {
  private func opened() throws -> Story {
    var story = try Story("app", "share")
    story.header.protectedAuthors = ["cloud"]
    for name in ["1", "2", "3"] { story.write("share", name) }
    story.pass("app", "1", "2", "3")
    story.record("share", "3")
    return story
  }

  @Test func `A purge that keeps no transaction or only the newest is accepted`() throws {
    var story = try opened()
    var newest = story
    story.purge("app", "1", "2", "3")
    #expect(story.verdict(Reclaim.self) == .valid)
    newest.purge("app", "1", "2")
    #expect(newest.verdict(Reclaim.self) == .valid)
  }

  @Test func `A purge that keeps an old transaction is rejected`() throws {
    var story = try opened()
    story.purge("app", "2", "3")
    let found = try #require(story.verdict(Reclaim.self).violation)
    #expect(
      found.because
        == "app purged when every member had recorded all history, and #1 is still there"
    )
  }

  @Test func `Transactions purged earlier need not be purged again`() throws {
    var story = try opened()
    story.run(.pass("app")) { $0.tell("app", .purged(["1"])) }
    story.purge("app", "2")
    #expect(story.verdict(Reclaim.self) == .valid)
  }

  @Test func `Protected transactions may be kept`() throws {
    var story = try Story("app")
    story.header.protectedAuthors = ["cloud"]
    story.write("app", "1", author: "cloud")
    story.write("app", "2")
    story.record("app", "2")
    story.purge("app")
    #expect(story.verdict(Reclaim.self) == .valid)
  }

  @Test func `A purge before every member has recorded the head is undecided`() throws {
    var story = try opened()
    story.write("share", "4")
    story.purge("app")
    #expect(story.verdict(Reclaim.self).isUnknown)
  }

  @Test func `A failed purge is undecided`() throws {
    var story = try opened()
    story.run(.purge("app"), .failed(SystemFailure(.superseded, "replaced")))
    story.run(.data) { $0.tell(nil, .data($0.objects)) }
    #expect(story.verdict(Reclaim.self).isUnknown)
  }

  @Test func `A purge that fails without a reason is rejected`() throws {
    var story = try opened()
    story.run(.purge("app"), .failed(SystemFailure(.failed, "no such table")))
    #expect(
      story.verdict(Reclaim.self).violation?.because
        == "app's purge failed, and the plan does not explain why: failed: no such table"
    )
    var hooked = try opened()
    hooked.header.actors[0].hooks = [PlannedHook.retry.rawValue]
    hooked.run(.purge("app"), .failed(SystemFailure(.failed, "the hook threw")))
    #expect(hooked.verdict(Reclaim.self).isUnknown)
  }

  @Test func `A member that was cut off retains no history`() throws {
    var story = try opened()
    story.header.retention = PlannedRetention(transactions: 1)
    story.register("late")
    story.write("app", "4")
    story.pass("share", "4")
    story.record("app", "4")
    story.tell("late", .lost)
    story.purge("app")
    #expect(story.verdict(Reclaim.self).violation?.because.contains("#1") == true)
  }

  /// A mirror consumes everything, the power goes off, and it returns with its own token.
  private func mirrored(_ tokens: PlannedTokens) throws -> Story {
    var story = try Story("app")
    story.header.consumers = ["mirror"]
    story.header.tokens = tokens
    story.register("mirror")
    for name in ["1", "2"] { story.write("app", TransactionName(name)) }
    story.run(.consume("mirror")) { $0.tell("mirror", .consumed(["1", "2"])) }
    story.record("app", "2")
    story.tell(nil, .recovered(through: "2"))
    story.relaunch("mirror", at: "2")
    story.relaunch("app", at: "2")
    return story
  }

  @Test func `A consumer with its own token has an unknown record until it consumes again`()
    throws
  {
    var story = try mirrored(.own)
    var later = story
    story.purge("app")
    #expect(story.verdict(Reclaim.self).isUnknown)
    later.write("app", "3")
    later.run(.consume("mirror")) { $0.tell("mirror", .consumed(["3"])) }
    later.record("app", "3")
    later.purge("app")
    #expect(later.verdict(Reclaim.self).violation?.transaction == "1")
    var stored = try mirrored(.store)
    stored.purge("app")
    #expect(stored.verdict(Reclaim.self).violation?.transaction == "1")
  }
}
