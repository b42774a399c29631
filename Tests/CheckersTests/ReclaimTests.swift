import Checkers
import PersistentHistory
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

  @Test func `A purge that leaves nothing, or the newest only, is accepted`() throws {
    var story = try opened()
    var newest = story
    story.purge("app", "1", "2", "3")
    #expect(story.verdict(Reclaim.self) == .valid)
    newest.purge("app", "1", "2")
    #expect(newest.verdict(Reclaim.self) == .valid)
  }

  @Test func `A purge that leaves an old transaction is rejected`() throws {
    var story = try opened()
    story.purge("app", "2", "3")
    let found = try #require(story.verdict(Reclaim.self).violation)
    #expect(
      found.because
        == "app purged when every member had recorded the head, and #1 is still there"
    )
  }

  @Test func `What was purged before need not be purged again`() throws {
    var story = try opened()
    story.run(.pass("app")) { $0.tell("app", .purged(["1"])) }
    story.purge("app", "2")
    #expect(story.verdict(Reclaim.self) == .valid)
  }

  @Test func `Protected transactions may stay`() throws {
    var story = try Story("app")
    story.header.protectedAuthors = ["cloud"]
    story.write("app", "1", author: "cloud")
    story.write("app", "2")
    story.record("app", "2")
    story.purge("app")
    #expect(story.verdict(Reclaim.self) == .valid)
  }

  @Test func `A purge before every member has recorded the head says nothing`() throws {
    var story = try opened()
    story.write("share", "4")
    story.purge("app")
    #expect(story.verdict(Reclaim.self).isUnknown)
  }

  @Test func `A purge that failed says nothing`() throws {
    var story = try opened()
    story.run(.purge("app"), .failed(SystemFailure(.busy, "locked")))
    story.run(.data) { $0.tell(nil, .data($0.objects)) }
    #expect(story.verdict(Reclaim.self).isUnknown)
  }

  @Test func `A member that was cut off holds nothing back`() throws {
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
}
