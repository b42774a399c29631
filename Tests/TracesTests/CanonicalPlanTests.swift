import HistoryTypes
import Testing

@testable import Traces

@Suite struct `The canonical text of a plan` {
  private static func plan(
    _ first: String,
    _ second: String,
    _ key: Int64 = 1,
    _ operation: ChangeType = .insert,
    context: String = "view",
    advance: Double = 60,
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
    let values: Values = operation == .delete ? [:] : ["title": .string("value \(key)")]
    let change = PlannedChange(operation, ObjectName("Item", key), values)
    var write = PlannedWrite(actor: ActorID(second), changes: [change])
    write.context = context
    return Plan(
      header: header,
      commands: [
        Command(.write(write)), Command(.clock(advance: advance)), Command(.pass(ActorID(first))),
      ]
    )
  }

  private static func text(_ plan: Plan, _ showsOperations: Bool = true) -> String {
    CanonicalPlan(plan, showsOperations: showsOperations).description
  }

  @Test func `Plans that differ in names, keys, values and seed have equal texts`() {
    let text = Self.text(Self.plan("app", "widget"))
    #expect(text == Self.text(Self.plan("share", "sync", 9)))
    #expect(text == Self.text(Self.plan("widget", "app", 3, advance: 5)))
    #expect(text == Self.text(Self.plan("app", "widget", isSwapped: true)))
    #expect(text.contains(#""actor":"actor-1""#) && !text.contains("Item"))
    #expect(
      Self.text(Self.plan("app", "widget", context: "batch"))
        == Self.text(Self.plan("app", "widget", context: "background"))
    )
  }

  @Test func `Plans that differ in commands have different texts`() {
    let plan = Self.plan("app", "widget")
    let text = Self.text(plan)
    var shorter = plan
    shorter.commands.removeLast()
    #expect(text != Self.text(shorter))
    var swapped = plan
    swapped.commands[2] = Command(.pass("widget"))
    #expect(text != Self.text(swapped))
    #expect(text != Self.text(Self.plan("app", "widget", advance: -60)))
    #expect(text != Self.text(Self.plan("app", "widget", context: "batch")))
  }

  @Test func `Operations differ only where they are shown`() {
    let (insert, delete) = (Self.plan("app", "widget"), Self.plan("app", "widget", 1, .delete))
    #expect(Self.text(insert) != Self.text(delete))
    #expect(Self.text(insert, false) == Self.text(delete, false))
  }
}
