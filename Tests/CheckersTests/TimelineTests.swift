import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct TimelineTests {
  private func timeline(_ story: Story) -> Timeline {
    var timeline = Timeline(story.trace.header)
    for event in story.events { timeline.advance(event) }
    return timeline
  }

  @Test func `A crash keeps recorded cursors, even past skipped transactions`() throws {
    var story = try Story("app", "share")
    for name in ["1", "2", "3"] { story.write("share", name) }
    story.merge("app", "2", "3")
    story.record("app", "2")
    story.crash("app")
    let statuses = timeline(story).log.statuses
    #expect(statuses.map { $0.merged.contains(MemberSet(member: 0)) } == [false, true, false])
    #expect(statuses.map { $0.recorded.contains(MemberSet(member: 0)) } == [false, true, false])
    #expect(statuses.map { $0.everMerged.contains(MemberSet(member: 0)) } == [false, true, true])
  }

  @Test func `A position lost in a power-off has a name in messages`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    let timeline = timeline(story)
    #expect(
      [0, 1, 99].map(timeline.label) == [
        "#1", "a transaction that was lost", "a transaction that was lost",
      ]
    )
  }

  @Test func `Members come from the trace, in the plan's order`() throws {
    var story = try Story("app", "share", launched: false)
    story.header.consumers = ["mirror"]
    story.register("share")
    let timeline = timeline(story)
    #expect(timeline.everyone.map(\.id) == ["app", "share", "mirror"])
    #expect(timeline.members == MemberSet(member: 1))
    #expect(timeline.running == MemberSet(member: 1))
    #expect(timeline.consumers == MemberSet(member: 2))
  }
}
