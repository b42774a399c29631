import Checkers
import Foundation
import Reporting
import Simulation
import Systems
import Traces
import Workloads

@testable import HistoryLab

/// Looks from a test for plans that break a system, and shrinks the first.
struct SystemSearch {
  let run: CheckRun
  let name: String

  /// Plans for a design that is a value: writes, passes step by step, purges, stops, crashes.
  init<Log: HistoryLog>(_ name: String, _ log: Log.Type, seed: UInt64 = 1) {
    var style = PlanStyle()
    style.conditions = [.crash, .restart, .lateJoin]
    (style.hasContexts, style.hasHooks, style.hasPolicies) = (false, false, false)
    let system = LabSystem(
      name: name,
      sentence: "A design of one's own.",
      timestamps: .monotone,
      capabilities: LogSystem<Log>.abilities
    ) { LogSystem<Log>() }
    style.actions = system.actions
    let recipe = PlanRecipe(generator: PlanGenerator(style), seed: seed, timestamps: .monotone)
    run = CheckRun(system: system, recipe: recipe, versions: [:]) { _ in .heap() }
    self.name = name
  }

  /// Runs so many plans, and answers what broke, what tells most first, each shrunk.
  func counterexamples(plans: Int) async throws -> [Counterexample] {
    let tally = try await run.tally(plans: plans, jobs: 1, progress: { _ in }, goesOn: { true })
    return try FindingOrder.tellingFirst(tally.broken, by: \.checker).map { checker, plan in
      try run.shrink(checker, plan: plan) { _ in }.counterexample
    }
  }
}

extension Counterexample {
  /// The counterexample as text, its picture left in a folder; the test that asks lies in a file of its
  /// suite's name.
  func explained(
    in folder: String = NSTemporaryDirectory(),
    from file: String = #fileID
  ) throws -> String {
    let suite = URL(filePath: file).deletingPathExtension().lastPathComponent
    let replay = "swift test --filter \(suite)"
    let page = "\(folder)/\(trace.header.system)-\(violation.checker).html"
    try CounterexampleCodec.encode(self).write(
      toFile: page.replacing(".html", with: ".jsonl"),
      atomically: true,
      encoding: .utf8
    )
    try CounterexamplePage(self, replay: replay, file: "").html()
      .write(toFile: page, atomically: true, encoding: .utf8)
    return CounterexampleText().render(self, replay: replay)
      + "Picture: \(page)"
  }
}
