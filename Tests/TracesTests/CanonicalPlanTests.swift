import HistoryTypes
import Testing

@testable import Traces

@Suite struct `The canonical text of a plan` {
  private static func plan(
    _ first: String,
    _ second: String,
    _ key: Int64,
    value: String = "a",
    isSwapped: Bool = false
  ) -> Plan {
    let model = Model(unchecked: [Entity("Item", [Attribute("title", .string)])])
    var header = PlanHeader(
      model: model,
      actors: [
        PlannedActor(ActorID(first), author: first), PlannedActor(ActorID(second), author: second),
      ]
    )
    if isSwapped { header.actors.reverse() }
    header.seed = UInt64(key)
    let change = PlannedChange(.insert, ObjectName("Item", key), ["title": .string(value)])
    return Plan(
      header: header,
      commands: [
        Command(.write(PlannedWrite(actor: ActorID(second), changes: [change]))),
        Command(.pass(ActorID(first))),
      ]
    )
  }

  @Test func `Plans that differ in names, keys and seed have equal texts`() {
    let text = CanonicalPlan(Self.plan("app", "widget", 1)).description
    #expect(text == CanonicalPlan(Self.plan("share", "sync", 9)).description)
    #expect(text == CanonicalPlan(Self.plan("widget", "app", 3)).description)
    #expect(text == CanonicalPlan(Self.plan("app", "widget", 1, isSwapped: true)).description)
    #expect(text.contains(#""actor":"actor-1""#) && text.contains(#""object":"Item/1""#))
  }

  @Test func `Plans that differ in values or commands have different texts`() {
    let plan = Self.plan("app", "widget", 1)
    let text = CanonicalPlan(plan)
    #expect(text != CanonicalPlan(Self.plan("app", "widget", 1, value: "b")))
    var shorter = plan
    shorter.commands.removeLast()
    #expect(text != CanonicalPlan(shorter))
    var swapped = plan
    swapped.commands[1] = Command(.pass("widget"))
    #expect(text != CanonicalPlan(swapped))
  }

  @Test func `A value that looks like the name of an actor stays`() {
    let text = CanonicalPlan(Self.plan("app", "widget", 1, value: "widget")).description
    #expect(text.contains(#""title":"widget""#))
  }
}
