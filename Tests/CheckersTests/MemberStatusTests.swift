import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct MemberStatusTests {
  private static let ioError = PlannedFault(kind: .ioError, file: .wal, call: .write, k: 1)
  private static let delay = PlannedFault(kind: .delay, file: .wal, call: .sync, k: 1)

  /// The status of the first actor at the end of a story.
  private func status(_ story: Story) -> MemberStatus {
    var timeline = Timeline(story.trace.header)
    for event in story.events { timeline.advance(event) }
    return timeline.everyone[0].status
  }

  /// A member that registered after the first of two transactions.
  private func story() throws -> Story {
    var story = try Story("app", "share", launched: false)
    story.register("share")
    story.write("share", "1")
    story.register("app")
    story.write("share", "2")
    return story
  }

  // MARK: Events

  @Test func `Without faults every status is certain`() throws {
    var story = try story()
    #expect(status(story).presence == .running)
    story.stop("app")
    #expect(status(story).presence == .stopped)
    story.relaunch("app", at: "1")
    story.crash("app")
    #expect(status(story).presence == .stopped)
    #expect(status(story).isKept)
    #expect(!status(story).mustMerge)
    story.retire("app")
    #expect(status(story) == MemberStatus())
  }

  @Test func `A purge waits for a member that was notified, not for one that was cut off`() throws {
    var story = try story()
    story.tell("app", .expired)
    #expect(status(story).access == .expired)
    #expect(status(story).isKept)
    #expect(!status(story).mustMerge)
    story.tell("app", .lost)
    story.tell("app", .expired)
    #expect(status(story).access == .cutOff)
    #expect(!status(story).isKept)
    story.tell("app", .resynced(cursor: "2"))
    #expect(status(story).access == .whole)
    #expect(status(story).mustMerge)
  }

  // MARK: Faults

  @Test func `A fault leaves a cursor uncertain until a record`() throws {
    var story = try story()
    story.run(.record("app"), .failed(SystemFailure(.io, "write"))) {
      $0.tell(nil, .fault(Self.ioError))
    }
    #expect(status(story).alternatives == .ahead)
    #expect(!status(story).isKept)
    #expect(!status(story).hasCertainCursor)
    story.merge("app", "2")
    story.record("app", "2")
    #expect(status(story).alternatives.isEmpty)
  }

  @Test func `A command that succeeds despite a fault leaves no uncertainty`() throws {
    var story = try story()
    story.run(.retire("app")) { $0.tell(nil, .fault(Self.ioError)) }
    #expect(status(story).alternatives.isEmpty)
  }

  @Test func `A fault while retiring leaves both outcomes possible`() throws {
    let failure = SystemFailure(.io, "write")
    var story = try story()
    story.run(.retire("app"), .failed(failure)) { $0.tell(nil, .fault(Self.ioError)) }
    #expect(status(story).alternatives == [.absent, .ahead])
    #expect(!status(story).mustMerge)

    story = try Story("app", launched: false)
    story.run(.launch("app"), .failed(failure)) { $0.tell(nil, .fault(Self.ioError)) }
    #expect(status(story).alternatives == .registered)
    story.register("app")
    #expect(status(story).alternatives.isEmpty)
  }

  // MARK: Power-offs

  @Test func `A registration is certain if a transaction after it survived a power-off`() throws {
    for (last, isCertain) in [("1", false), ("2", true)] {
      var story = try story()
      if isCertain { story.write("share", "3") }
      story.tell(nil, .recovered(through: last))
      #expect(status(story).presence == .stopped)
      #expect(status(story).alternatives.contains(.takenBack))
      #expect(status(story).alternatives.contains(.absent) == !isCertain)
      story.relaunch("app", at: "1")
      #expect(status(story).alternatives.isEmpty)
    }
  }

  @Test func `With FULL a registration survives unless a sync was delayed`() throws {
    for isDelayed in [false, true] {
      var story = try story()
      story.header.synchronous = .full
      if isDelayed { story.tell(nil, .fault(Self.delay)) }
      story.tell(nil, .recovered(through: "1"))
      #expect(status(story).alternatives.contains(.absent) == isDelayed)
    }
  }

  @Test func `A retirement that a power-off may take back leaves a registration possible`() throws {
    for (last, isCertain) in [("2", false), ("3", true)] {
      var story = try story()
      story.retire("app")
      story.write("share", "3")
      story.tell(nil, .recovered(through: last))
      #expect(status(story).alternatives == (isCertain ? [] : .registered))
      #expect(!status(story).isMember)
    }
  }

  @Test func `A power-off may revert a cut-off`() throws {
    var story = try story()
    story.tell("app", .lost)
    story.write("share", "3")
    story.tell(nil, .recovered(through: "1"))
    #expect(status(story).access == .whole)

    story = try self.story()
    story.tell("app", .lost)
    story.write("share", "3")
    story.tell(nil, .recovered(through: "3"))
    #expect(status(story).access == .cutOff)
  }

  // MARK: Consumers

  @Test func `A token kept outside the store does not show the store's state`() throws {
    var story = try Story("app", launched: false)
    story.header.consumers = ["app"]
    story.header.tokens = .own
    story.register("app")
    story.write("app", "1", context: "batch")
    story.write("app", "2", context: "batch")
    story.tell(nil, .recovered(through: "2"))
    story.relaunch("app", at: "1")
    #expect(status(story).alternatives == .behind)
    story.run(.consume("app")) { $0.tell("app", .consumed(["1", "2"])) }
    #expect(status(story).alternatives.isEmpty)
  }

  // MARK: All sequences

  @Test func `Alternatives never contradict membership, in any order of events`() throws {
    let kinds: [EventKind] = [
      .registered(cursor: "2"), .launched(cursor: "1"), .stopped, .crashed, .retired, .lost,
      .expired, .resynced(cursor: "2"), .recorded(cursor: "2"), .consumed(["2"]),
      .recovered(through: "1"), .recovered(through: "2"), .fault(Self.ioError),
      .called(command: nil, word: "retire"), .ended(command: nil, .ok),
    ]
    var story = try story()
    story.header.tokens = .own
    var start = Timeline(story.trace.header)
    for event in story.events { start.advance(event) }
    // One timeline for each status and command represents all others that lead there.
    var reached: [MemberStatus: Set<String>] = [:]
    var pending = [start]
    while let timeline = pending.popLast() {
      let status = timeline.everyone[0].status
      guard reached[status, default: []].insert(timeline.command.word).inserted else { continue }
      for kind in kinds {
        var next = timeline
        next.advance(Event(at: 0, tick: 0, actor: "app", kind))
        pending.append(next)
      }
    }
    for status in reached.keys {
      if status.isMember {
        #expect(!status.alternatives.contains(.registered))
      } else {
        #expect(status.alternatives.isDisjoint(with: [.ahead, .behind]))
      }
    }
    #expect(reached.count > 60, "\(reached.count)")
  }
}
