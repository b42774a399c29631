import HistoryTypes
import PropertyTesting
import PropertyTraits
import Testing
import Traces

@testable import Workloads

@Suite struct `The conditions of plans` {
  private static func plans(_ conditions: Set<Condition>, _ count: Int = 60) -> [Plan] {
    var style = PlanStyle()
    style.conditions = conditions
    return (1...count).map { seed in
      var source = ChoiceSource(seed: UInt64(seed))
      return PlanGenerator(style).plan(from: &source, seed: 1)
    }
  }

  @Test(.property(cases: 60, seed: 1))
  func `Steady plans contain no faults`() async throws {
    var style = PlanStyle()
    style.conditions = [.steady]
    try await property(.plans(style)) { plan in
      #expect(Condition.found(in: plan) == [.steady])
      for command in plan.commands {
        if case .clock(let advance) = command.action { #expect(advance > 0 && advance < 86_400) }
      }
    }
  }

  @Test(arguments: Condition.allCases.filter { $0 != .steady }.sorted { $0.rawValue < $1.rawValue })
  func `A single condition is detected, and no others`(_ condition: Condition) {
    let found = Self.plans([condition], 120).map(Condition.found)
    #expect(found.filter { $0.contains(condition) }.count > 5, "\(condition)")
    for conditions in found {
      let others = conditions.subtracting([condition, .steady])
      // A day without writes looks the same in a plan as a clock that jumps ahead; a clock that
      // jumps ahead may also jump back.
      let alike: Set<Condition> =
        switch condition {
        case .pause: [.clockJump]
        case .clockJump: [.pause, .clockBack]
        // A member notices a rewind only if it has seen the lost transactions and still runs.
        case .configSkew, .powerOff: [.mirrorLag]
        // A newer version of the model is met when its first actor is launched later.
        case .modelSkew: [.lateJoin]
        // Contexts that hold no object, and batch requests.
        case .relations: [.backgroundWrites]
        default: []
        }
      #expect(others.subtracting(alike).isEmpty, "\(condition): \(others)")
    }
  }

  @Test func `All conditions together are detected, a few at a time`() {
    let found = Self.plans(Set(Condition.allCases), 900).map(Condition.found)
    #expect(Set(found.joined()) == Set(Condition.allCases))
    let shaping = found.map { $0.filter { $0.share != nil }.count }
    #expect(shaping.filter { $0 > 5 }.count < 150)
  }

  @Test(.property(cases: 60, seed: 1))
  func `Every command of a plan with every condition is legal`() async throws {
    var style = PlanStyle()
    style.conditions = Set(Condition.allCases)
    let generator = PlanGenerator(style)
    try await property { source in
      let plan = generator.plan(from: &source, seed: 1)
      var rules = PlanRules(plan.header, allowsTwice: true)
      for (index, command) in plan.commands.enumerated() {
        #expect(rules.objection(to: command.action) == nil, "command \(index)")
        if command.faults.contains(where: \.kind.isPowerOff) { rules.losePower() }
      }
      var again = ChoiceSource(replaying: source.sequence)
      #expect(generator.plan(from: &again, seed: 1) == plan)
    }
  }

  @Test func `Power-offs occur in every kind of command, in either way`() {
    let plans = Self.plans([.powerOff], 400)
    let fired = plans.flatMap(\.commands).filter { !$0.faults.isEmpty }
    let words = Set(plans.flatMap(\.commands).map(\.action.word))
    for kind in [PlannedFault.Kind.powerOff, .torn] {
      let met = fired.filter { $0.faults.contains { $0.kind == kind } }.map(\.action.word)
      #expect(Set(met) == words, "\(kind)")
    }
    #expect(Set(plans.map(\.header.synchronous)).count == 2)
    #expect(Set(plans.map(\.header.checkpointPages)).count == 6)
  }

  @Test(.property(cases: 60, seed: 1))
  func `In plans with signals the passes come from signals`() async throws {
    var style = PlanStyle()
    style.conditions = [.lostNotification]
    try await property(.plans(style)) { plan in
      #expect(plan.header.drive == .signals)
      let words = Set(plan.commands.map(\.action.word))
      #expect(words.isDisjoint(with: ["pass", "fetch", "merge", "record"]))
    }
  }

  @Test(.property(cases: 30, seed: 1))
  func `A custom configuration applies to every plan`() async throws {
    var setup = PlanSetup(actors: [PlannedActor("mine", author: "me")])
    setup.consumers = ["index"]
    setup.protectedAuthors = ["cloud*"]
    setup.retention = PlannedRetention(transactions: 5)
    var style = PlanStyle()
    style.setup = setup
    try await property(.plans(style)) { [setup] plan in
      #expect(plan.header.actors == setup.actors && plan.header.consumers == ["index"])
      #expect(plan.header.retention == setup.retention)
      for case .other(let author) in plan.commands.compactMap(\.action.planned?.author) {
        #expect(["me", "cloudimport"].contains(author))
      }
    }
  }

  @Test func `Background contexts write under their own author where they have one`() {
    var setup = PlanSetup(
      actors: [PlannedActor("app", author: "app"), PlannedActor("widget", author: "widget")]
    )
    for index in setup.actors.indices { setup.actors[index].allAuthors = ["app", "widget", "job"] }
    setup.backgroundAuthors = ["app": "job"]
    var style = PlanStyle()
    style.conditions = [.backgroundWrites]
    style.setup = setup
    let generator = PlanGenerator(style)
    let writes = (1...60).flatMap { seed in
      var source = ChoiceSource(seed: UInt64(seed))
      let plan = generator.plan(from: &source, seed: UInt64(seed))
      #expect(!Condition.found(in: plan).contains(.mirrorLag))
      return plan.commands.compactMap(\.action.planned)
    }
    for write in writes {
      let isBackground = write.actor == "app" && write.context != "view"
      #expect(write.author == (isBackground ? .other("job") : .own), "\(write)")
    }
    #expect(writes.contains { $0.author == .other("job") })
  }

  @Test func `Where a second process replaces the first, the first continues in every way`() {
    let plans = Self.plans([.sameActorTwice], 200)
    let steps = plans.flatMap(\.commands).compactMap { command -> BelatedStep? in
      if case .belated(_, let step) = command.action { step } else { nil }
    }
    #expect(Set(steps) == Set(BelatedStep.allCases))
    #expect(Set(plans.map(\.header.locks)) == [.held, .none])
    let replacing = plans.filter { $0.commands.contains { $0.action.word == "belated" } }
    #expect(replacing.allSatisfy { $0.header.locks == .none } && replacing.count > 20)
  }

  @Test func `Calls fail in every kind of command, in every way that a store can detect`() {
    let plans = Self.plans([.callFailure], 400)
    let fired = plans.flatMap(\.commands).filter { !$0.faults.isEmpty }
    #expect(Set(fired.map(\.action.word)) == Set(plans.flatMap(\.commands).map(\.action.word)))
    let faults = fired.flatMap(\.faults)
    #expect(Set(faults.map(\.kind)) == Set(PlannedFault.Kind.allCases.filter { !$0.isPowerOff }))
    for fault in faults {
      #expect(fault.kind.calls.contains(fault.call), "\(fault)")
      #expect(fault.kind != .shortRead || fault.file == .wal, "\(fault)")
    }
    #expect(Set(faults.map(\.from)).count == 2)
    for call in PlannedFault.Call.allCases { #expect(faults.contains { $0.call == call }) }
    #expect(Set(plans.map(\.header.checkpointPages)).count == 6)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `A plan that requires an out-of-memory error shrinks to one command and its first request`(
    _ seed: UInt64
  ) throws {
    var style = PlanStyle()
    style.conditions = Set(Condition.allCases)
    let generator = PlanGenerator(style)
    func isShort(_ plan: Plan) -> Bool {
      plan.commands.contains { $0.faults.contains { $0.kind == .memory } }
    }
    let sources = (0..<200 as Range<UInt64>).map { ChoiceSource(seed: seed * 1_000 + $0) }
    let found = try #require(
      sources.compactMap { start -> ChoiceSequence? in
        var source = start
        return isShort(generator.plan(from: &source, seed: 0)) ? source.sequence : nil
      }.first
    )
    let shrunk = Shrinker().shrink(found, label: "memory") { source in
      isShort(generator.plan(from: &source, seed: 0))
        ? .failed(label: "memory", message: "") : .passed
    }
    var simplest = ChoiceSource(replaying: shrunk.sequence)
    let plan = generator.plan(from: &simplest, seed: 0)
    #expect(plan.commands.count == 1 && plan.header.actors.count == 1)
    #expect(
      plan.commands.flatMap(\.faults) == [
        PlannedFault(kind: .memory, file: .main, call: .allocate, k: 1)
      ]
    )
  }

  @Test func `With power-offs a delayed sync occurs only where it does no damage`() {
    let plans = Self.plans([.callFailure, .powerOff], 3_000)
    let delayed = plans.filter { plan in
      plan.commands.contains { $0.faults.contains { $0.kind == .delay } }
        && plan.commands.contains(where: \.losesPower)
    }
    #expect(delayed.count > 3)
    for plan in delayed {
      #expect(plan.header.synchronous == .full && plan.header.checkpointPages == nil)
    }
  }

  @Test func `With power-offs some consumers keep their own token`() {
    let plans = Self.plans([.powerOff], 200)
    #expect(plans.count { $0.header.tokens == .own } > 20)
    #expect(plans.allSatisfy { $0.header.tokens == .store || !$0.header.consumers.isEmpty })
  }
}
