import PropertyTesting
import Simulation
import Traces
import Workloads

/// Runs plans against systems.
struct CheckVerb: Verb {
  let options: CheckOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    for name in options.systems {
      guard let system = LabSystem.named(name) else { continue }
      var style = PlanStyle()
      style.commandCountMax = options.planOptions.steps
      let recipe = PlanRecipe(generator: PlanGenerator(style), seed: options.seed, timestamps: system.timestamps)
      let run = CheckRun(system: system, recipe: recipe, versions: [:], place: { _ in StorePlace.heap() })
      let start = ContinuousClock.now
      let tally = try await run.tally(plans: options.plans, jobs: options.jobs, progress: { _ in }, goesOn: { true })
      print(tally, ContinuousClock.now - start)
      for (checker, plan) in tally.broken {
        let finding = try run.shrink(checker, plan: plan) { _ in }
        print(finding.counterexample.violation, finding.evaluations, finding.originalCommandCount)
        print(PlanCodec.encode(finding.counterexample.trace.header.plan))
      }
    }
    return .good
  }
}
