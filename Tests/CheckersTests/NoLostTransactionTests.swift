import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct NoLostTransactionTests {
  private func violation(_ story: Story) -> Violation? {
    story.verdict(NoLostTransaction.self).violation
  }

  @Test func `A trace with every transaction merged is accepted`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.write("app", "2")
    story.pass("app", "1")
    story.pass("share", "2")
    story.close()
    #expect(story.verdict(NoLostTransaction.self) == .valid)
  }

  @Test func `The violation names a transaction that was never merged`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.write("share", "2")
    story.pass("app", "1")
    story.record("app", "2")
    story.close()
    let found = try #require(violation(story))
    #expect(found.because == "share wrote #2; app never merged #2 (app had recorded #2)")
    #expect(found.transaction == "2")
    #expect(found.at == story.events.count - 1)
  }

  @Test func `A trace without foreign writes is undecided`() throws {
    var story = try Story("app", "share")
    story.write("app", "1", context: "batch")
    story.pass("app", "1")
    story.pass("share", "1")
    story.stop("share")
    story.close()
    #expect(story.verdict(NoLostTransaction.self).isUnknown)
  }

  @Test func `An empty transaction need not be merged`() throws {
    var story = try Story("app", "share")
    story.write("share", "1", .delete("Item", 1), reported: [])
    story.pass("app", "1")
    story.close()
    #expect(story.verdict(NoLostTransaction.self).isUnknown)
  }

  @Test func `A truncated trace is undecided`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    #expect(story.verdict(NoLostTransaction.self).isUnknown)
    story.run(.data) { $0.tell(nil, .data($0.objects)) }
    #expect(story.verdict(NoLostTransaction.self).isUnknown)
  }

  @Test func `Merges that a crash reverted must be repeated`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.merge("app", "1")
    story.crash("app")
    story.relaunch("app", at: nil)
    var lost = story
    lost.close()
    #expect(violation(lost)?.because.contains("lost #1 in a crash") == true)
    story.merge("app", "1")
    story.close()
    #expect(story.verdict(NoLostTransaction.self) == .valid)
  }

  @Test func `Transactions committed while a member was down must be merged`() throws {
    var story = try Story("app", "share")
    story.stop("app")
    story.write("share", "1")
    story.relaunch("app", at: nil)
    story.close()
    #expect(violation(story)?.transaction == "1")
  }

  @Test func `A member that is down or retired at the end need not merge`() throws {
    var story = try Story("app", "share", "widget", "third")
    story.write("share", "1")
    story.pass("third", "1")
    story.stop("app")
    story.retire("widget")
    story.close()
    #expect(story.verdict(NoLostTransaction.self) == .valid)
  }

  @Test func `A late joiner must merge transactions committed after it joined`() throws {
    var story = try Story("app", "late", launched: false)
    story.register("app")
    story.write("app", "1")
    story.register("late")
    story.write("app", "2")
    story.pass("late", "2")
    story.close()
    #expect(story.verdict(NoLostTransaction.self) == .valid)
  }

  @Test func `Own batch writes must be merged`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.pass("app", "1")
    story.write("app", "2", context: "batch")
    story.pass("share", "2")
    story.close()
    #expect(violation(story)?.because == "app wrote #2; app never merged #2 (app had recorded #1)")
  }

  @Test func `A resync counts as a merge of everything up to its cursor`() throws {
    var story = try Story("app", "share")
    story.header.retention = PlannedRetention(transactions: 1)
    story.write("share", "1")
    story.write("share", "2")
    story.tell("app", .lost)
    story.tell("app", .resynced(cursor: "2"))
    var short = story
    story.close()
    #expect(story.verdict(NoLostTransaction.self) == .valid)
    short.write("share", "3")
    short.close()
    #expect(violation(short)?.transaction == "3")
  }

  @Test func `A member that reported its cut-off need not merge until it resyncs`() throws {
    var story = try Story("app", "share", "third")
    story.header.retention = PlannedRetention(transactions: 1)
    story.write("share", "1")
    story.pass("third", "1")
    story.tell("app", .lost)
    story.close()
    #expect(story.verdict(NoLostTransaction.self) == .valid)
  }

  @Test
  func `A member that registers again after an expiry report starts over`()
    throws
  {
    var story = try Story("app", "share", "third")
    story.header.retention = PlannedRetention(transactions: 1)
    story.write("share", "1")
    story.pass("third", "1")
    story.tell("app", .expired)
    var idle = story
    idle.close()
    #expect(idle.verdict(NoLostTransaction.self) == .valid)
    var failed = try Story("app", "share", "third")
    failed.write("share", "1")
    failed.pass("third", "1")
    failed.run(.fetch("app"), .failed(SystemFailure(.expired, "gone")))
    failed.close()
    #expect(failed.verdict(NoLostTransaction.self) == .valid)
    story.register("app")
    story.close()
    #expect(story.verdict(NoLostTransaction.self) == .valid)
  }

  @Test func `A consumer must read the transactions committed before its last read`() throws {
    var story = try Story("app", "share")
    story.header.consumers = ["mirror"]
    story.tell("mirror", .registered(cursor: nil))
    story.write("app", "1")
    story.write("app", "2")
    story.pass("share", "1", "2")
    story.tell("mirror", .consumed(["2"]))
    story.close()
    #expect(violation(story)?.because.contains("mirror never merged #1") == true)
  }

  @Test func `A consumer need not read the transactions committed after its last read`() throws {
    var story = try Story("app", "share")
    story.header.consumers = ["mirror"]
    story.tell("mirror", .registered(cursor: nil))
    story.write("app", "1")
    story.tell("mirror", .consumed(["1"]))
    story.write("app", "2")
    story.pass("share", "1", "2")
    story.close()
    #expect(story.verdict(NoLostTransaction.self) == .valid)
  }

  @Test func `Transactions lost in a power-off need not be merged`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.pass("app", "1")
    story.write("share", "2")
    story.tell(nil, .recovered(through: "1"))
    story.relaunch("app", at: "1")
    story.write("share", "3")
    story.pass("app", "3")
    story.close()
    #expect(story.verdict(NoLostTransaction.self) == .valid)
  }

  @Test func `A transaction finished by a merge hook counts as merged for its actor until a crash`()
    throws
  {
    func story(_ body: (inout Story) -> Void) throws -> Verdict {
      var story = try Story("app", "widget", "share")
      story.write("share", "1")
      story.run(.merge("app")) { $0.tell("app", .finished(["1"])) }
      body(&story)
      story.close()
      return story.verdict(NoLostTransaction.self)
    }
    #expect(try story { $0.pass("widget", "1") } == .valid)
    #expect(try story { _ in }.violation?.because.contains("widget never merged #1") == true)
    let again = try story { story in
      story.pass("widget", "1")
      story.crash("app")
      story.relaunch("app", at: nil)
    }
    #expect(again.violation?.because.contains("app lost #1 in a crash") == true)
  }
}
