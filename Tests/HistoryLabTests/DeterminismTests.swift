import Foundation
import LabFixtures
import Simulation
import Systems
import Testing
import Traces
import Workloads

@testable import Commands
@testable import HistoryLab

/// Our tracker, except that its report of a pass depends on the number of earlier calls.
final class Fickle: SystemUnderTest {
  private let system = TrackerSystem()
  private var count = 0

  let capabilities = TrackerSystem.abilities

  func reset(_ header: PlanHeader, _ environment: SystemEnvironment) throws(SystemFailure) {
    try system.reset(header, environment)
  }

  func close() { system.close() }

  func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    count += 1
    if case .history = action, count.isMultiple(of: 2) { log.add(nil, .signalled) }
    try system.perform(action, &log)
  }

  func recover() { system.recover() }

  func snapshot() throws(SystemFailure) -> SystemSnapshot { try system.snapshot() }

  func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) { try system.restore(snapshot) }

  func describe(_ state: inout StateSketch) throws(SystemFailure) { try system.describe(&state) }
}

@Suite struct `Determinism of plans` {
  private func tally(
    _ make: @escaping @Sendable () -> any SystemUnderTest
  ) async throws -> CheckTally {
    let system = LabSystem(
      name: "tracker",
      sentence: "",
      timestamps: .monotone,
      capabilities: TrackerSystem.abilities,
      make: make
    )
    let style = try PlanOptions(commands: 9, actors: 2).style(for: system)
    let recipe = PlanRecipe(
      generator: PlanGenerator(style),
      seed: 1,
      timestamps: .monotone
    )
    let run = CheckRun(system: system, recipe: recipe, versions: [:]) { _ in .heap() }
    return try await run.tally(plans: 60, jobs: 1, progress: { _ in }, goesOn: { true })
  }

  @Test func `A random sample of plans, including the first, gives the same result twice`()
    async throws
  {
    let tally = try await tally { TrackerSystem() }
    #expect(tally.difference == nil)
    #expect((2...12).contains(tally.repeatedPlanCount))
    #expect(tally.planCount == 60)
  }

  @Test
  func `A system whose second run differs has the verdict nondeterministic`()
    async throws
  {
    let tally = try await tally { Fickle() }
    let difference = try #require(tally.difference)
    let report = SystemReport(system: "fickle", tally: tally, seconds: 1, counterexamples: [])
    #expect(
      report.sentence.hasPrefix(
        "nondeterministic: plan \(difference.plan) gave a different trace when it ran again, "
          + "from event "
      )
    )
    let whole = CheckReport(seed: 1, plans: 60, like: "photos", systems: [report], folder: "")
    #expect(whole.verdict == "nondeterministic")
    #expect(try whole.json(for: .folder).contains("\"nondeterministicPlan\" : \(difference.plan)"))
  }

  @Test func `A check's schedules are random or PCT, and exploration runs every order`()
    throws
  {
    func schedule(_ words: String) throws -> ScheduleChoice {
      try PlanOptions(parse("check" + words)).schedule
    }
    #expect(try schedule("") == .random)
    #expect(try schedule(" --schedule pct") == .pct(depth: 3))
    #expect(try schedule(" --schedule pct/5") == .pct(depth: 5))
    #expect(throws: LabError.self) { try schedule(" --schedule pct/0") }
    #expect(throws: LabError.self) { try schedule(" --schedule exhaustive") }
    #expect(PlanOptions(schedule: .pct(depth: 4)).arguments == ["--schedule", "pct/4"])
  }

  @Test func `A check with priorities prints its bound, and its plans replay`() async throws {
    try await withFolder { folder in
      let words = ["--schedule", "pct/2", "--actors", "2", "--commands", "20", "--seed", "1"]
      let result = await run(
        ["check", "--plans", "40", "--output", folder] + words,
        composition: .current
      )
      #expect(result.code == .good, "\(result.errors)")
      #expect(result.output.contains("with a probability of at least 1 in 40."))
      let reported = await run(["replay", "--plan", "7", "--json"] + words, composition: .current)
      let again = await run(["replay", "--plan", "7", "--json"] + words, composition: .current)
      #expect(reported.output == again.output && !reported.output.isEmpty)
    }
  }
}
