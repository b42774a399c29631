import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct WakeUpTests {
  /// A story with signals, whose ticks the test counts.
  private static func story(_ actors: ActorID...) throws -> Story {
    var story = try Story("app", "share")
    story.header.drive = .signals
    return story
  }

  @Test func `A pass before the deadline is accepted, even a failed one`() throws {
    for outcome in [Outcome.ok, .failed(SystemFailure(.failed, "a hook threw"))] {
      var story = try Self.story()
      story.write("share", "1")
      story.wait(SignalTicks.bound - 2)
      story.run(.deliver("app", .delivered), outcome) { story in
        story.tell("app", .woke)
        if case .ok = outcome { story.tell("app", .merged(["1"])) }
      }
      story.wait(SignalTicks.bound + 2)
      #expect(story.verdict(WakeUp.self) == .valid)
    }
  }

  @Test func `A missing pass is rejected, and the message names the commit`() throws {
    var story = try Self.story()
    story.write("share", "1")
    story.wait(SignalTicks.bound + 1)
    let violation = try #require(story.verdict(WakeUp.self).violation)
    #expect(violation.transaction == "1")
    #expect(violation.because.hasPrefix("share wrote #1; app ran and made no pass in the 16 ticks"))
  }

  @Test func `A wake-up without a pass is rejected`() throws {
    var story = try Self.story()
    story.write("share", "1")
    story.run(.deliver("app", .delivered)) { $0.tell("app", .woke) }
    story.wait(SignalTicks.bound)
    #expect(story.verdict(WakeUp.self).violation != nil)
  }

  @Test func `A member that resynced meanwhile needs no pass`() throws {
    var story = try Self.story()
    story.write("share", "1")
    story.run(.resync("app")) { $0.tell("app", .resynced(cursor: "1")) }
    story.wait(SignalTicks.bound + 1)
    #expect(story.verdict(WakeUp.self).violation == nil)
  }

  @Test(arguments: [SignalFate.late, .lost])
  func `A late or lost signal extends the deadline but does not remove it`(
    _ fate: SignalFate
  ) throws {
    var story = try Self.story()
    story.write("share", "1")
    story.run(.deliver("app", fate))
    story.wait(SignalTicks.boundAtWorst - 2)
    #expect(story.verdict(WakeUp.self).isUnknown)
    var patient = story
    patient.run(.poll("app", .delivered)) { $0.tell("app", .fetched(["1"])) }
    #expect(patient.verdict(WakeUp.self) == .valid)
    story.wait(2)
    #expect(story.verdict(WakeUp.self).violation != nil)
  }

  @Test(arguments: [Outcome.ok, .unknown(SystemFailure(.io, "the disk failed"))])
  func `A write with plain SQL that is not captured at once extends the deadline`(
    _ outcome: Outcome
  ) throws {
    var story = try Self.story()
    story.header.foreignWrites = .captured
    let write = PlannedWrite(
      actor: "share",
      context: PlannedWrite.plainSQL,
      changes: [.insert("Item", 1)]
    )
    story.run(.write(write), outcome) {
      $0.tell("share", .committed(Story.transaction("1", by: "share", [.insert(1)])))
    }
    story.wait(SignalTicks.bound + 1)
    #expect((story.verdict(WakeUp.self).violation == nil) == (outcome != .ok))
    story.wait(SignalTicks.boundAtWorst)
    #expect(story.verdict(WakeUp.self).violation != nil)
  }

  @Test func `An actor's own view save and a finished actor require no pass`() throws {
    var story = try Self.story()
    story.write("app", "1")
    story.run(.stop("share")) { $0.stop("share") }
    story.wait(SignalTicks.bound + 2)
    #expect(story.verdict(WakeUp.self).isUnknown)
  }

  @Test func `An actor that starts with unmerged transactions must pass`() throws {
    var story = try Self.story()
    story.run(.stop("app")) { $0.stop("app") }
    story.write("share", "1")
    var other = story
    story.run(.launch("app")) { $0.relaunch("app", at: nil) }
    story.wait(SignalTicks.bound + 1)
    #expect(story.verdict(WakeUp.self).violation?.transaction == "1")
    other.run(.launch("app")) { story in
      story.relaunch("app", at: nil)
      story.tell("app", .merged(["1"]))
    }
    other.wait(SignalTicks.bound + 1)
    #expect(other.verdict(WakeUp.self) == .valid)
  }

  @Test func `Plans whose commands make the passes are undecided`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.wait(SignalTicks.bound + 1)
    #expect(story.verdict(WakeUp.self).isUnknown)
  }
}

extension Story {
  /// Advances the time by ticks.
  fileprivate mutating func wait(_ ticks: Int) {
    for _ in 0..<ticks { run(.clock(advance: 1)) }
  }
}
