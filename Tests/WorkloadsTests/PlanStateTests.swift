import HistoryTypes
import Testing
import Traces

@testable import Workloads

@Suite struct PlanStateTests {
  private func state(launched: Bool = true, consumers: [ActorID] = []) -> PlanState {
    var widget = PlannedActor("widget", author: "widget")
    widget.launched = launched
    var header = PlanHeader(
      model: Model(unchecked: []),
      actors: [PlannedActor("app", author: "app"), widget]
    )
    header.consumers = consumers
    return PlanState(header)
  }

  @Test func `Every other actor is behind a write until it has passed`() {
    var state = state()
    #expect(!state.isCaughtUp)
    state.note(.write, by: 0)
    state.note(.pass, by: 0)
    #expect(!state.isCaughtUp)
    state.note(.record, by: 1)
    #expect(state.isCaughtUp)
    state.note(.batch, by: 1)
    #expect(!state.isCaughtUp)
  }

  @Test func `Retired and never launched actors are not behind`() {
    var retired = state()
    retired.note(.write, by: 0)
    retired.note(.pass, by: 0)
    retired.note(.retire, by: 1)
    #expect(retired.isCaughtUp)
    var late = state(launched: false)
    late.note(.write, by: 0)
    late.note(.pass, by: 0)
    #expect(late.isCaughtUp)
    late.note(.launch, by: 1)
    late.note(.commit, by: 0)
    late.note(.pass, by: 0)
    #expect(!late.isCaughtUp)
  }

  @Test func `A consumer is behind until it consumes, a crashed actor until it passes`() {
    var state = state(consumers: ["mirror"])
    state.note(.write, by: 0)
    state.note(.crash, by: 1)
    state.note(.pass, by: 0)
    #expect(!state.isCaughtUp)
    state.note(.launch, by: 1)
    state.note(.pass, by: 1)
    #expect(!state.isCaughtUp)
    state.note(.consume, by: 0)
    #expect(state.isCaughtUp)
  }
}
