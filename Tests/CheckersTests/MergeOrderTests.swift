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

  @Test func `A merge with transactions out of order is rejected`() throws {
    var story = try opened("1", "2")
    story.merge("app", "2", "1")
    #expect(story.verdict(MergeOrder.self).violation?.transaction == "1")
  }

  @Test func `A duplicate transaction within one merge is rejected`() throws {
    var story = try opened("1", "2")
    story.merge("app", "1", "1")
    #expect(story.verdict(MergeOrder.self).violation?.because == "app merged #1 twice in one merge")
  }

  @Test func `Fewer than two merges are undecided`() throws {
    var story = try opened("1", "2")
    story.merge("app", "1")
    #expect(story.verdict(MergeOrder.self).isUnknown)
  }

  @Test func `The order does not depend on names or timestamps`() throws {
    var story = try Story("app", "share")
    story.write("share", "9", at: 5)
    story.write("share", "4", at: 5)
    story.write("share", "7", at: 1)
    story.merge("app", "9", "4", "7")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `Transactions merged before a crash may be merged again`() throws {
    var story = try opened("1", "2", "3")
    story.merge("app", "1", "2")
    story.crash("app")
    story.relaunch("app", at: nil)
    story.merge("app", "1", "2", "3")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `Transactions fetched twice may be merged twice`() throws {
    var story = try opened("1", "2")
    story.merge("app", "1", "2")
    story.merge("app", "1", "2")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `A relaunched member may merge its own earlier saves late`() throws {
    var story = try Story("app", "share")
    story.write("app", "1")
    story.write("share", "2")
    story.merge("app", "2")
    story.crash("app")
    story.relaunch("app", at: nil)
    story.merge("app", "1", "2")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `The merge order starts from scratch in a new incarnation`() throws {
    var story = try opened("1", "2")
    story.merge("app", "2")
    story.crash("app")
    story.relaunch("app", at: nil)
    story.merge("app", "1", "2")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `Transactions that a member need not merge may come at any time`() throws {
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

  @Test func `After a relaunch, transactions below the cursor are rejected`() throws {
    var story = try opened("1", "2")
    story.merge("app", "2")
    story.record("app", "2")
    story.crash("app")
    story.relaunch("app", at: "2")
    story.merge("app", "1")
    #expect(story.verdict(MergeOrder.self).violation?.transaction == "1")
  }

  @Test func `A merge of an uncommitted transaction is rejected`() throws {
    var story = try opened("1")
    story.merge("app", "8")
    #expect(
      story.verdict(MergeOrder.self).violation?.because
        == "app merged #8, which was never committed"
    )
  }

  @Test func `A write of unknown outcome may appear in a merge`() throws {
    var story = try opened("1")
    story.run(
      .write(PlannedWrite(actor: "share", changes: [.insert("Item", 77)])),
      .unknown(SystemFailure(.io, "disk"))
    )
    story.merge("app", "1", "2")
    #expect(story.verdict(MergeOrder.self) == .valid)
  }

  @Test func `Two writes with the same name are rejected`() throws {
    var story = try opened("1", "2")
    story.write("app", "2")
    #expect(story.verdict(MergeOrder.self).violation?.transaction == "2")
  }
}
