import PersistentHistory
import PropertyTesting
import Traces
import Workloads

/// Plans of the tests: by hand, and random ones.
enum Plans {
  /// A plan with actors, all launched, and what they do.
  static func make(
    _ actors: [ActorID] = ["app", "widget"],
    _ actions: Action...
  ) throws -> Plan {
    let attributes = [Attribute("title", .string), Attribute("count", .int)]
    let model = try Model([Entity("Item", attributes)])
    let header = PlanHeader(model: model, actors: actors.map { PlannedActor($0, author: $0.name) })
    return Plan(header: header, commands: actions.map { Command($0) })
  }

  /// A random plan.
  static func random(_ seed: UInt64, _ timestamps: TimestampPolicy = .monotone) -> Plan {
    var source = ChoiceSource(seed: seed)
    var plan = PlanGenerator().plan(from: &source, seed: seed)
    plan.header.timestamps = timestamps
    return plan
  }
}

/// A write of one item through an actor's view.
func write(_ actor: ActorID, _ key: Int64, ticks: Bool = true) -> Action {
  .write(planned(actor, key, ticks: ticks))
}

func planned(_ actor: ActorID, _ key: Int64, ticks: Bool = true) -> PlannedWrite {
  let change = PlannedChange(.insert, ObjectName("Item", key), ["count": .int(key)])
  return PlannedWrite(actor: actor, changes: [change], ticks: ticks)
}
