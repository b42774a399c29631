import HistoryTypes
import PropertyTesting
import Systems
import Traces
import Workloads

/// Fixed and random plans for the tests.
enum Plans {
  /// A plan with launched actors and their commands.
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

extension Generator<Plan> {
  /// Returns a generator of plans with some conditions.
  static func plans(_ conditions: Set<Condition>) -> Generator {
    var style = PlanStyle()
    style.conditions = conditions
    return plans(of: PlanGenerator(style))
  }

  /// Returns a generator of everyday plans whose clock follows a policy.
  static func everyday(_ timestamps: TimestampPolicy = .monotone) -> Generator {
    plans(of: PlanGenerator()).map { plan in
      var plan = plan
      plan.header.timestamps = timestamps
      return plan
    }
  }

  private static func plans(of generator: PlanGenerator) -> Generator {
    Generator { source in
      let seed = UInt64(source.int(in: 1...1_000_000))
      return generator.plan(from: &source, seed: seed)
    }
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

extension Event {
  /// The event with only the code of a failure: messages may name the store, whose path differs.
  var withoutMessage: Event {
    guard case .ended(let command, .failed(let failure)) = kind else { return self }
    var event = self
    event.kind = .ended(command: command, .failed(SystemFailure(failure.code, "")))
    return event
  }
}
