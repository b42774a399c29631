import HistoryTypes
import PropertyTesting
import PropertyTraits
import Testing
import Traces

@testable import Workloads

@Suite struct `A plan generator` {
  private static func plan(_ seed: UInt64, _ style: PlanStyle = PlanStyle()) -> Plan {
    var source = ChoiceSource(seed: seed)
    return PlanGenerator(style).plan(from: &source, seed: seed)
  }

  @Test func `The same seed gives the same plan, another seed another one`() {
    let plans = (1...50 as ClosedRange<UInt64>).map { Self.plan($0) }
    #expect(plans == (1...50 as ClosedRange<UInt64>).map { Self.plan($0) })
    #expect(Set(plans).count == 50)
    #expect(plans.map(\.header.seed) == Array(1...50))
  }

  @Test(.property(cases: 200, seed: 1))
  func `Every command is legal at its turn`() async throws {
    try await property(.plans()) { plan in
      var rules = PlanRules(plan.header)
      for (index, command) in plan.commands.enumerated() {
        let objection = rules.objection(to: command.action)
        #expect(objection == nil, "command \(index), \(command.action.word)")
        #expect(command.faults.isEmpty)
      }
    }
  }

  @Test(.property(cases: 200, seed: 1))
  func `Every command of a continuation is legal at its turn`() async throws {
    let continued = Generator<(plan: Plan, count: Int)> { source in
      var plan = PlanGenerator().plan(from: &source, seed: 1)
      let count = plan.commands.count
      plan.commands += PlanGenerator().continuation(of: plan, from: &source)
      return (plan, count)
    }
    try await property(continued) { plan, count in
      var rules = PlanRules(plan.header)
      for (index, command) in plan.commands.enumerated() {
        let objection = rules.objection(to: command.action)
        #expect(objection == nil, "command \(index) of \(count) and more")
      }
    }
  }

  @Test func `Every possible plan element occurs within 500 plans`() {
    var words: Set<String> = []
    var seen: Set<String> = []
    for seed in 1...500 as ClosedRange<UInt64> {
      let plan = Self.plan(seed)
      seen.insert("\(plan.header.actors.count) actors")
      seen.insert("\(plan.header.model.entities.count) entities")
      for actor in plan.header.actors {
        seen.insert(actor.launched ? "launched" : "late")
        seen.insert("strategy \(actor.strategy ?? "default")")
      }
      for command in plan.commands {
        words.insert(command.action.word)
        seen.formUnion(Traits.of(command.action))
      }
    }
    #expect(
      words == [
        "write", "pass", "purge", "fetch", "merge", "record", "launch", "crash", "stop", "batch",
        "clock", "begin", "commit", "retire", "consume",
      ]
    )
    #expect(
      seen.isSuperset(of: [
        "1 actors", "2 actors", "3 actors", "4 actors", "1 entities", "2 entities", "launched",
        "late", "strategy default", "strategy none", "view", "background", "batch", "own", "absent",
        "other", "insert", "update", "delete", "batch update", "batch delete", "update by key",
        "delete by key", "forward", "days", "back", "one change", "several changes",
      ])
    )
  }

  @Test(.property(cases: 160, seed: 1))
  func `The style determines the number of actors`() async throws {
    let counts = Generator<Int>.ints(in: 1...8)
    let plans = counts.flatMap { count in
      var style = PlanStyle()
      style.actorCounts = count...count
      return Generator<Plan>.plans(style).map { (count, $0.header) }
    }
    try await property(plans) { count, header in
      #expect(header.actors.count == count)
      #expect(Set(header.actors.map(\.id)).count == count)
      #expect(header.actors.allSatisfy { $0.author == $0.id.name || $0.author ?? "app" == "app" })
    }
  }

  @Test func `Plans with one actor are rare if the style allows several`() {
    let counts = (1...500 as ClosedRange<UInt64>).map { Self.plan($0).header.actors.count }
    let alone = counts.filter { $0 == 1 }.count
    #expect(alone > 0 && alone < 40)
  }

  @Test func `The style limits commands, changes and kinds of commands`() {
    var style = PlanStyle()
    style.commandCountMax = 7
    style.changeCountMax = 3
    style.actions = [.write, .pass, .purge]
    style.absentAuthorShare = 0
    let plans = (1...100 as ClosedRange<UInt64>).map { Self.plan($0, style) }
    #expect(plans.map(\.commands.count).max() == 7)
    #expect(plans.contains { $0.commands.isEmpty })
    let actions = plans.flatMap(\.commands).map(\.action)
    #expect(Set(actions.map(\.word)) == ["write", "pass", "purge"])
    #expect(actions.compactMap(\.planned?.changes.count).max() == 3)
    #expect(actions.compactMap(\.planned?.changes.count).min() == 1)
  }

  @Test func `Writes have the style's average number of changes`() {
    var style = PlanStyle()
    style.averageChangeCount = 4
    style.changeCountMax = 60
    let actions = (1...150 as ClosedRange<UInt64>).flatMap { Self.plan($0, style).commands }
    let counts = actions.compactMap { $0.action.planned.map { Double($0.changes.count) } }
    let mean = counts.reduce(0, +) / Double(counts.count)
    #expect(counts.count > 500 && mean > 3.5 && mean < 4.5)
  }

  @Test(arguments: [Condition.everyday, [.relations], [.modelSkew]])
  func `Some plans have saves of four or more similar changes`(_ conditions: Set<Condition>) {
    var style = PlanStyle()
    style.hasQueries = true
    style.conditions = conditions
    let plans = (1...200 as ClosedRange<UInt64>).map { Self.plan($0, style) }
    let saves = plans.map { $0.commands.compactMap(\.action.planned).filter(Self.isSimilar) }
    #expect((10...60).contains(saves.filter { !$0.isEmpty }.count))
    let all = saves.joined()
    #expect(Set(all.flatMap(\.changes).map(\.type)) == [.insert, .update])
    #expect(Set(all.map(\.policy)).count > 1)
    #expect(Set(all.map(\.context)).isSuperset(of: ["view", "background"]))
  }

  @Test func `In some saves of similar updates, one object sets as many, but other attributes`() {
    var style = PlanStyle()
    style.hasQueries = true
    let plans = (1...400 as ClosedRange<UInt64>).map { Self.plan($0, style) }
    let sets = plans.flatMap(\.commands).compactMap(\.action.planned)
      .filter { (501..<1000).contains($0.changes.first?.object.key ?? 0) && $0.changes.count > 1 }
      .filter { $0.changes.allSatisfy { $0.type == .update } }
      .map { save in Dictionary(grouping: save.changes) { $0.values.keys.sorted() } }
    let mixed = sets.filter { $0.count == 2 }
    #expect(sets.allSatisfy { $0.count <= 2 } && mixed.count >= 5)
    #expect(mixed.count < sets.count / 2)
    for groups in mixed {
      #expect(Set(groups.keys.map(\.count)).count == 1)
      #expect(groups.values.contains { $0.count == 1 })
    }
  }

  @Test(arguments: [Condition.everyday, [.relations]])
  func `Some plans have live queries with small limits`(_ conditions: Set<Condition>) {
    var style = PlanStyle()
    style.hasQueries = true
    style.conditions = conditions
    let plans = (1...200 as ClosedRange<UInt64>).map { Self.plan($0, style) }
    let watches = plans.map { plan in
      plan.commands.compactMap { command in
        if case .watch(let watch) = command.action { watch } else { nil }
      }
    }
    #expect((15...60).contains(watches.filter { !$0.isEmpty }.count))
    let all = watches.joined()
    #expect(Set(all.map(\.limit)).isSuperset(of: [1, 2, 3]))
    #expect(all.allSatisfy { $0.limit ?? 1 <= 3 && (1...2).contains($0.orders.count) })
    #expect(all.contains { !$0.conditions.isEmpty })
    for (plan, watches) in zip(plans, watches) {
      for watch in watches {
        let entity = plan.header.model.entities.first { $0.name == watch.entity }
        let sorted = watch.orders.map { order in
          entity?.attributes.first { $0.name == order.attribute }
        }
        #expect(sorted.allSatisfy { $0 != nil && $0?.reference == nil })
      }
    }
    #expect(Self.plan(1).commands.allSatisfy { $0.action.word != "watch" })
  }

  /// Whether the first four changes have ascending keys and set the same attributes of one entity's objects.
  private static func isSimilar(_ save: PlannedWrite) -> Bool {
    let changes = save.changes.prefix(4)
    let kinds = Set(changes.map { "\($0.type) \($0.object.entity) \($0.values.keys.sorted())" })
    let keys = changes.map(\.object.key)
    return changes.count == 4 && kinds.count == 1 && keys == keys.sorted()
      && save.changes.count < 10 && keys[0] > 500 && keys[0] < 1000
  }

  @Test(.property(cases: 100, seed: 1))
  func `Replaying the choices gives the same plan`() async throws {
    try await property { source in
      let generator = PlanGenerator()
      let plan = generator.plan(from: &source, seed: 9)
      var again = ChoiceSource(replaying: source.sequence)
      #expect(generator.plan(from: &again, seed: 9) == plan)
      #expect(again.sequence == source.sequence)
    }
  }

  @Test func `Without choices the plan is the simplest: one actor and no command`() {
    var source = ChoiceSource(replaying: ChoiceSequence())
    let plan = PlanGenerator().plan(from: &source, seed: 0)
    #expect(plan.commands.isEmpty && plan.header.actors == [PlannedActor("app", author: "app")])
    #expect(plan.header.model.entities.map(\.name) == ["Item"])
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `A property that always fails shrinks to the empty plan`(_ seed: UInt64) {
    var source = ChoiceSource(seed: seed)
    _ = PlanGenerator().plan(from: &source, seed: 0)
    let shrunk = Shrinker().shrink(source.sequence, label: "any") { source in
      _ = PlanGenerator().plan(from: &source, seed: 0)
      return .failed(label: "any", message: "")
    }
    var simplest = ChoiceSource(replaying: shrunk.sequence)
    #expect(PlanGenerator().plan(from: &simplest, seed: 0).commands.isEmpty)
    #expect(shrunk.ending == .fixedPoint)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `A plan that must purge after a foreign write shrinks to those two commands`(
    _ seed: UInt64
  ) throws {
    let isWanted = { (plan: Plan) in
      guard let write = plan.commands.firstIndex(where: { $0.action.word == "write" }) else {
        return false
      }
      let writer = plan.commands[write].action.actor
      return plan.commands[write...].contains {
        $0.action.word == "purge" && $0.action.actor != writer
      }
    }
    let found = try #require(
      (0..<50 as Range<UInt64>).first { isWanted(Self.plan(seed * 100 + $0)) }
    )
    var source = ChoiceSource(seed: seed * 100 + found)
    _ = PlanGenerator().plan(from: &source, seed: 0)
    let shrunk = Shrinker().shrink(source.sequence, label: "purge") { source in
      let plan = PlanGenerator().plan(from: &source, seed: 0)
      return isWanted(plan) ? .failed(label: "purge", message: "") : .passed
    }
    var simplest = ChoiceSource(replaying: shrunk.sequence)
    let plan = PlanGenerator().plan(from: &simplest, seed: 0)
    #expect(plan.commands.map(\.action.word) == ["write", "purge"])
    #expect(plan.header.actors.count == 2)
  }
}
