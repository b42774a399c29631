import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct MergeOrderTests {
  private func opened(_ names: TransactionName...) throws -> Story {
    var story = try Story("app", "share")
    for name in names { story.write("share", name) }
    return story
  }

  @Test func `Merges in commit order are accepted`() throws {
    var story = try opened("1", "2", "3")
    story.pass("app", "1")
    story.pass("app", "2", "3")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `A merge of an earlier transaction after a later one is rejected`() throws {
    var story = try opened("1", "2", "3")
    story.merge("app", "3")
    story.merge("app", "2")
    let found = try #require(story.verdict(MergeOrder.self).violation)
    #expect(found.because == "app merged #2 after #3, which was committed later")
    #expect(found.transaction == "2")
  }

  @Test func `A falling order within one merge is rejected`() throws {
    var story = try opened("1", "2")
    story.merge("app", "2", "1")
    #expect(story.verdict(MergeOrder.self).violation?.transaction == "1")
  }

  @Test func `The same transaction twice in one merge is rejected`() throws {
    var story = try opened("1", "2")
    story.merge("app", "1", "1")
    #expect(story.verdict(MergeOrder.self).violation?.because == "app merged #1 twice at once")
  }

  @Test func `Fewer than two merges say nothing`() throws {
    var story = try opened("1", "2")
    story.merge("app", "1")
    #expect(story.verdict(MergeOrder.self).isUnknown)
  }

  @Test func `Names say nothing about the order, nor do timestamps`() throws {
    var story = try Story("app", "share")
    story.write("share", "9", at: 5)
    story.write("share", "4", at: 5)
    story.write("share", "7", at: 1)
    story.merge("app", "9", "4", "7")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `What was merged before a crash may be merged again`() throws {
    var story = try opened("1", "2", "3")
    story.merge("app", "1", "2")
    story.crash("app")
    story.relaunch("app", at: nil)
    story.merge("app", "1", "2", "3")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `What was fetched twice may be merged twice`() throws {
    var story = try opened("1", "2")
    story.merge("app", "1", "2")
    story.merge("app", "1", "2")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `A relaunched member may meet its own old saves late`() throws {
    var story = try Story("app", "share")
    story.write("app", "1")
    story.write("share", "2")
    story.merge("app", "2")
    story.crash("app")
    story.relaunch("app", at: nil)
    story.merge("app", "1", "2")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `A new incarnation begins its order anew`() throws {
    var story = try opened("1", "2")
    story.merge("app", "2")
    story.crash("app")
    story.relaunch("app", at: nil)
    story.merge("app", "1", "2")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `What a member need not merge may come at any time`() throws {
    var story = try Story("app", "late", launched: false)
    story.register("app")
    story.write("app", "1")
    story.register("late")
    story.write("app", "2")
    story.merge("late", "2")
    story.record("late", nil)
    story.merge("late", "1", "2")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `After a relaunch what the cursor has passed comes too late`() throws {
    var story = try opened("1", "2")
    story.merge("app", "2")
    story.record("app", "2")
    story.crash("app")
    story.relaunch("app", at: "2")
    story.merge("app", "1")
    #expect(story.verdict(MergeOrder.self).violation?.transaction == "1")
  }

  @Test func `A transaction that nobody committed cannot be merged`() throws {
    var story = try opened("1")
    story.merge("app", "8")
    #expect(
      story.verdict(MergeOrder.self).violation?.because == "app merged #8, which nobody committed"
    )
  }

  @Test func `A write of unknown outcome may turn up in a merge`() throws {
    var story = try opened("1")
    story.run(
      .write(PlannedWrite(actor: "share", changes: [.insert("Item", 77)])),
      .unknown(SystemFailure(.io, "disk"))
    )
    story.merge("app", "1", "2")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `Two writes cannot have one name`() throws {
    var story = try opened("1", "2")
    story.write("app", "2")
    #expect(story.verdict(MergeOrder.self).violation?.transaction == "2")
  }
}
