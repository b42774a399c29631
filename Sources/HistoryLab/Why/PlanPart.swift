import Basics
import HistoryTypes
import Traces

/// A part of a plan, such as one command, and the alternatives that can replace the part.
///
/// `why` runs the plan with each alternative, to find out whether a violation depends on the part.
struct PlanPart: Hashable, Sendable {
  /// The kind of a part; its raw values are the words in JSON.
  enum Kind: String, Sendable {
    /// One command; `why` runs the plan without this command.
    case command
    /// The order of a command and the next one; `why` runs the plan with the two swapped.
    case order
    /// The actor or consumer of one command; `why` runs plans in which another one performs it.
    case actor
    /// An actor or consumer; `why` runs the plan without it and its commands.
    case member
    /// An actor or consumer; `why` runs plans in which another one performs all its commands.
    case role
    /// An object that the plan's saves change; `why` runs plans with another object in its place.
    case object
    /// One of several changes in a save; `why` runs the plan without this change.
    case change
    /// A value that a save or batch request sets; `why` runs plans with other values.
    case value
    case author
    case context
    /// The advance of the clock.
    case clock
    /// Whether a signal or poll is delivered, lost or repeated.
    case fate
    /// The faults injected into a command; `why` runs the plan without these faults.
    case faults
  }
  /// A replacement of the part, such as another value, and the whole plan with the replacement.
  struct Alternative: Hashable, Sendable {
    let name: String
    let plan: Plan
  }

  let kind: Kind
  /// The number of the command, from 1; `nil` for a part of the whole plan.
  let command: Int?
  let name: String
  let alternatives: [Alternative]

  /// Runs the plan with each alternative to this part; returns which of them break the invariant.
  ///
  /// `breaks` runs a plan, and returns whether the invariant broke.
  func answer<Failure: Error>(
    breaks: (Plan) throws(Failure) -> Bool
  ) throws(Failure) -> PartAnswer {
    var answer = PartAnswer(kind: kind, command: command, name: name)
    for alternative in alternatives {
      if try breaks(alternative.plan) {
        answer.breaking.append(alternative.name)
      } else {
        answer.holding.append(alternative.name)
      }
    }
    return answer
  }
}

/// The names of a part's alternatives, divided into those that break the invariant and those that do not.
struct PartAnswer: Hashable, Sendable {
  /// The degree to which the violation depends on the part.
  enum Need: String, Sendable {
    /// The violation does not need the part: it occurs with every tried replacement of the part.
    case free
    /// The violation occurs with some tried replacements of the part, but not with others.
    case limited
    /// The violation needs exactly this part: it occurs with no tried replacement of the part.
    case needed
  }
  let kind: PlanPart.Kind
  /// The number of the command, from 1; `nil` for a part of the whole plan.
  let command: Int?
  let name: String
  /// The alternatives to this part with which the plan still breaks the invariant.
  var breaking: [String] = []
  /// The alternatives to this part with which the invariant holds.
  var holding: [String] = []

  var need: Need { holding.isEmpty ? .free : breaking.isEmpty ? .needed : .limited }

  /// The dependence of the violation on the part in a few words, such as `any value` or `needed`.
  var words: String {
    switch (kind, need) {
    case (.command, .free), (.member, .free), (.change, .free), (.faults, .free):
      "may be left out"
    case (.command, _), (.member, _), (.change, _), (.faults, _): "needed"
    case (.order, .free): "either order"
    case (.order, _): "must come before command \((command ?? 0) + 1)"
    case (.role, .free): "any actor"
    case (.clock, .free): "any advance"
    case (.author, .free), (.context, .free), (.author, .limited), (.context, .limited):
      "may be \(breaking.joinedAsAlternatives)"
    case (.value, .needed): "needed"
    case (_, .free): "any \(kind.rawValue)"
    case (.actor, .needed) where holding.count > 1: "must be \(name)"
    case (.actor, _), (.role, _): "must be another actor than \(holding.joinedAsAlternatives)"
    case (.object, .needed): "must be \(name)"
    case (.object, _): "must be another object than \(holding.joinedAsAlternatives)"
    case (_, .needed): "needed"
    case (_, .limited): "any \(kind.rawValue) but \(holding.joinedAsAlternatives)"
    }
  }
}

extension PlanPart {
  /// Returns the parts of a plan: first the parts of each command, then the parts of the whole plan.
  ///
  /// Parts without an alternative are left out: no run can test whether they matter.
  static func all(of plan: Plan) -> [PlanPart] {
    let parts =
      plan.commands.indices.flatMap { PlanParts(plan: plan).parts(at: $0) }
      + PlanParts(plan: plan).wholeParts
    return parts.filter { !$0.alternatives.isEmpty }
  }
}

/// Finds the parts of one plan: commands, their order, actors, values, faults, objects and so on.
private struct PlanParts {
  let plan: Plan

  func parts(at index: Int) -> [PlanPart] {
    let command = plan.commands[index]
    var parts = [
      part(.command, index, command.action.word, [("left out", plan.leavingOut(index))])
    ]
    if index + 1 < plan.commands.count {
      let swapped = plan.moving(index, to: index + 1)
      parts.append(part(.order, index, command.action.word, [("swapped", swapped)]))
    }
    if let actor = command.action.actor {
      let others = peers(of: actor).filter { $0 != actor }
      parts.append(
        part(
          .actor,
          index,
          actor.name,
          others.map { ($0.name, with(command.action.by($0), index)) }
        )
      )
    }
    parts += contents(command.action, index)
    if !command.faults.isEmpty {
      var plain = plan
      plain.commands[index].faults = []
      parts.append(part(.faults, index, command.action.word, [("left out", plain)]))
    }
    return parts
  }

  /// The parts of the whole plan: its actors, the actors' roles, and its objects.
  var wholeParts: [PlanPart] {
    let actors = plan.header.actors.map(\.id)
    let members = (actors + plan.header.consumers).map { actor in
      part(.member, nil, actor.name, [("left out", plan.leavingOut(actor))])
    }
    let roles = (actors + plan.header.consumers).map { actor in
      let isActing = plan.commands.contains { $0.action.actor == actor }
      let others = isActing ? peers(of: actor).filter { $0 != actor } : []
      return part(.role, nil, actor.name, others.map { ($0.name, plan.replacing(actor, by: $0)) })
    }
    return (actors.count + plan.header.consumers.count > 1 ? members : []) + roles + objects
  }

  private var objects: [PlanPart] {
    let names = plan.objects
    return names.map { object in
      let fresh = (names.map(\.key).max() ?? 0) + 1
      let entities = plan.header.model.entities.map { ObjectName($0.name, fresh) }
      let others = names.filter { $0 != object } + entities
      return part(
        .object,
        nil,
        "\(object)",
        others.map { ("\($0)", plan.renaming(object, to: $0)) }
      )
    }
  }

  /// Returns all actors if the given one is an actor, or all consumers if it is a consumer.
  private func peers(of actor: ActorID) -> [ActorID] {
    plan.header.actor(actor) == nil ? plan.header.consumers : plan.header.actors.map(\.id)
  }

  private func part(
    _ kind: PlanPart.Kind,
    _ index: Int?,
    _ name: String,
    _ alternatives: [(String, Plan)]
  ) -> PlanPart {
    PlanPart(
      kind: kind,
      command: index.map { $0 + 1 },
      name: name,
      alternatives: alternatives.filter { $0.1 != plan }.map { .init(name: $0.0, plan: $0.1) }
    )
  }

  private func with(_ action: Action, _ index: Int) -> Plan {
    var changed = plan
    changed.commands[index].action = action
    return changed
  }

  // MARK: Contents of commands

  private func contents(_ action: Action, _ index: Int) -> [PlanPart] {
    switch action {
    case .write(let write): return parts(of: write, index) { .write($0) }
    case .begin(let write): return parts(of: write, index) { .begin($0) }
    case .batch(let batch): return parts(of: batch, index)
    case .clock(let advance):
      let others = [1, 3_600, 691_200, -60].filter { $0 != advance }
      return [
        part(
          .clock,
          index,
          "\(advance) s",
          others.map { ("\($0) s", with(.clock(advance: $0), index)) }
        )
      ]
    case .deliver(let actor, let fate):
      return [fates(fate, index) { .deliver(actor, $0) }]
    case .poll(let actor, let fate): return [fates(fate, index) { .poll(actor, $0) }]
    default: return []
    }
  }

  private func fates(_ fate: SignalFate, _ index: Int, _ action: (SignalFate) -> Action) -> PlanPart
  {
    part(
      .fate,
      index,
      fate.rawValue,
      SignalFate.allCases.map { ($0.rawValue, with(action($0), index)) }
    )
  }

  private func parts(
    of write: PlannedWrite,
    _ index: Int,
    _ action: (PlannedWrite) -> Action
  ) -> [PlanPart] {
    var parts: [PlanPart] = []
    if write.author != .own {
      let own = WriteAuthor.own
      let others =
        [own, .absent] + plan.header.actors.compactMap { $0.author.map(WriteAuthor.other) }
      parts.append(
        part(
          .author,
          index,
          write.author.name,
          others.map { author in
            var other = write
            other.author = author
            return (
              author == own ? "that of \(write.actor)" : author.name, with(action(other), index)
            )
          }
        )
      )
    }
    if write.context != "view" {
      let others = ["view", "background"].map { context in
        var other = write
        other.context = context
        return (context, with(action(other), index))
      }
      parts.append(part(.context, index, write.context, others))
    }
    for (place, change) in write.changes.enumerated() {
      if write.changes.count > 1 {
        var less = write
        less.changes.remove(at: place)
        parts.append(
          part(.change, index, "\(change.object)", [("left out", with(action(less), index))])
        )
      }
      parts += values(change.values, of: change.object.entity, "\(change.object)", index) {
        values in
        var other = write
        other.changes[place].values = values
        return action(other)
      }
    }
    return parts
  }

  private func parts(of batch: PlannedBatch, _ index: Int) -> [PlanPart] {
    values(batch.values, of: batch.entity, batch.entity, index) { values in
      var other = batch
      other.values = values
      return .batch(other)
    }
  }

  private func values(
    _ values: Values,
    of entity: String,
    _ name: String,
    _ index: Int,
    _ action: (Values) -> Action
  ) -> [PlanPart] {
    let attributes = plan.header.model.entities.first { $0.name == entity }?.attributes ?? []
    return attributes.compactMap { attribute in
      guard let value = values[attribute.name] else { return nil }
      var alternatives = Value.samples(of: attribute.type).filter { $0 != value }.map { other in
        ("\(other)", with(action(values.merging([attribute.name: other]) { $1 }), index))
      }
      if values.count > 1 {
        let less = values.filter { $0.key != attribute.name }
        alternatives.append(("left out", with(action(less), index)))
      }
      return part(.value, index, "\(name) \(attribute.name): \(value)", alternatives)
    }
  }
}

extension Value {
  /// Returns sample values of a type, and null.
  fileprivate static func samples(of type: AttributeType) -> [Value] {
    switch type {
    case .int: [0, 1, 1_000, .null]
    case .double: [0.0, 0.5, -1_000.0, .null]
    case .string: ["a", "z", "", .null]
    case .bool: [true, false, .null]
    case .data, .date, .uuid: [.null]
    }
  }
}

extension WriteAuthor {
  fileprivate var name: String {
    switch self {
    case .own: "own"
    case .absent: "none"
    case .other(let author): author
    }
  }
}

extension Action {
  /// Returns the same action performed by another actor.
  fileprivate func by(_ actor: ActorID) -> Action {
    switch self {
    case .write(var write):
      write.actor = actor
      return .write(write)
    case .begin(var write):
      write.actor = actor
      return .begin(write)
    case .batch(var batch):
      batch.actor = actor
      return .batch(batch)
    case .query(var query):
      query.actor = actor
      return .query(query)
    case .watch(var watch):
      watch.actor = actor
      return .watch(watch)
    case .read(var reading):
      reading.consumer = actor
      return .read(reading)
    case .commit: return .commit(actor)
    case .launch: return .launch(actor)
    case .stop: return .stop(actor)
    case .crash: return .crash(actor)
    case .retire: return .retire(actor)
    case .suspend: return .suspend(actor)
    case .resume: return .resume(actor)
    case .fetch: return .fetch(actor)
    case .merge: return .merge(actor)
    case .record: return .record(actor)
    case .pass: return .pass(actor)
    case .purge: return .purge(actor)
    case .resync: return .resync(actor)
    case .belated(_, let step): return .belated(actor, step)
    case .consume: return .consume(actor)
    case .deliver(_, let fate): return .deliver(actor, fate)
    case .poll(_, let fate): return .poll(actor, fate)
    case .view(_, let context): return .view(actor, context: context)
    case .data, .history, .clock: return self
    }
  }
}

extension Plan {
  /// Returns a copy of the plan from which one command is removed.
  func leavingOut(_ index: Int) -> Plan {
    var plan = self
    plan.commands.remove(at: index)
    return plan
  }

  /// Returns a copy of the plan in which a command is moved, so that its index there is `place`.
  func moving(_ index: Int, to place: Int) -> Plan {
    var plan = self
    plan.commands.insert(plan.commands.remove(at: index), at: place)
    return plan
  }

  /// Returns a copy of the plan from which an actor or consumer and all its commands are removed.
  fileprivate func leavingOut(_ actor: ActorID) -> Plan {
    var plan = self
    plan.header.actors.removeAll { $0.id == actor }
    plan.header.consumers.removeAll { $0 == actor }
    plan.commands.removeAll { $0.action.actor == actor }
    return plan
  }

  /// Returns a plan in which one actor performs all commands of another actor.
  fileprivate func replacing(_ actor: ActorID, by other: ActorID) -> Plan {
    var plan = self
    for index in commands.indices where commands[index].action.actor == actor {
      plan.commands[index].action = commands[index].action.by(other)
    }
    return plan
  }

  /// The objects in the plan's saves, in the order of their first change.
  fileprivate var objects: [ObjectName] {
    commands.flatMap { command -> [ObjectName] in
      switch command.action {
      case .write(let write), .begin(let write): write.changes.map(\.object)
      default: []
      }
    }.uniqued
  }

  /// Returns the plan with one object replaced; values that the new object's entity lacks are left out.
  fileprivate func renaming(_ object: ObjectName, to other: ObjectName) -> Plan {
    let attributes = header.model.entities.first { $0.name == other.entity }?.attributes ?? []
    func renamed(_ write: PlannedWrite) -> PlannedWrite {
      var write = write
      for index in write.changes.indices where write.changes[index].object == object {
        write.changes[index].object = other
        guard other.entity != object.entity else { continue }
        let values = write.changes[index].values
        write.changes[index].values = values.filter { name, value in
          attributes.contains { $0.name == name && (value.type ?? $0.type) == $0.type }
        }
      }
      return write
    }
    var plan = self
    for index in commands.indices {
      switch commands[index].action {
      case .write(let write): plan.commands[index].action = .write(renamed(write))
      case .begin(let write): plan.commands[index].action = .begin(renamed(write))
      default: break
      }
    }
    return plan
  }
}
