import Checkers
import LabFixtures
import Simulation
import Synchronization
import Systems
import Testing
import Traces
import Workloads

@testable import HistoryLab

/// A run of one system over random plans on the heap.
func checkRun(
  _ name: String,
  seed: UInt64 = 1,
  _ conditions: ConditionChoice = .everyday,
  ignoringSyncs: Bool = false
) throws -> CheckRun {
  let system = try #require(LabSystem.named(name))
  let style = try PlanOptions(conditions: conditions).style(for: system)
  let recipe = PlanRecipe(
    generator: PlanGenerator(style),
    seed: seed,
    timestamps: system.timestamps
  )
  return CheckRun(system: system, recipe: recipe, versions: [:]) { _ in
    .heap(ignoringSyncs: ignoringSyncs)
  }
}

extension CheckRun {
  func tally(_ plans: Int, jobs: Int = 1) async throws -> CheckTally {
    try await tally(plans: plans, jobs: jobs, progress: { _ in }, goesOn: { true })
  }
}

@Suite struct `Check runs` {
  @Test func `The tracker is valid, and every core invariant is exercised`() async throws {
    let tally = try await checkRun("tracker").tally(200)
    #expect(tally.planCount == 200 && tally.invalidPlanCount == 0)
    #expect(tally.broken.isEmpty && tally.undecided.isEmpty)
    for (name, count) in tally.counts {
      #expect(count.invalid == 0 && count.valid + count.unknown == 200, "\(name)")
    }
    for name in ["Convergence", "NoLostTransaction", "MergeOrder", "CursorProgress"] {
      #expect(try #require(tally.counts[name]).valid > 50, "\(name)")
    }
    #expect(try #require(tally.counts["PurgeSafety"]).valid > 10)
  }

  @Test func `A disk that ignores syncs is detected in a few commands`() async throws {
    let run = try checkRun("tracker", .named([.powerOff]), ignoringSyncs: true)
    let tally = try await run.tally(12)
    let first = try #require(tally.broken.first { $0.checker == "Durability" })
    let finding = try run.shrink("Durability", plan: first.plan) { _ in }
    let plan = finding.counterexample.trace.header.plan
    #expect(plan.commands.count <= 2)
    #expect(plan.commands.flatMap(\.faults).count == 1)
    #expect(finding.counterexample.violation.checker == "Durability")
  }

  @Test(arguments: ["article", "article-eager"])
  func `The article's design breaks its known invariants`(
    _ name: String
  ) async throws {
    let tally = try await checkRun(name).tally(80)
    let broken = tally.broken.map(\.checker)
    #expect(broken.contains("PurgeSafety") && broken.contains("NoLostTransaction"))
    #expect(broken.contains("Convergence") && broken.contains("CursorProgress"))
    #expect(tally.invalidPlanCount > 20)
  }

  @Test func `The tracker holds under every condition, and every invariant is exercised`()
    async throws
  {
    let tally = try await checkRun("tracker", .all).tally(200)
    #expect(tally.broken.map(\.checker) == [])
    #expect(tally.notExercised == [])
    // A plan in which no condition happens to occur is not drawn on purpose.
    let missing = Condition.allCases.filter { $0 != .steady && tally.conditions[$0] == nil }
    #expect(missing == [])
  }

  @Test func `The tracker holds in plans whose objects refer to each other`() async throws {
    let tally = try await checkRun("tracker", seed: 2, .named([.relations])).tally(100)
    #expect(tally.planCount == 100 && tally.broken.map(\.checker) == [])
    #expect(try #require(tally.conditions[.relations]) > 80)
  }

  /// Systems with bugs, and the number of commands of the shortest plan that shows one of them.
  @Test(arguments: [("greatest-cursor", 3), ("article", 3), ("kit-1.0", 3)])
  func `A seeded bug is detected and shrinks to a few commands`(
    _ name: String,
    _ least: Int
  ) async throws {
    let run = try checkRun(name, .everyday)
    let tally = try await run.tally(40)
    let (checker, plan) = try #require(tally.broken.min { $0.plan < $1.plan })
    let finding = try run.shrink(checker, plan: plan) { _ in }
    let shrunk = finding.counterexample.trace.header.plan
    #expect(shrunk.commands.count <= least + 2)
    #expect(finding.isMinimal && finding.plan == plan)
    #expect(finding.originalCommandCount >= shrunk.commands.count)
    #expect(finding.counterexample.violation.checker == checker)
    // The counterexample can be checked without the plan's run.
    let again = CheckerSuite(checking: finding.counterexample.trace, scope: .all)
    #expect(again.violation(of: checker) == finding.counterexample.violation)
  }

  @Test func `An interrupted run keeps the plan that broke as it was`() async throws {
    let run = try checkRun("article", .everyday)
    let (checker, plan) = try #require(try await run.tally(40).broken.first)
    let finding = try run.shrink(checker, plan: plan, goesOn: { false }, progress: { _ in })
    let kept = finding.counterexample.trace.header.plan
    #expect(kept.commands == run.recipe.plan(plan).plan.commands)
    #expect(!finding.isMinimal)
    #expect(finding.counterexample.violation.checker == checker)
  }

  @Test func `Violations do not depend on the number of jobs`() async throws {
    let run = try checkRun("article", seed: 5)
    let (one, two) = (try await run.tally(30), try await run.tally(30, jobs: 2))
    #expect(one.counts == two.counts && one.stepCount == two.stepCount)
    #expect(one.planCount == two.planCount && one.invalidPlanCount == two.invalidPlanCount)
    #expect(one.broken.map(\.plan) == two.broken.map(\.plan))
  }

  @Test func `A run limited by steps ends at the same plan for any number of jobs`()
    async throws
  {
    let run = try checkRun("tracker", seed: 5)
    let (steps, goal) = (PlanQueue(plans: .max, steps: 500), 500)
    #expect(steps.last == .max)
    var tallies: [CheckTally] = []
    for jobs in 1...3 {
      tallies.append(
        try await run.tally(
          plans: 1_000,
          steps: goal,
          jobs: jobs,
          progress: { _ in },
          goesOn: { true }
        )
      )
    }
    let first = try #require(tallies.first)
    #expect(first.stepCount >= goal && first.stepCount < goal + 300)
    for tally in tallies {
      #expect(tally.counts == first.counts && tally.stepCount == first.stepCount)
    }
    let without = try await run.tally(first.planCount - 1)
    #expect(without.stepCount < goal)
  }

  @Test func `Tallies of several workers add up to the tally of one, in any order`() throws {
    let run = try checkRun("article", seed: 5)
    let worker = PlanWorker(run.system, at: .heap(), versions: [:])
    var (whole, workers) = (CheckTally(), [[PlanOutcome](), []])
    for number in 1...24 {
      let outcome = try worker.outcome(of: run.recipe.plan(number).plan, number: number)
      whole.add(outcome)
      workers[number % 2].append(outcome)
    }
    #expect(whole.broken.count > 2)
    for order in [workers, workers.reversed()] {
      var sum = CheckTally()
      for outcome in order.joined() { sum.add(outcome) }
      #expect(sum.counts == whole.counts && sum.planCount == 24)
      #expect(sum.invalidPlanCount == whole.invalidPlanCount)
      #expect(sum.stepCount == whole.stepCount && sum.conditions == whole.conditions)
    }
  }

  @Test func `A plan is the same whether it runs first, last or alone`() throws {
    let run = try checkRun("article", seed: 3)
    #expect(run.recipe.plan(7).plan == run.recipe.plan(7).plan)
    #expect(run.recipe.plan(7).plan != run.recipe.plan(8).plan)
    #expect(run.recipe.plan(1).plan.header.timestamps == .wallClock)
    let worker = PlanWorker(run.system, at: .heap(), versions: [:])
    let alone = PlanWorker(run.system, at: .heap(), versions: [:])
    let plans = (1...6).map { run.recipe.plan($0).plan }
    let traces = try plans.map { try worker.trace($0) }
    #expect(try alone.trace(plans[5]) == traces[5])
    #expect(try worker.trace(plans[0]) == traces[0])
  }

  @Test func `A cancelled run reports the plans that it ran`() async throws {
    let asked = Atomic<Int>(0)
    let tally = try await checkRun("tracker").tally(
      plans: 50,
      jobs: 1,
      progress: { _ in },
      goesOn: { asked.add(1, ordering: .relaxed).newValue <= 3 }
    )
    #expect(tally.planCount == 3)
  }

  @Test func `Progress counts all plans and the failed ones`() async throws {
    let plans = Atomic<Int>(0)
    let broken = Atomic<Int>(0)
    let tally = try await checkRun("article").tally(
      plans: 20,
      jobs: 2,
      progress: {
        plans.add(1, ordering: .relaxed)
        if $0.isBroken { broken.add(1, ordering: .relaxed) }
      },
      goesOn: { true }
    )
    #expect(plans.load(ordering: .relaxed) == 20)
    #expect(broken.load(ordering: .relaxed) == tally.invalidPlanCount)
    #expect(tally.invalidPlanCount > 0)
  }
}
