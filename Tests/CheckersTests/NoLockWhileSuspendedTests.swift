import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct NoLockWhileSuspendedTests {
  private func suspended(holding held: [String]...) throws -> Story {
    var story = try Story("app", "share")
    story.write("app", "1")
    story.run(.suspend("share")) {
      $0.tell("share", .suspended)
      for locks in held { $0.tell("share", .locks(held: locks)) }
    }
    return story
  }

  @Test func `A suspended process without a lock is accepted`() throws {
    var story = try suspended(holding: [])
    story.write("app", "2")
    story.run(.resume("share")) { $0.tell("share", .resumed) }
    #expect(story.verdict(NoLockWhileSuspended.self) == .valid)
  }

  @Test func `A lock that a suspension keeps is rejected`() throws {
    let story = try suspended(holding: ["SHARED on plan.store", "RESERVED on plan.store"])
    #expect(
      story.verdict(NoLockWhileSuspended.self).violation?.because
        == "share is suspended and holds SHARED on plan.store, RESERVED on plan.store"
    )
  }

  @Test func `A lock that a suspended process takes later is rejected`() throws {
    var story = try suspended(holding: [])
    story.run(.pass("app")) { $0.tell("share", .locks(held: ["SHARED on plan.store"])) }
    let found = try #require(story.verdict(NoLockWhileSuspended.self).violation)
    #expect(found.because == "share is suspended and holds SHARED on plan.store")
  }

  @Test func `A suspension without a check of its locks is undecided`() throws {
    let story = try suspended()
    #expect(story.verdict(NoLockWhileSuspended.self).isUnknown)
  }
}
